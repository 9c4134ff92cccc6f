/*
 * Growth of a graph: how many nodes and edges it had after each number of events.  A thread is in a
 * steady state when it grows no more.
 */
#ifndef EVENTFLOW_GROWTH_H
#define EVENTFLOW_GROWTH_H

#include "trace/flow/flow.h"

/* The graph after some events, the last of which was new: a node, an edge, or both. */
struct growth_point {
	uint64_t events;
	uint32_t nodes, edges;
};

/* Zero bytes are none.  Owned. */
struct growth {
	ARRAY(struct growth_point) points; /* ascending */
	uint64_t last_node,
		last_edge; /* event, from 1, with which the last one came; 0: none did */
};

/* Find it.  Walks through the events until the last edge has been taken. */
int growth_find(struct growth *growth, const struct flow_graph *graph, struct error *err);
void growth_release(struct growth *growth);

#endif
