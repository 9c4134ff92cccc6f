#include "pmpi/process.h"

#include "pmpi/sink.h"

#include <stdatomic.h>

struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER};
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

bool process_agree(MPI_Comm comm)
{
	int failed = process.state == PROCESS_FAILED ? process.rank : process.size, first;

	PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
	if (first == process.rank && sink.failed)
		sink.failed(&process.error);
	return first == process.size;
}
