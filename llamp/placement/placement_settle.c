#include "llamp/placement/placement_settle.h"

#include "common/hash.h"

#include <math.h>
#include <string.h>

/* Propose a rank, and most often a slot near a rank that it communicates with. */
static struct swap propose(const struct swaps *swaps, const struct flows *flows, uint64_t chance)
{
	enum { ELSEWHERE = 16 }; /* each 16th slot is any one */
	const struct placement_hosts *hosts = &swaps->task->hosts;
	const uint32_t slots = swaps->task->slots;
	const struct flow *flow = &flows->list.items[chance % flows->list.count];
	const int end = chance >> 40 & 1;
	const uint32_t place = hosts->place[swaps->slot_of[flow->ranks[!end]] / slots];
	uint32_t host;

	chance = mix64(chance);
	if (place < hosts->count && chance % ELSEWHERE)
		host = hosts->near[(size_t)place * hosts->each + (chance >> 8) % hosts->each];
	else
		host = hosts->order[(chance >> 8) % hosts->count];
	return (struct swap){0, flow->ranks[end],
			     host * slots + (uint32_t)((chance >> 40) % slots)};
}

/*
 * Take the swaps that are proposed and add no more than a threshold to the sum of all messages.  The
 * threshold falls to 0 (G. Dueck, T. Scheuer: "Threshold accepting", 1990).  It begins with half of
 * the mean change by the first proposals, which are not taken.
 */
static void anneal(struct swaps *swaps, struct needs *needs, uint64_t seed)
{
	enum { PROPOSALS_PER_RANK = 10000, SHARE_OF_FIRST = 100 };
	const uint64_t count = (uint64_t)PROPOSALS_PER_RANK * swaps->task->model->goal.rank_count;
	const uint64_t first = count / SHARE_OF_FIRST;
	double changes_as = 0;

	for (uint64_t i = 0; needs->flows.list.count && i < count; i++) {
		struct swap swap = propose(swaps, &needs->flows, mix64(seed + i));
		const double left = 1 - (double)i / (double)count;

		if (swap.slot / swaps->task->slots ==
		    swaps->slot_of[swap.rank] / swaps->task->slots)
			continue;
		swap.gain_as = swaps_gain(swaps, needs, &swap);
		if (i < first)
			changes_as += fabs(swap.gain_as);
		else if (-swap.gain_as <= left * left * changes_as / (double)(2 * first))
			swaps_take(swaps, needs, &swap);
	}
}

static int find_needs(struct needs *needs, const struct swaps *swaps,
		      const struct placed_model *placed, struct error *err)
{
	const struct placement *placement = swaps->placement;

	TRY(placement_queues_find(&needs->queues, &placed->model, placement->hosts,
				  swaps->task->host_count, err));
	placement_queues_of_all(&needs->queues, placement->runtime_as);
	if (flows_of_all(&needs->flows, swaps->task, placed, err) == 0)
		return 0;
	placement_queues_release(&needs->queues);
	return -1;
}

/* Make the sum small: by chance first, then by the best swap of each rank in turn. */
static void shorten_sum(struct swaps *swaps, struct needs *needs, uint64_t seed)
{
	enum { MOST_SWEEPS = 100 };
	const uint32_t ranks = swaps->task->model->goal.rank_count;

	anneal(swaps, needs, seed);
	for (int sweep = 0, moved = 1; moved && sweep < MOST_SWEEPS; sweep++) {
		moved = 0;
		for (uint32_t rank = 0; rank < ranks; rank++)
			moved += swaps_improve_rank(swaps, needs, rank);
	}
}

static int settle_ranks(struct swaps *swaps, uint64_t seed, struct error *err)
{
	struct placed_model placed;
	struct needs needs;
	int result;

	TRY(placed_model_open(&placed, swaps->task, swaps->placement->hosts, err));
	result = find_needs(&needs, swaps, &placed, err);
	if (result == 0) {
		shorten_sum(swaps, &needs, seed);
		needs_release(&needs);
	}
	placed_model_close(&placed);
	return result;
}

int placement_settle(struct swaps *swaps, uint64_t seed, struct error *err)
{
	const size_t bytes = swaps->task->model->goal.rank_count * sizeof(uint32_t);
	struct placement *placement = swaps->placement;
	__int128 runtime_as;
	uint32_t *before;
	int result;

	TRY(allocate(&before, bytes, 1, err));
	memcpy(before, placement->hosts, bytes);
	result = settle_ranks(swaps, seed, err);
	if (result == 0)
		result = placement_runtime(swaps->task, placement->hosts, &runtime_as, err);
	if (result == 0 && runtime_as <= placement->runtime_as) {
		placement->runtime_as = runtime_as;
	} else {
		memcpy(placement->hosts, before, bytes);
		swaps_reset(swaps);
	}
	free(before);
	return result;
}
