/* Tolerances: the largest p at which T is no more than given percentages above a baseline. */
#ifndef LLAMP_TOLERANCE_H
#define LLAMP_TOLERANCE_H

#include "llamp/path/lexicographic_key.h"

/* If it is unbounded or none, `at` and `slope` are not set. */
struct tolerance {
	double percent;
	bool unbounded;			/* no p reaches the bound */
	bool none;			/* T at p = 0 is above the bound */
	struct rational at;		/* max{p : T(p) <= (1 + percent/100) baseline}, exact */
	double value_ns, delta_ns;	/* at, at - p0; INFINITY if unbounded, -INFINITY if none */
	double slope;			/* above 0, of a line that touches T there */
};

/*
 * Find the largest p >= 0 for which T(p) <= (1 + percent/100) baseline, for each percentage in
 * `tolerances`.  A baseline of 0 is T(p0), where p0 is the start of the direction.  p is below p0
 * if T(p0) is above the bound.  Without such a p the tolerance is none.  Newton's method from the
 * right ends at the exact line after a few steps, because T is convex.  Percentages are rounded to
 * 1e-9.  Negative percentages are STATUS_USAGE.
 */
int path_tolerances(const struct cost_graph *graph, const struct direction *direction,
		    uint64_t baseline_ns, struct tolerance *tolerances, size_t count,
		    struct error *err);

/* The same if the lines of T to the right of p0 and towards infinity are known. */
int path_tolerances_from(const struct cost_graph *graph, const struct direction *direction,
			 const struct line lines[2], uint64_t baseline_ns,
			 struct tolerance *tolerances, size_t count, struct error *err);

/* Set *factor to 1 + percent/100, with the percentage rounded to 1e-9. */
int tolerance_factor(double percent, struct rational *factor, struct error *err);

/* Set where a tolerance is, and how far from p0. */
void tolerance_set(struct tolerance *tolerance, struct rational at, int64_t start_as);

#endif
