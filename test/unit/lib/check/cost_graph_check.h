/* Comparing cost graphs. */
#ifndef TEST_COST_GRAPH_CHECK_H
#define TEST_COST_GRAPH_CHECK_H

#include "llamp/graph/cost_graph.h"

/* Check that the edges of two graphs are the same, one by one. */
void check_same_edges(const struct cost_graph *a, const struct cost_graph *b);

#endif
