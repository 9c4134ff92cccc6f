/*
 * Subgraph of a cost graph that determines T in an interval: the edges on paths that are not
 * below all limits (llamp/path/bounds.h).
 *
 * The longest path through an edge consists of the longest path to it, the edge, and the longest
 * path from it to the end.  A pass finds their lengths at many points.  Lengths are floats that
 * are rounded up, so an edge is left out only if it is certain that all its paths are below.
 */
#ifndef LLAMP_PRUNE_H
#define LLAMP_PRUNE_H

#include "llamp/graph/cost_graph.h"
#include "llamp/network/direction.h"
#include "llamp/path/bounds.h"

/* Whether pruning with `count` points takes little memory compared with the graph. */
bool prune_fits(const struct cost_graph *graph, size_t count);

/*
 * Set the limits of *bounds, and build *subgraph of the edges that are not below all of them.
 * Release it with cost_graph_release.  subgraph->edge_count is 0 if there is no subgraph: if it
 * would have more than `most` edges, by count or by an estimate from a part of the graph, or if
 * the limits are so high that no path is left.
 */
int prune_graph(struct cost_graph *subgraph, const struct cost_graph *graph,
		const struct direction *direction, struct bounds *bounds, uint64_t most,
		struct error *err);

#endif
