#include "goal/traversal/traversal_ranks.h"

enum { FIRST_SLOTS = 16 };

int traversal_ranks_init(struct traversal_ranks *ranks, const struct goal *goal, uint32_t first,
			 uint32_t count, struct error *err)
{
	*ranks = (struct traversal_ranks){.first = first, .count = count};
	TRY(allocate(&ranks->of, count, sizeof *ranks->of, err));
	TRY(allocate(&ranks->ends, count, sizeof *ranks->ends, err));
	TRY(allocate(&ranks->queue, count, sizeof *ranks->queue, err));
	for (uint32_t i = 0; i < count; i++) {
		struct traversal_rank *rank = &ranks->of[i];

		rank->block = &goal->ranks[first + i];
		rank->mask = FIRST_SLOTS - 1;
		TRY(allocate(&rank->slots, FIRST_SLOTS, sizeof *rank->slots, err));
	}
	return 0;
}

void traversal_ranks_release(struct traversal_ranks *ranks)
{
	for (uint32_t i = 0; ranks->of && i < ranks->count; i++)
		free(ranks->of[i].slots);
	free(ranks->of);
	free(ranks->ends);
	free(ranks->queue);
}

int traversal_rank_grow_(struct traversal_rank *rank, uint32_t index, struct error *err)
{
	const uint64_t known = (uint64_t)rank->mask + 1;
	uint64_t count = known;
	struct slot *slots;

	while (count <= index - rank->first)
		count *= 2;
	TRY(allocate(&slots, count, sizeof *slots, err));
	for (uint64_t i = rank->first; i < rank->first + known; i++)
		slots[i & (count - 1)] = rank->slots[i & rank->mask];
	free(rank->slots);
	rank->slots = slots;
	rank->mask = (uint32_t)(count - 1);
	return 0;
}
