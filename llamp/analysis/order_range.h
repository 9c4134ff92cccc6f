/*
 * The values of a variable for which the requests of a program are served in the same order as
 * at the given parameters (doc/model.md, "Resources"), and T where that order is decided again.
 */
#ifndef LLAMP_ORDER_RANGE_H
#define LLAMP_ORDER_RANGE_H

#include "llamp/analysis/model.h"
#include "llamp/simulate/event_time.h"

/*
 * In as.  An end is exact if another request is served first beyond it; otherwise the order
 * holds at least up to there.  high_as is INT64_MAX if the order holds for all larger values.
 */
struct order_range {
	int64_t low_as, high_as;
	bool low_exact, high_exact;
};

/*
 * Decide the order of service again at a point p of a direction.  *simulation becomes the result of the
 * simulation, with slopes along the direction.  The model has resources.
 */
int order_simulate(struct sim_result *simulation, const struct model *model,
		   const struct direction *direction, int64_t p_as, struct error *err);

/* Decide it for T alone, in as, which takes two thirds of the time. */
int order_runtime(__int128 *runtime_as, const struct model *model,
		  const struct direction *direction, int64_t p_as, struct error *err);

/*
 * The range that the simulation at the start of the direction tells without another one.  It ends
 * where any event is bounded by another one, so most ends are not exact.
 */
struct order_range order_range_of(const struct sim_result *simulation,
				  const struct direction *direction);

/*
 * Find the ends by further simulations, one thread for each end.  Ends are exact unless a large graph
 * would need too many simulations.
 */
int order_range_find(struct order_range *range, const struct model *model,
		     const struct direction *direction, struct error *err);

#endif
