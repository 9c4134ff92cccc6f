/*
 * Tolerances where the order of service is decided again at each value (doc/model.md, "Resources").
 *
 * T is then neither convex nor continuous, and may be above the bound, below it, and above it again.
 * A tolerance is a value p at which T is the bound or above which T jumps over it:
 *
 *	(1 - TOLERANCE_ACCURACY) bound <= T(p) <= bound, or T(p) <= bound < T(p + grain)
 *
 * The grain is 1 as, or the next power of ten of which T has less than 2^60.  The tolerance is searched
 * between two values that were simulated: a lower one, at which T is within the bound, and the smallest
 * one at which it is not.  So no simulated value below p is beyond the bound.  On large graphs the search
 * for a jump ends where T(p) <= bound < T(p + p / TOLERANCE_PARTS).
 */
#ifndef LLAMP_TOLERANCE_ORDERS_H
#define LLAMP_TOLERANCE_ORDERS_H

#include "llamp/analysis/model.h"
#include "llamp/path/tolerance.h"

#define TOLERANCE_ACCURACY 1e-12
#define TOLERANCE_PARTS 1000000

/*
 * Replace tolerances, which hold for the order of service at the start of the direction, by those of
 * the order that is decided again.  `runtime_as` is T at the start.  With a baseline other than 0 the
 * bounds are relative to that; a tolerance may then be below the start, or none if T at 0 is beyond
 * the bound.  *simulations becomes the number of simulations.
 */
int tolerance_orders(struct tolerance *tolerances, size_t count, const struct model *model,
		     const struct direction *direction, uint64_t baseline_ns, int128 runtime_as,
		     uint32_t *simulations, struct error *err);

#endif
