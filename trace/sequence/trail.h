/*
 * Trail: the events of a thread as nodes, one after the other, and the graph that they make, with
 * times.  It is what loops are found in while or just after events happen, without the sets of
 * visits of struct flow_graph.
 */
#ifndef TRACE_TRAIL_H
#define TRACE_TRAIL_H

#include "trace/sequence/main_loop.h"

struct trail_edge {
	uint32_t to, next; /* the next edge of the node, or NO_LOOP */
	uint64_t count, time_ns;
};

struct trail_node {
	uint32_t first, last; /* of its edges by first occurrence, or NO_LOOP */
	uint32_t latest;      /* edge that was followed last */
	uint64_t visits, time_ns;
	uint64_t skipped; /* visits that are not in the log */
};

/* Zero bytes are valid. */
struct trail {
	ARRAY(struct trail_node) nodes;
	ARRAY(struct trail_edge) edges;
	struct number_map edge_of; /* from, to */
	uint32_t at;		   /* node of the last event, if there is one */
	uint64_t events;
	uint64_t begin_ns, last_ns; /* begin of the first event, end of the last one */
	ARRAY(uint32_t) log;	    /* nodes of all events, or of the last ones */
};

/*
 * Add an event at a node, whose numbers are in the order of their first visits.  *grows becomes
 * whether the node or the edge to it is new.
 */
int trail_add(struct trail *trail, uint32_t node, uint64_t enter_ns, uint64_t leave_ns, bool *grows,
	      struct error *err);

/* Forget the log.  Numbers of visits go on. */
void trail_forget(struct trail *trail);

/* The graph, without blocks and signatures, and the times of its nodes and edges.  Owned. */
struct trail_graph {
	struct flow_graph graph;
	uint64_t *node_ns, *edge_ns;
};

/* Make the graph.  Release it on failure, too. */
int trail_graph_make(struct trail_graph *made, const struct trail *trail, struct error *err);
void trail_graph_release(struct trail_graph *made);

/*
 * Begin the laps of a loop of the graph, and add the events of the log.  *before becomes the number
 * of laps that began before the event `from`, counted as `events`.
 */
int trail_laps(const struct trail *trail, struct laps *laps, const struct trail_graph *made,
	       const struct flow_loops *loops, uint32_t loop, uint64_t from, uint64_t *before,
	       struct error *err);

void trail_release(struct trail *trail);

#endif
