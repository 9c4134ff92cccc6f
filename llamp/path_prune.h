/*
 * The part of a cost graph that matters between points at which the line of T is known.
 *
 * Between two such points a < b, T lies on or above the lines that it follows at both.
 * The longest path through an edge is a convex function of the parameter that nowhere
 * exceeds T: between a and b it lies below its chord, which begins and ends below T.  At
 * the point where a chord lies below both lines it is below one of them on either side,
 * so no path through the edge is a longest one in between.  Without all such edges T is
 * the same there, as are the lines that it follows.
 *
 * Chords are computed in doubles, from the longest paths to and from every vertex at both
 * points.  A bound on what rounding may have lost is taken off the lines, so that an edge
 * is left out only where it is certain not to matter.
 */
#ifndef LLAMP_PATH_PRUNE_H
#define LLAMP_PATH_PRUNE_H

#include "llamp/path_engine.h"

/* From low to high, where T follows `begin` and `end`, which are different lines. */
struct path_interval {
	struct rational low, high;
	struct line begin, end;
};

/* Whether pruning takes little memory compared with the graph. */
bool path_prune_fits(const struct cost_graph *graph);

/*
 * Make *part of the edges of *graph that matter in one of the intervals, at least one,
 * which are disjoint and ascend.  Points inside them have the same lines in both graphs;
 * at their ends T is the same.  The part refers to the forms of *graph.
 */
int path_prune(struct cost_graph *part, const struct cost_graph *graph,
	       const struct loggps *loggps, enum parameter parameter,
	       const struct path_interval *intervals, size_t count, struct error *err);

/* Release what path_prune made. */
void path_prune_release(struct cost_graph *part);

#endif
