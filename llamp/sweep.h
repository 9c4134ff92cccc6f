/*
 * T as a function of L, as points: `llamp sweep`.
 */
#ifndef LLAMP_SWEEP_H
#define LLAMP_SWEEP_H

#include "common/array.h"
#include "llamp/model_options.h"
#include "llamp/path_engine.h"

struct sweep_point {
	double latency_ns;
	double runtime_ns;
	double lambda_L;	/* right slope */
	double rho_L;		/* L lambda_L / T; 0 if T is 0 */
};

struct sweep {
	ARRAY(struct sweep_point) points;	/* in ascending order of L */
};

enum { SWEEP_MOST_SAMPLES = 10 * 1000 * 1000 };

/*
 * All critical latencies in [from, to] and the two ends: between two points T is a
 * straight line, so these points are the whole function.
 */
int sweep_breakpoints(struct sweep *sweep, const struct model *model, int64_t from_as,
		      int64_t to_as, struct error *err);

/*
 * The points from, from + step, ... up to `to`; the step is positive.  More than
 * SWEEP_MOST_SAMPLES points are STATUS_LIMIT.
 */
int sweep_samples(struct sweep *sweep, const struct model *model, int64_t from_as, int64_t to_as,
		  int64_t step_as, struct error *err);

void sweep_release(struct sweep *sweep);

#endif
