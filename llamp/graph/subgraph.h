/* The subgraph of a cost graph that consists of some of its edges. */
#ifndef LLAMP_SUBGRAPH_H
#define LLAMP_SUBGRAPH_H

#include "llamp/graph/cost_graph.h"

/*
 * Build the graph of the edges with a set bit in `wanted` that paths of such edges lead to.
 * The bit of edge i is bit i % 64 of wanted[i / 64].  The graph has the longest paths of those
 * edges and its own expressions, and is reduced: one edge remains of a long chain.
 * If no such path leads to the end, subgraph->edge_count is 0.  Linear.
 */
int subgraph_build(struct cost_graph *subgraph, const struct cost_graph *graph,
		   const uint64_t *wanted, struct error *err);

#endif
