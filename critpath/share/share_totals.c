/* Totals by function and rank, added up over all processes. */
#include "critpath/share/share_parts.h"
#include "critpath/share/share_run.h"

#include <string.h>

/* Numbers of a function that are added up. */
enum { CALLS, TIME, WAIT, NUMBERS };

static int share_functions(struct totals *totals, struct dist *dist, struct error *err)
{
	const size_t count = totals->functions.count;
	uint64_t(*numbers)[NUMBERS];
	int result = allocate(&numbers, count, sizeof *numbers, err);

	result = dist_agree(dist, result, err);
	for (size_t f = 0; result == 0 && f < count; f++) {
		numbers[f][CALLS] = totals->functions.items[f].calls;
		numbers[f][TIME] = totals->functions.items[f].ns;
		numbers[f][WAIT] = totals->functions.items[f].wait_ns;
	}
	if (result == 0)
		result = dist_allreduce(dist, *numbers, count * NUMBERS, DIST_SUM, err);
	for (size_t f = 0; result == 0 && f < count; f++) {
		totals->functions.items[f].calls = numbers[f][CALLS];
		totals->functions.items[f].ns = numbers[f][TIME];
		totals->functions.items[f].wait_ns = numbers[f][WAIT];
	}
	free(numbers);
	return result;
}

int share_ranks(const struct measured_run *run, void *ranks, size_t bytes, struct dist *dist,
		struct error *err)
{
	struct dist_arrived arrived;
	uint64_t size;

	TRY(dist_gatherv(dist, (char *)ranks + run->own_first * bytes,
			 (run->own_end - run->own_first) * bytes, &arrived, err));
	size = arrived.ends[dist->size - 1];
	/* Ranks are in the order of the processes. */
	if (size)
		memcpy(ranks, arrived.bytes, size);
	dist_arrived_release(&arrived);
	return 0;
}

static int totals_share(struct totals *totals, const struct measured_run *run, struct dist *dist,
			struct error *err)
{
	TRY(share_functions(totals, dist, err));
	return share_ranks(run, totals->ranks, sizeof *totals->ranks, dist, err);
}

int share_totals_find(struct totals *totals, const struct waits *waits, const struct walk *walk,
		      struct dist *dist, struct error *err)
{
	int result = dist_agree(dist, totals_own(totals, waits, err), err);

	if (result == 0)
		result = totals_share(totals, waits->run, dist, err);
	if (result == 0)
		totals_finish(totals, waits->run->rank_count, walk);
	else
		totals_release(totals);
	return result;
}
