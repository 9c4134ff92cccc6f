/* From the execution to the cost graph. */
#ifndef LLAMP_COST_REDUCE_H
#define LLAMP_COST_REDUCE_H

#include "llamp/cost_graph.h"

/*
 * Build the reduced graph (llamp/cost_graph.h) in one visit of the execution: the
 * graph that is not reduced is never stored.  A cycle is STATUS_DATA.
 */
int cost_reduce(struct cost_graph *graph, const struct execution *execution, struct error *err);

#endif
