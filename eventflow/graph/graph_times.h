/* Times of the nodes and edges of each graph: sums over the threads that have it. */
#ifndef EVENTFLOW_GRAPH_TIMES_H
#define EVENTFLOW_GRAPH_TIMES_H

#include "trace/flow/flow.h"

/* Owned arrays; sums in ns, 0 without times. */
struct graph_times {
	uint32_t threads;	 /* that have the graph, of the ranks asked for; 0: none */
	uint32_t rank;		 /* the first of them */
	uint64_t *nodes, *edges; /* of the graph */
	uint64_t total;		 /* of all nodes and edges */
};

/* Sum over all ranks, or over one: an array by number of the graph. */
int graph_times_find(struct graph_times **times, const struct flow *flow, uint32_t only_rank,
		     struct error *err);
void graph_times_release(struct graph_times *times, const struct flow *flow);

#endif
