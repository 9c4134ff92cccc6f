/* Contraction of the execution graph to the cost graph. */
#ifndef LLAMP_CONTRACT_JOINED_H
#define LLAMP_CONTRACT_JOINED_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"

/*
 * Build the cost graph (llamp/graph/cost_graph.h): contract each rank by itself, in parallel
 * (llamp/graph/contract_ranks.h), then join the ranks at their messages in topological order.
 * The graph does not depend on the number of threads.  A cycle is STATUS_DATA.  On failure
 * there is nothing to release.
 */
int contract_joined(struct cost_graph *graph, const struct execution_graph *execution,
		    struct error *err);

#endif
