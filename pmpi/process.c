#include "pmpi/process.h"

#include <stdatomic.h>

struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER, .comm = MPI_COMM_NULL,
			  .level_asked = MPI_THREAD_SINGLE};
_Thread_local bool process_is_locked __attribute__((tls_model("initial-exec")));

void process_fail(const struct error *err)
{
	static atomic_flag failed = ATOMIC_FLAG_INIT;

	if ((process.state != PROCESS_ACTIVE && process.state != PROCESS_NEW) ||
	    atomic_flag_test_and_set(&failed))
		return;
	process.error = *err;
	process.state = PROCESS_FAILED;
}
