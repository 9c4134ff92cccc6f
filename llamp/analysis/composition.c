#include "llamp/analysis/composition.h"

static int ranks_by_time(const void *a, const void *b)
{
	const struct path_rank *x = a, *y = b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Add all segments, and keep the ranks that have one. */
static int sum_segments(struct composition *composition, const struct critical_path *path,
			uint32_t rank_count, struct error *err)
{
	size_t kept = 0;

	TRY(array_reserve(&composition->ranks, rank_count, err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		composition->ranks.items[rank] = (struct path_rank){.rank = rank};
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];
		const int128 length_as = segment->end_as - segment->start_as;
		struct path_rank *rank = &composition->ranks.items[segment->rank];

		rank->as[segment->category] += length_as;
		rank->all_as += length_as;
		composition->as[segment->category] += length_as;
	}
	for (uint32_t rank = 0; rank < rank_count; rank++)
		if (composition->ranks.items[rank].all_as > 0)
			composition->ranks.items[kept++] = composition->ranks.items[rank];
	composition->ranks.count = kept;
	if (kept)
		qsort(composition->ranks.items, kept, sizeof *composition->ranks.items,
		      ranks_by_time);
	return 0;
}

static int rank_switches_by_ranks(const void *a, const void *b)
{
	const struct rank_switch *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int rank_switches_by_latencies(const void *a, const void *b)
{
	const struct rank_switch *x = a, *y = b;

	if (x->lambda != y->lambda)
		return x->lambda < y->lambda ? 1 : -1;
	if (x->transfer_as != y->transfer_as)
		return x->transfer_as < y->transfer_as ? 1 : -1;
	return rank_switches_by_ranks(a, b);
}

/* Merge rank switches between the same two ranks, which follow each other. */
static void merge_rank_switches(struct composition *composition)
{
	struct rank_switch *items = composition->rank_switches.items;
	size_t kept = 0;

	for (size_t i = 0; i < composition->rank_switches.count; i++) {
		if (kept == 0 || rank_switches_by_ranks(&items[kept - 1], &items[i]) != 0) {
			items[kept++] = items[i];
			continue;
		}
		items[kept - 1].messages += items[i].messages;
		items[kept - 1].lambda += items[i].lambda;
		items[kept - 1].lambda_G += items[i].lambda_G;
		items[kept - 1].transfer_as += items[i].transfer_as;
	}
	composition->rank_switches.count = kept;
}

static int sum_messages(struct composition *composition, const struct critical_path *path,
			struct error *err)
{
	for (size_t i = 0; i < path->messages.count; i++) {
		const struct critical_message *message = &path->messages.items[i];

		TRY(array_push(&composition->rank_switches,
			       ((struct rank_switch){.from = message->from,
						     .to = message->to,
						     .messages = 1,
						     .lambda = message->lambda,
						     .lambda_G = message->lambda_G,
						     .transfer_as = message->transfer_as}),
			       err));
	}
	if (!composition->rank_switches.count)
		return 0;
	qsort(composition->rank_switches.items, composition->rank_switches.count,
	      sizeof *composition->rank_switches.items, rank_switches_by_ranks);
	merge_rank_switches(composition);
	qsort(composition->rank_switches.items, composition->rank_switches.count,
	      sizeof *composition->rank_switches.items, rank_switches_by_latencies);
	return 0;
}

int composition_find(struct composition *composition, const struct critical_path *path,
		     uint32_t rank_count, struct error *err)
{
	*composition = (struct composition){.runtime_as = path->runtime_as};
	if (sum_segments(composition, path, rank_count, err) == 0 &&
	    sum_messages(composition, path, err) == 0)
		return 0;
	composition_release(composition);
	return -1;
}

void composition_release(struct composition *composition)
{
	array_release(&composition->ranks);
	array_release(&composition->rank_switches);
}
