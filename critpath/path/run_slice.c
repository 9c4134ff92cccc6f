#include "critpath/path/run_slice.h"

#include "common/units.h"

#include <stdlib.h>

/* Find the slice of own ranks. */
static int slice_find_own(struct measured_run *run, const struct slice_edge *from,
		    const struct slice_edge *to, struct error *err)
{
	struct rank_slice *slices;
	int result;

	run->sliced = true;
	run->slice_begin_ns = UINT64_MAX;
	run->slice_end_ns = 0;
	TRY(allocate(&slices, run->rank_count, sizeof *slices, err));
	result = slices_find(slices, run->reader, run->begin_ns, run->own_first, run->own_end, from,
			     to, err);
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++) {
		if (slices[r].begin_ns < run->slice_begin_ns)
			run->slice_begin_ns = slices[r].begin_ns;
		if (slices[r].end_ns > run->slice_end_ns)
			run->slice_end_ns = slices[r].end_ns;
	}
	free(slices);
	return result;
}

int run_slice_find(struct measured_run *run, const struct slice_edge *from,
		   const struct slice_edge *to, struct dist *dist, struct error *err)
{
	char length[UNIT_TEXT_BYTES];

	TRY(dist_agree(dist, slice_find_own(run, from, to, err), err));
	TRY(dist_allreduce(dist, &run->slice_begin_ns, 1, DIST_MIN, err));
	TRY(dist_allreduce(dist, &run->slice_end_ns, 1, DIST_MAX, err));
	if (run->slice_begin_ns < run->begin_ns)
		run->slice_begin_ns = run->begin_ns;
	if (run->slice_end_ns > run->end_ns)
		run->slice_end_ns = run->end_ns;
	if (run->slice_begin_ns < run->slice_end_ns)
		return 0;
	return error_set(err, STATUS_DATA,
			 "--from and --to leave nothing of the run, which is %s long",
			 format_time((double)(run->end_ns - run->begin_ns), 4, length));
}

void run_slice_cut(struct walk *walk, const struct measured_run *run)
{
	const uint64_t from_ns = run->slice_begin_ns - run->begin_ns;
	const uint64_t to_ns = run->slice_end_ns - run->begin_ns;
	size_t kept = 0;

	if (!run->sliced)
		return;
	for (size_t i = 0; i < walk->segments.count; i++) {
		struct walk_segment segment = walk->segments.items[i];

		if (segment.end_ns <= from_ns || segment.start_ns >= to_ns)
			continue;
		segment.start_ns = segment.start_ns < from_ns ? from_ns : segment.start_ns;
		segment.end_ns = segment.end_ns > to_ns ? to_ns : segment.end_ns;
		walk->segments.items[kept++] = segment;
	}
	walk->segments.count = kept;
	walk->length_ns = to_ns - from_ns;
	walk_add_up(walk);
}
