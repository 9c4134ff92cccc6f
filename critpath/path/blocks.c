#include "critpath/path/blocks.h"

/* Whether a call that begins at `enter_ns` is in one block with what ended before it. */
static bool is_close(const struct blocks *blocks, uint64_t before_ns, uint64_t enter_ns)
{
	return enter_ns <= before_ns ? blocks->threshold_ns > 0
				     : enter_ns - before_ns < blocks->threshold_ns;
}

static void count_rank(struct blocks *blocks, const struct measured_rank *rank, uint64_t *left_ns)
{
	for (uint32_t thread = 0; thread < rank->thread_count; thread++)
		left_ns[thread] = UINT64_MAX;
	for (size_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		uint64_t *before_ns = &left_ns[call->thread];

		blocks->count += *before_ns == UINT64_MAX ||
				 !is_close(blocks, *before_ns, call->enter_ns);
		*before_ns = call->leave_ns;
	}
}

static int count_own(struct blocks *blocks, const struct measured_run *run, struct error *err)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		uint64_t *left_ns;

		TRY(allocate(&left_ns, run->ranks[r].thread_count, sizeof *left_ns, err));
		count_rank(blocks, &run->ranks[r], left_ns);
		free(left_ns);
	}
	return 0;
}

int blocks_count(struct blocks *blocks, const struct measured_run *run, uint64_t threshold_ns,
		 struct dist *dist, struct error *err)
{
	*blocks = (struct blocks){.threshold_ns = threshold_ns};
	TRY(dist_agree(dist, count_own(blocks, run, err), err));
	return dist_allreduce(dist, &blocks->count, 1, DIST_SUM, err);
}

/* -------------------------------------------------------------------- segments */

/* Whether the computation before a call is shorter than the threshold, after another call. */
static bool is_inside(const struct blocks *blocks, const struct measured_rank *rank, uint32_t call)
{
	const struct measured_call *next = &rank->calls.items[call];

	while (call-- > 0)
		if (rank->calls.items[call].thread == next->thread)
			return is_close(blocks, rank->calls.items[call].leave_ns, next->enter_ns);
	return false;
}

/* Whether a segment is part of a block: a call, a smaller block, or the computation inside. */
static bool is_part(const struct blocks *blocks, const struct measured_run *run,
		    const struct walk_segment *segment)
{
	if (segment->category == WALK_COMPUTE && segment->call != NO_CALL)
		return is_inside(blocks, &run->ranks[segment->rank], segment->call);
	return segment->category == WALK_CALL || segment->category == WALK_BLOCK;
}

static uint32_t thread_of(const struct measured_run *run, const struct walk_segment *segment)
{
	return run->ranks[segment->rank].calls.items[segment->call].thread;
}

void blocks_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks)
{
	struct walk_segment *segments = walk->segments.items;
	bool in_block = false;
	size_t kept = 0;

	if (!blocks->threshold_ns)
		return;
	for (size_t i = 0; i < walk->segments.count; i++) {
		const bool is_next = is_part(blocks, run, &segments[i]);

		if (in_block && is_next && segments[kept - 1].rank == segments[i].rank &&
		    segments[kept - 1].end_ns == segments[i].start_ns &&
		    thread_of(run, &segments[kept - 1]) == thread_of(run, &segments[i])) {
			segments[kept - 1].end_ns = segments[i].end_ns;
			segments[kept - 1].category = WALK_BLOCK;
		} else {
			segments[kept++] = segments[i];
		}
		in_block = is_next;
	}
	walk->segments.count = kept;
}
