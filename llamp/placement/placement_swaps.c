#include "llamp/placement/placement_swaps.h"

#include <string.h>

void needs_release(struct needs *needs)
{
	flows_release(&needs->flows);
	placement_queues_release(&needs->queues);
}

void swaps_reset(struct swaps *swaps)
{
	const uint32_t slots = swaps->task->slots;
	const size_t slot_count = (size_t)swaps->task->host_count * slots;

	memset(swaps->occupant, 0, slot_count * sizeof *swaps->occupant);
	for (uint32_t rank = 0; rank < swaps->task->model->goal.rank_count; rank++) {
		uint32_t slot = swaps->placement->hosts[rank] * slots;

		while (swaps->occupant[slot])
			slot++;
		swaps->occupant[slot] = rank + 1;
		swaps->slot_of[rank] = slot;
	}
}

int swaps_open(struct swaps *swaps, const struct placement_task *task, struct placement *placement,
	       uint32_t most, struct error *err)
{
	const size_t slots = (size_t)task->host_count * task->slots;

	*swaps = (struct swaps){.task = task, .placement = placement, .most = most};
	if (allocate(&swaps->occupant, slots, sizeof *swaps->occupant, err) < 0 ||
	    allocate(&swaps->slot_of, task->model->goal.rank_count, sizeof *swaps->slot_of, err) <
		    0 ||
	    allocate(&swaps->best, most, sizeof *swaps->best, err) < 0) {
		swaps_close(swaps);
		return -1;
	}
	swaps_reset(swaps);
	return 0;
}

void swaps_close(struct swaps *swaps)
{
	free(swaps->occupant);
	free(swaps->slot_of);
	free(swaps->best);
}

/* Host of a rank if `swap` were made. */
static uint32_t host_after(const struct swaps *swaps, const struct swap *swap, uint32_t rank)
{
	const uint32_t slots = swaps->task->slots;

	if (rank == swap->rank)
		return swap->slot / slots;
	if (swaps->occupant[swap->slot] == rank + 1)
		return swaps->slot_of[swap->rank] / slots;
	return swaps->slot_of[rank] / slots;
}

/* What a swap saves on the flows of a rank; those with `other` are left out. */
static double gain_of_rank(const struct swaps *swaps, const struct flows *flows,
			   const struct swap *swap, uint32_t rank, uint32_t other)
{
	const uint32_t slots = swaps->task->slots;
	double gain = 0;

	for (uint32_t i = flows->first[rank]; i < flows->first[rank + 1]; i++) {
		const struct flow *flow = &flows->list.items[flows->of_rank[i]];
		const uint32_t *ranks = flow->ranks;

		if (ranks[0] == other || ranks[1] == other)
			continue;
		gain += flow_as(swaps->task, flow, swaps->slot_of[ranks[0]] / slots,
				swaps->slot_of[ranks[1]] / slots) -
			flow_as(swaps->task, flow, host_after(swaps, swap, ranks[0]),
				host_after(swaps, swap, ranks[1]));
	}
	return gain;
}

double swaps_gain(const struct swaps *swaps, const struct needs *needs, const struct swap *swap)
{
	const uint32_t slots = swaps->task->slots, occupant = swaps->occupant[swap->slot];
	const uint32_t other = occupant - 1; /* UINT32_MAX: nobody */
	double gain = placement_queues_gain(&needs->queues, swap->rank,
					    swaps->slot_of[swap->rank] / slots, other,
					    swap->slot / slots);

	gain += gain_of_rank(swaps, &needs->flows, swap, swap->rank, UINT32_MAX);
	if (occupant)
		gain += gain_of_rank(swaps, &needs->flows, swap, other, swap->rank);
	return gain;
}

/* Keep a swap if it is among the best. */
static void keep_swap(struct swaps *swaps, const struct swap *swap)
{
	uint32_t at = swaps->count;

	if (at == swaps->most && swaps->best[at - 1].gain_as >= swap->gain_as)
		return;
	at = at == swaps->most ? at - 1 : swaps->count++;
	for (; at > 0 && swaps->best[at - 1].gain_as < swap->gain_as; at--)
		swaps->best[at] = swaps->best[at - 1];
	swaps->best[at] = *swap;
}

/* Look at a rank and a slot. */
static void look_at_slot(struct swaps *swaps, const struct needs *needs, uint32_t rank,
			 uint32_t slot)
{
	const uint32_t slots = swaps->task->slots;
	const uint32_t occupant = swaps->occupant[slot];
	struct swap swap = {0, rank, slot};

	if (slot / slots == swaps->slot_of[rank] / slots)
		return;
	/* All free slots of a host are the same. */
	if (!occupant && slot % slots && !swaps->occupant[slot - 1])
		return;
	swap.gain_as = swaps_gain(swaps, needs, &swap);
	if (swap.gain_as > 0)
		keep_swap(swaps, &swap);
}

void swaps_look_at_rank(struct swaps *swaps, const struct needs *needs, uint32_t rank)
{
	const struct placement_task *task = swaps->task;
	const uint32_t near = placement_near_hosts(task), slots = task->slots;

	for (uint32_t i = 0; i < near; i++)
		for (uint32_t k = 0; k < slots; k++)
			look_at_slot(swaps, needs, rank, task->hosts.order[i] * slots + k);
	for (uint32_t other = 0; other < task->model->goal.rank_count; other++)
		if (task->hosts.place[swaps->slot_of[other] / slots] >= near)
			look_at_slot(swaps, needs, rank, swaps->slot_of[other]);
}

void swaps_make(struct swaps *swaps, const struct swap *swap)
{
	const uint32_t slots = swaps->task->slots;
	const uint32_t from = swaps->slot_of[swap->rank], occupant = swaps->occupant[swap->slot];

	swaps->occupant[from] = occupant;
	swaps->occupant[swap->slot] = swap->rank + 1;
	swaps->slot_of[swap->rank] = swap->slot;
	swaps->placement->hosts[swap->rank] = swap->slot / slots;
	if (occupant) {
		swaps->slot_of[occupant - 1] = from;
		swaps->placement->hosts[occupant - 1] = from / slots;
	}
}

void swaps_take(struct swaps *swaps, struct needs *needs, const struct swap *swap)
{
	const uint32_t slots = swaps->task->slots;

	placement_queues_move(&needs->queues, swap->rank, swaps->slot_of[swap->rank] / slots,
			      swaps->occupant[swap->slot] - 1, swap->slot / slots);
	swaps_make(swaps, swap);
}

int swaps_improve_rank(struct swaps *swaps, struct needs *needs, uint32_t rank)
{
	const uint32_t most = swaps->most;

	swaps->count = 0;
	swaps->most = 1;
	swaps_look_at_rank(swaps, needs, rank);
	swaps->most = most;
	if (!swaps->count)
		return 0;
	swaps_take(swaps, needs, &swaps->best[0]);
	return 1;
}
