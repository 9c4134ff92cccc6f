/*
 * Subgraph of a cost graph that determines T in an interval: the edges with paths that are
 * not below all limits (llamp/path/bounds.h).
 *
 * The longest path through an edge is measured by the longest ones to it and from it on,
 * at many points in one pass.  Lengths are floats that are rounded up: an edge is left out
 * only where it is certain to be below.
 */
#ifndef LLAMP_PRUNE_H
#define LLAMP_PRUNE_H

#include "llamp/graph/cost_graph.h"
#include "llamp/network/direction.h"
#include "llamp/path/bounds.h"

/* Whether pruning with `count` points takes little memory compared with the graph. */
bool prune_fits(const struct cost_graph *graph, size_t count);

/*
 * Set the limits, and build *part of the edges that are not below all of them, to be
 * released with cost_graph_release.  There is none, and part->edge_count is 0, if they are
 * more than `most` edges, or seem to be when a part of the graph has been searched, or if
 * the limits were guessed so badly that no path is left.
 */
int prune_graph(struct cost_graph *subgraph, const struct cost_graph *graph,
		const struct direction *direction, struct bounds *bounds, uint64_t most,
		struct error *err);

#endif
