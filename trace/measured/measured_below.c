#include "trace/measured/measured_below.h"

#include <stdlib.h>

static int take_below(void *data, const struct below_call *call, struct error *err)
{
	struct measured_below *below = data;

	return array_push(&below->calls, *call, err);
}

static int pass_call(void *nothing, const struct mpi_call *call, struct error *err)
{
	(void)nothing, (void)call, (void)err;
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct below_call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->enter_ns != y->enter_ns)
		return x->enter_ns < y->enter_ns ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->leave_ns > y->leave_ns) - (x->leave_ns < y->leave_ns);
}

int measured_below_read(struct measured_below *below, const struct measured_run *run, uint32_t rank,
			struct error *err)
{
	below->calls.count = 0;
	if (!run->world->has_below || !run->reader)
		return 0;
	if (!below->reader)
		TRY(trace_reader_again(&below->reader, run->reader, err));
	trace_reader_below(below->reader, take_below, below);
	TRY(trace_reader_rank(below->reader, rank, pass_call, NULL, err));
	if (below->calls.count)
		qsort(below->calls.items, below->calls.count, sizeof *below->calls.items, by_begin);
	return 0;
}

void measured_below_release(struct measured_below *below)
{
	array_release(&below->calls);
	trace_reader_close(below->reader);
}

void measured_below_threads(struct measured_run *run)
{
	for (uint32_t rank = 0; run->world->has_below && run->reader && rank < run->rank_count;
	     rank++) {
		const uint32_t threads = trace_reader_threads(run->reader, rank);

		if (run->ranks[rank].thread_count < threads)
			run->ranks[rank].thread_count = threads;
	}
}
