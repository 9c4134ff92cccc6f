/*
 * Preloaded, it makes MPICH's ranks give way where they poll in vain: where there are more
 * ranks than cores, a rank otherwise polls until its time slice ends, while that which it waits
 * for is not run.  Open MPI has the setting mpi_yield_when_idle for that; MPICH over UCX has
 * none.
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
