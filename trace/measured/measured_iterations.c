#include "trace/measured/measured_iterations.h"

static int read_iterations(struct measured_iterations *all, const struct measured_run *run,
			   uint32_t rank, struct error *err)
{
	if (!all->ranks) {
		TRY(allocate(&all->ranks, run->rank_count, sizeof *all->ranks, err));
		all->count = run->rank_count;
	}
	if (all->ranks[rank].known)
		return 0;
	if (!all->reader)
		TRY(trace_reader_again(&all->reader, run->reader, err));
	TRY(iterations_find(&all->ranks[rank].iterations, all->reader, rank, err));
	all->ranks[rank].known = true;
	return 0;
}

int measured_iterations_of(struct measured_iterations *all, const struct measured_run *run,
			   uint32_t rank, const struct iterations **iterations, struct error *err)
{
	if (run->iterations) {
		*iterations = &run->iterations[rank];
		return 0;
	}
	TRY(read_iterations(all, run, rank, err));
	*iterations = &all->ranks[rank].iterations;
	return 0;
}

void measured_iterations_release(struct measured_iterations *all)
{
	for (uint32_t rank = 0; rank < all->count; rank++)
		iterations_release(&all->ranks[rank].iterations);
	free(all->ranks);
	trace_reader_close(all->reader);
}
