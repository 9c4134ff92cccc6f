/* How far p may go while T grows by no more than given percentages. */
#ifndef LLAMP_TOLERANCE_H
#define LLAMP_TOLERANCE_H

#include "llamp/path/lexicographic_key.h"

/* `at` and `slope` are not set if it is unbounded. */
struct tolerance {
	double percent;
	bool unbounded;			/* no message ever becomes critical */
	struct rational at;		/* max{p : T(p) <= (1 + percent/100) T(p0)}, exactly */
	double value_ns, delta_ns;	/* the same, and less p0; INFINITY if unbounded */
	double slope;			/* of a line that touches T there, above 0 */
};

/*
 * Find the largest p for which T(p) <= (1 + percent/100) T(p0), for each of the
 * percentages in `tolerances`, p0 being the start of the direction; by Newton's method from
 * the right, which ends at the exact line after a few steps because T is convex.
 * Percentages are taken to 1e-9; negative ones are STATUS_USAGE.
 */
int path_tolerances(const struct cost_graph *graph, const struct direction *direction,
		    struct tolerance *tolerances, size_t count, struct error *err);

#endif
