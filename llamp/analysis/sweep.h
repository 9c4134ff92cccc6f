/*
 * T as a function of one variable p, as points: `llamp sweep`.
 */
#ifndef LLAMP_SWEEP_H
#define LLAMP_SWEEP_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/path/path_engine.h"

/* A question: from <= to; a step of 0 asks for the breakpoints. */
struct sweep_range {
	uint32_t varied;	/* variable */
	int64_t from_as, to_as, step_as;
};

struct sweep_point {
	double value_ns;	/* of p; if it is G, in ns per byte */
	double runtime_ns;
	double lambda;		/* right slope */
	double rho;		/* p lambda / T; 0 if T is 0 */
};

struct sweep {
	ARRAY(struct sweep_point) points;	/* in ascending order of p */
};

enum { SWEEP_MOST_SAMPLES = 10 * 1000 * 1000 };

/*
 * Without a step, all breakpoints in [from, to] and the two ends: between two points T is
 * a straight line, so these points are the whole function.  With one, the points from,
 * from + step, ... up to `to`; more than SWEEP_MOST_SAMPLES are STATUS_LIMIT.
 */
int sweep_run(struct sweep *sweep, const struct model *model, const struct sweep_range *range,
	      struct error *err);

void sweep_release(struct sweep *sweep);

#endif
