/*
 * Points where the slope of T changes: all breakpoints of an interval, and the nearest around
 * a point.
 */
#ifndef LLAMP_BREAKPOINTS_H
#define LLAMP_BREAKPOINTS_H

#include "llamp/path/lexicographic_key.h"

/*
 * Find all points in [from, to] at which the slope changes, exactly: the lines at
 * both ends are intersected, and the halves searched in turn (at most 2 k + 1
 * evaluations for k points), all that are known to be needed in one call.  Where
 * there may be many in a large graph, that is done in the small part of it that
 * matters (llamp/path/prune.h).  On failure there is nothing to release.
 */
int path_breakpoints(const struct cost_graph *graph, const struct direction *direction,
		     struct rational from, struct rational to, struct breakpoints *breakpoints,
		     struct error *err);

/* The interval around p in which T follows one line, between the nearest breakpoints. */
struct critical_range {
	struct rational low, high;	/* low is 0 where T never bends below */
	bool unbounded;			/* T never bends above: high is not set */
};

/*
 * Find the critical range that holds `at` (at a kink: the one above it, as the right
 * slope is the one that is reported).
 */
int path_critical_range(const struct cost_graph *graph, const struct direction *direction,
			struct rational at, struct critical_range *range, struct error *err);

#endif
