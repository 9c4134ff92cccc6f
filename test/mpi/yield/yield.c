/*
 * Yielding of MPICH's ranks that poll without success, by LD_PRELOAD.  With more ranks than cores,
 * a rank otherwise polls until its time slice ends, while the rank it waits for does not run.
 * Open MPI has the setting mpi_yield_when_idle for this purpose; MPICH over UCX has none.
 */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);
	unsigned count;

	if (!progress)
		progress = (__typeof__(progress))dlsym(RTLD_NEXT, "ucp_worker_progress");
	count = progress(worker);
	if (count == 0)
		sched_yield();
	return count;
}
