/*
 * A good mapping to begin a descent with (llamp/placement/placement.h): the sum of the times of all
 * messages and of the waits at NICs becomes small, which needs no longest path.
 */
#ifndef LLAMP_PLACEMENT_SETTLE_H
#define LLAMP_PLACEMENT_SETTLE_H

#include "llamp/placement/placement_swaps.h"

/* Settle the ranks, unless T becomes larger than that of the placement.  Computes T once. */
int placement_settle(struct swaps *swaps, uint64_t seed, struct error *err);

#endif
