/* Segments of the critical path, gathered from all processes and merged by time. */
#include "critpath/path/blocks.h"

#include "common/min_heap.h"

/* ----------------------------------------------------------------------- order */

static int compare_segments(const void *a, const void *b)
{
	const struct walk_segment *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Put the segments of a process into order of time.  A walk has them in order, the latest first. */
static void order(struct walk *walk)
{
	struct walk_segment *segments = walk->segments.items;
	const size_t count = walk->segments.count;

	if (count && segments[0].start_ns > segments[count - 1].start_ns)
		walk_reverse(walk);
	for (size_t i = 1; i < count; i++)
		if (segments[i].start_ns < segments[i - 1].start_ns) {
			qsort(segments, count, sizeof *segments, compare_segments);
			return;
		}
}

/* Segments of a process, in order of time, among those of all: from `next` on. */
struct run {
	size_t next, end;
};

struct merging {
	const struct walk_segment *segments;
	size_t count;
	ARRAY(struct run) runs;
	struct min_heap heads; /* runs by their next start */
};

static int find_runs(struct merging *merging, struct error *err)
{
	size_t first = 0;

	for (size_t i = 1; i <= merging->count; i++)
		if (i == merging->count ||
		    merging->segments[i].start_ns < merging->segments[i - 1].start_ns) {
			const struct run run = {first, i};

			TRY(min_heap_push(&merging->heads, merging->segments[first].start_ns,
					  (uint32_t)merging->runs.count, err));
			TRY(array_push(&merging->runs, run, err));
			first = i;
		}
	return 0;
}

/* Take the segments of a run up to where another one goes on. */
static int merge_run(struct merging *merging, struct run *run, struct walk_segment **to,
		     struct error *err)
{
	const struct walk_segment *segments = merging->segments;

	do
		*(*to)++ = segments[run->next++];
	while (run->next < run->end &&
	       segments[run->next].start_ns == segments[run->next - 1].end_ns);
	return run->next == run->end ? 0
				     : min_heap_push(&merging->heads, segments[run->next].start_ns,
						     (uint32_t)(run - merging->runs.items), err);
}

/* Merge the segments of all processes, each in order of time. */
static int merge(struct walk *walk, struct error *err)
{
	struct merging merging = {.segments = walk->segments.items, .count = walk->segments.count};
	struct walk_segment *merged, *to;
	int result;

	TRY(allocate(&merged, merging.count, sizeof *merged, err));
	to = merged;
	result = find_runs(&merging, err);
	while (result == 0 && merging.heads.entries.count)
		result = merge_run(&merging, &merging.runs.items[min_heap_pop(&merging.heads)], &to,
				   err);
	array_release(&merging.runs);
	min_heap_release(&merging.heads);
	free(walk->segments.items);
	walk->segments.items = merged;
	walk->segments.capacity = walk->segments.count;
	return result;
}

/* ---------------------------------------------------------------------- gather */

static int join_segments(struct walk *walk, struct dist *dist, struct error *err)
{
	int result = 0;

	order(walk);
	TRY(dist_gather_array(dist, &walk->segments, err));
	if (dist->rank == 0 && dist->size > 1)
		result = merge(walk, err);
	return dist_agree(dist, result, err);
}

int walk_gather(struct walk *walk, struct dist *dist, struct error *err)
{
	TRY(join_segments(walk, dist, err));
	walk_add_up(walk);
	return 0;
}

/* ---------------------------------------------------------------------- blocks */

static void keep_own(struct walk *walk, const struct measured_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < walk->segments.count; i++)
		if (measured_owns(run, walk->segments.items[i].rank))
			walk->segments.items[kept++] = walk->segments.items[i];
	walk->segments.count = kept;
}

/* Segments of a block are on one rank, so each process joins its own. */
int walk_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks,
	      struct dist *dist, struct error *err)
{
	keep_own(walk, run);
	blocks_join(walk, run, blocks);
	TRY(join_segments(walk, dist, err));
	walk_mark_rank_switches(walk);
	return 0;
}
