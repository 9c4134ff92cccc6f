/*
 * Walk through a graph in the order of the events: from each node along the edge whose set has the number of the
 * visit.
 *
 *	flow_walk_begin(&walk, graph, err);
 *	while (flow_walk_next(&walk, err) > 0)
 *		use(walk.node, walk.edge);
 *	flow_walk_release(&walk);
 */
#ifndef TRACE_FLOW_WALK_H
#define TRACE_FLOW_WALK_H

#include "trace/flow/flow.h"

enum { FLOW_NO_EDGE = UINT32_MAX };

struct flow_walk {
	const struct flow_graph *graph;
	uint32_t node, edge;   /* of the event; the edge to it, FLOW_NO_EDGE of the first */
	uint64_t visit;	       /* number of the visit of the node */
	uint64_t events;       /* so far */
	uint64_t *visits;      /* of each node so far */
	struct flow_run *runs; /* of each edge: the run of visits at hand */
	uint32_t *heaps;       /* edges of each node, as a heap by the begin of their runs */
};

int flow_walk_begin(struct flow_walk *walk, const struct flow_graph *graph, struct error *err);

/* Go to the next event.  Returns 1, 0 after the last one, -1 if the sets of a node do not divide its visits. */
int flow_walk_next(struct flow_walk *walk, struct error *err);

void flow_walk_release(struct flow_walk *walk);

#endif
