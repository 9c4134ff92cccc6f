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

struct flow_walk_node {
	uint64_t visits; /* so far */
	uint64_t
		until; /* the edge is followed after all visits from the last one on, before this one */
	uint32_t edge, to; /* and leads to this node */
};

struct flow_walk {
	const struct flow_graph *graph;
	uint32_t node, edge; /* of the event; the edge to it, FLOW_NO_EDGE of the first */
	uint64_t visit;	     /* number of the visit of the node */
	uint64_t events;     /* so far */
	struct flow_walk_node *nodes;
	struct flow_run *runs; /* of each edge: the run of visits at hand */
	uint32_t *heaps;       /* edges of each node, as a heap by the begin of their runs */
};

int flow_walk_begin(struct flow_walk *walk, const struct flow_graph *graph, struct error *err);

/* Find the edge that is followed now, for flow_walk_next. */
int flow_walk_find_edge(struct flow_walk *walk, struct error *err);

/* Go to the next event.  Returns 1, 0 after the last one, -1 if the sets of a node do not divide its visits. */
static inline int flow_walk_next(struct flow_walk *walk, struct error *err)
{
	if (walk->events == walk->graph->events)
		return 0;
	if (walk->events) {
		const struct flow_walk_node *from = &walk->nodes[walk->node];

		if (walk->visit >= from->until)
			TRY(flow_walk_find_edge(walk, err));
		walk->edge = from->edge;
		walk->node = from->to;
	}
	walk->visit = walk->nodes[walk->node].visits++;
	walk->events++;
	return 1;
}

void flow_walk_release(struct flow_walk *walk);

#endif
