/* From the execution to the cost graph. */
#ifndef LLAMP_CONTRACT_JOINED_H
#define LLAMP_CONTRACT_JOINED_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"

/*
 * Build the reduced graph (llamp/graph/cost_graph.h): reduce the ranks by themselves in
 * parallel (llamp/graph/contract_ranks.h), then join them at their messages in topological order.
 * The same for any number of threads.  A cycle is STATUS_DATA.
 */
int contract_joined(struct cost_graph *graph, const struct execution_graph *execution,
		    struct error *err);

#endif
