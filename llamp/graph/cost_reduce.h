/* From the execution to the cost graph. */
#ifndef LLAMP_COST_REDUCE_H
#define LLAMP_COST_REDUCE_H

#include "llamp/graph/cost_graph.h"

/*
 * Build the reduced graph (llamp/graph/cost_graph.h): reduce the ranks by themselves in
 * parallel (llamp/graph/cost_ranks.h), then join them at their messages in topological order.
 * The same for any number of threads.  A cycle is STATUS_DATA.
 */
int cost_reduce(struct cost_graph *graph, const struct execution *execution, struct error *err);

#endif
