/* The subgraph of a cost graph that consists of some of its edges. */
#ifndef LLAMP_SUBGRAPH_H
#define LLAMP_SUBGRAPH_H

#include "llamp/graph/cost_graph.h"

/*
 * Build the graph of the edges that `wanted` has bits for, i % 64 of wanted[i / 64] being
 * that of edge i, and that paths of such edges lead to.  It has the longest paths that they
 * have, its own expressions, and is reduced: of a long chain that is left one edge remains.
 * If no such path leads to the end, subgraph->edge_count is 0.  Linear.
 */
int subgraph_build(struct cost_graph *subgraph, const struct cost_graph *graph,
		   const uint64_t *wanted, struct error *err);

#endif
