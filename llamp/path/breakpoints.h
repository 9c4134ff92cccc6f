/* Breakpoints: points where the slope of T changes. */
#ifndef LLAMP_BREAKPOINTS_H
#define LLAMP_BREAKPOINTS_H

#include "llamp/path/lexicographic_key.h"

/*
 * Find all breakpoints in [from, to] exactly.  The lines of T at both ends are intersected, and
 * the two halves are searched in the same way, with at most 2 k + 1 evaluations for k breakpoints
 * (halving.h).  In a large graph with possibly many breakpoints only the subgraph that determines T
 * is searched (prune.h), and if there are many, pieces of the interval have subgraphs of their
 * own.  On failure there is nothing to release.
 */
int path_breakpoints(const struct cost_graph *graph, const struct direction *direction,
		     struct rational from, struct rational to, struct breakpoints *breakpoints,
		     struct error *err);

/* Interval around p in which T follows one line, between the nearest breakpoints. */
struct critical_range {
	struct rational low, high;	/* low is 0 without a breakpoint below p */
	bool unbounded;			/* no breakpoint above p, high is not set */
	struct line lines[2];		/* of T to the right of p, and towards infinity */
};

/*
 * Find the critical range that contains `at`.  If `at` is a breakpoint, the range is the one
 * above it, whose slope is the reported one.
 */
int path_critical_range(const struct cost_graph *graph, const struct direction *direction,
			struct rational at, struct critical_range *range, struct error *err);

#endif
