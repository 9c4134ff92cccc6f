/* Subgraph of some edges of a cost graph. */
#ifndef LLAMP_SUBGRAPH_H
#define LLAMP_SUBGRAPH_H

#include "llamp/graph/cost_graph.h"

/*
 * Build the subgraph of the wanted edges: those with bit i % 64 of wanted[i / 64] set, where i
 * is the number of the edge.  Edges that no path of wanted edges reaches are left out.  The
 * subgraph has its own expressions, and is contracted like the graph.  If no path of wanted
 * edges leads to the end, subgraph->edge_count is 0.  Linear.
 */
int subgraph_build(struct cost_graph *subgraph, const struct cost_graph *graph,
		   const uint64_t *wanted, struct error *err);

#endif
