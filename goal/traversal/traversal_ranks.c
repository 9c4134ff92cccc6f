#include "goal/traversal/traversal_ranks.h"

/* Slots that a rank begins with, if it has so many operations. */
enum { FIRST_SLOTS = 16 };

static uint32_t first_slots(const struct goal_block *block)
{
	uint32_t count = 1;

	while (count < FIRST_SLOTS && count < block->op_count)
		count *= 2;
	return count;
}

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
		rank->mask = first_slots(rank->block) - 1;
		TRY(allocate(&rank->slots, rank->mask + 1, sizeof *rank->slots, err));
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

void traversal_read_further(struct traversal_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->count; i++)
		if (ranks->of[i].read < ranks->of[i].block->op_count)
			traversal_wake(ranks, &ranks->of[i]);
}
