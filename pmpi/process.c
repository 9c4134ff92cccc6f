#include "pmpi/process.h"

#include "pmpi/sink.h"
#include "pmpi/together.h"

#include <stdatomic.h>

struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER, .comm = MPI_COMM_NULL};
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

bool process_agree(void)
{
	const uint64_t size = (uint64_t)process.size;
	uint64_t first = process.state == PROCESS_FAILED ? (uint64_t)process.rank : size;

	if (!together_least(&first, 1))
		return false;
	if (first == (uint64_t)process.rank && sink.failed)
		sink.failed(&process.error);
	return first == size;
}
