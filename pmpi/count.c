#include "pmpi/count.h"

struct thread *count_prepare(void)
{
	struct error err;

	if ((process.state != PROCESS_ACTIVE && !start_late()) ||
	    (!own_thread && !thread_register()) || !process.on)
		return NULL;
	if (!own_thread->recorder && thread_begin(own_thread, &err) < 0) {
		process_fail(&err);
		return NULL;
	}
	if (own_thread->switches != process.switch_count)
		thread_switch(own_thread);
	return own_thread;
}

void count_left(struct counted counted)
{
	const struct mpi_sums sums = {.enter = counted.enter, .leave = ticks_now(), .failed = true};

	call_depth = counted.depth;
	if (counted.thread && process.state == PROCESS_ACTIVE)
		sink.count(counted.thread->recorder, counted.number, &sums);
}
