/*
 * Swaps of a placement (llamp/placement/placement.h): two ranks on different hosts, or a rank and a free
 * slot, change places.  What a swap saves is an estimate, from flows and waits at NICs.
 */
#ifndef LLAMP_PLACEMENT_SWAPS_H
#define LLAMP_PLACEMENT_SWAPS_H

#include "llamp/placement/placement.h"
#include "llamp/placement/placement_flows.h"
#include "llamp/placement/placement_queues.h"

/* What a swap changes. */
struct needs {
	struct flows flows;
	struct placement_queues queues;
};

void needs_release(struct needs *needs);

/* A rank, and the slot to which it goes.  Slots are numbered host by host. */
struct swap {
	double gain_as;
	uint32_t rank, slot;
};

/* Slots of the ranks of a placement, and the best swaps of them. */
struct swaps {
	const struct placement_task *task;
	struct placement *placement; /* its hosts follow the slots */
	uint32_t *occupant;	     /* [slot]: a rank + 1, or 0: free; owned */
	uint32_t *slot_of;	     /* [rank]; owned */
	struct swap *best;	     /* by gain, the largest first; owned */
	uint32_t most, count;	     /* of best */
};

/* Give each rank a slot of its host.  most: number of best swaps to keep.  End with swaps_close. */
int swaps_open(struct swaps *swaps, const struct placement_task *task, struct placement *placement,
	       uint32_t most, struct error *err);
void swaps_close(struct swaps *swaps);

/* Give each rank a slot of its host anew, after the hosts have changed. */
void swaps_reset(struct swaps *swaps);

/* Keep swaps of a rank with slots of other hosts that are near, or have a rank, if they are among the best. */
void swaps_look_at_rank(struct swaps *swaps, const struct needs *needs, uint32_t rank);

/* Find the swap of a rank that saves most, and make it if it saves anything.  Returns 1 if so. */
int swaps_improve_rank(struct swaps *swaps, struct needs *needs, uint32_t rank);

/* Estimate what a swap saves in all, in as. */
double swaps_gain(const struct swaps *swaps, const struct needs *needs, const struct swap *swap);

/* Make a swap; swaps_take also moves the loads of NICs. */
void swaps_make(struct swaps *swaps, const struct swap *swap);
void swaps_take(struct swaps *swaps, struct needs *needs, const struct swap *swap);

#endif
