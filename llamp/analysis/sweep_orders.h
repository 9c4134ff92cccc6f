/* T where the order of service is decided again at every value: `llamp sweep --resimulate`. */
#ifndef LLAMP_SWEEP_ORDERS_H
#define LLAMP_SWEEP_ORDERS_H

#include "llamp/analysis/sweep.h"

enum { SWEEP_MOST_SIMULATIONS = 100 * 1000 };

/*
 * Add the points of a range to *sweep.  Without a step T is linear between two points.  Where the
 * order changes T may jump: two points there are 1 as apart.  With a step a simulation runs for every
 * sample.  Points tell where the order is another one than at the point before.  More than
 * SWEEP_MOST_SIMULATIONS simulations are STATUS_LIMIT.
 */
int sweep_orders(struct sweep *sweep, const struct model *model, const struct sweep_range *range,
		 struct error *err);

/* Add the point `at` of a line of T.  other_order: that of struct sweep_point. */
int sweep_add_point(struct sweep *sweep, struct rational at, const struct line *line,
		    bool other_order, struct error *err);

#endif
