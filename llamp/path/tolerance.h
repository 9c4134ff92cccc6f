/* Tolerances: the largest p at which T has grown by no more than given percentages. */
#ifndef LLAMP_TOLERANCE_H
#define LLAMP_TOLERANCE_H

#include "llamp/path/lexicographic_key.h"

/* If it is unbounded, `at` and `slope` are not set. */
struct tolerance {
	double percent;
	bool unbounded;			/* no p reaches the percentage */
	struct rational at;		/* max{p : T(p) <= (1 + percent/100) T(p0)}, exact */
	double value_ns, delta_ns;	/* at, at - p0; INFINITY if unbounded */
	double slope;			/* above 0, of a line that touches T there */
};

/*
 * Find the largest p for which T(p) <= (1 + percent/100) T(p0), for each percentage in
 * `tolerances`.  p0 is the start of the direction.  Newton's method from the right ends at the
 * exact line after a few steps, because T is convex.  Percentages are rounded to 1e-9.  Negative
 * percentages are STATUS_USAGE.
 */
int path_tolerances(const struct cost_graph *graph, const struct direction *direction,
		    struct tolerance *tolerances, size_t count, struct error *err);

#endif
