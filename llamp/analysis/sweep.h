/* Points of T as a function of one variable p: `llamp sweep`. */
#ifndef LLAMP_SWEEP_H
#define LLAMP_SWEEP_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/analysis/order_range.h"
#include "llamp/path/path_engine.h"

/* Range with from <= to.  A step of 0 means the breakpoints. */
struct sweep_range {
	uint32_t varied;	/* index of the varied variable */
	int64_t from_as, to_as, step_as;
	bool resimulate;	/* decide the order of service again at every value */
};

struct sweep_point {
	double value_ns;	/* p in ns, or in ns per byte */
	double runtime_ns;
	double lambda;		/* slope to the right */
	double rho;		/* p lambda / T; 0 if T is 0 */
	/*
	 * With resources: not in the order range, so that T is that of an order which may be another one
	 * here; or, if the order was decided again, it is not the same as at the point before.
	 */
	bool other_order;
};

struct sweep {
	bool one_order;		/* with resources: T holds for the order of service at the given value, */
	struct order_range order;	/* which is known to be the same here */
	ARRAY(struct sweep_point) points;	/* in ascending order of p */
};

enum { SWEEP_MOST_SAMPLES = 10 * 1000 * 1000 };

/*
 * Find the points of a range.  Without a step these are the two ends and all breakpoints between
 * them.  T is linear between two such points, so they are the whole function.  With a step they
 * are from, from + step, ... up to `to`.  More than SWEEP_MOST_SAMPLES points are STATUS_LIMIT.
 * To decide the order again (llamp/analysis/sweep_orders.h) without resources is STATUS_USAGE.
 */
int sweep_run(struct sweep *sweep, const struct model *model, const struct sweep_range *range,
	      struct error *err);

void sweep_release(struct sweep *sweep);

#endif
