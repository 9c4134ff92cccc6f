/*
 * Yielding of MPICH's ranks that poll without success, by LD_PRELOAD.  With more ranks than cores,
 * a rank otherwise polls until its time slice ends, while the rank it waits for does not run.
 * Open MPI has the setting mpi_yield_when_idle for this purpose; MPICH over UCX has none.
 *
 * With YIELD_SLEEP_US in the environment they sleep so long instead.  Then waiting takes no core, and what
 * else runs on the machine hardly changes when they go on.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);
	static struct timespec duration;
	const char *microseconds;
	unsigned count;

	if (!progress) {
		progress = (__typeof__(progress))dlsym(RTLD_NEXT, "ucp_worker_progress");
		/* A program that loads MPI late has UCX where RTLD_NEXT does not look. */
		if (!progress)
			progress = (__typeof__(progress))dlsym(dlopen("libucp.so.0",
								      RTLD_LAZY | RTLD_NOLOAD),
							       "ucp_worker_progress");
		microseconds = getenv("YIELD_SLEEP_US");
		duration.tv_nsec = microseconds ? atol(microseconds) * 1000 : 0;
	}
	count = progress(worker);
	if (count == 0 && duration.tv_nsec > 0)
		nanosleep(&duration, NULL);
	else if (count == 0)
		sched_yield();
	return count;
}
