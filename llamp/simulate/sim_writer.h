/*
 * Writing the cost graph of a pass over the events (llamp/simulate/simulation.h), from what the pass
 * did, step by step.
 *
 * The pass numbers the events that are to come, and reuses the number of an event that no later
 * step needs.  An event to come has bounds: it is not before an earlier event and a cost.  Each
 * bound is an in-edge.  An event that has happened is one edge, from a vertex of its own if it
 * had several in-edges.  If it is used once, it keeps its in-edges, up to a number.  A server (a
 * CPU, or one direction of a NIC) has the edges of the event that it is free at.
 */
#ifndef LLAMP_SIM_WRITER_H
#define LLAMP_SIM_WRITER_H

#include "llamp/graph/cost_rules.h"
#include "llamp/graph/edge_merge.h"

enum step_kind {
	STEP_BOUND, /* `to` is not before `from` and the cost; NO_STEP_EVENT: the beginning */
	STEP_JOIN,  /* `to` is not before what bounds `from` */
	/*
	 * `to` happens, not before the server `from`; NO_STEP_EVENT: no server.  The server is free
	 * after the cost, and the event becomes later by another one.
	 */
	STEP_EVENT,
	STEP_EXTEND, /* `to`, which has happened, becomes later by the cost */
};

#define NO_STEP_EVENT UINT32_MAX

struct step {
	uint64_t ns; /* in addition to each cost */
	uint32_t to, from;
	uint32_t event;	      /* that `to` is: cost_event */
	uint32_t cost, later; /* numbers; `later`: the event becomes later by it */
	uint8_t kind;	      /* enum step_kind */
	bool first;	      /* bound of `to` */
	bool once;	      /* an event, or its server, is used by one later step */
};

/* The costs of all lists have numbers from 1 on.  Number 0 is no cost. */

struct step_list {
	ARRAY(struct step) steps;
	ARRAY(struct cost) costs;
};

/* An event: its first in-edge, and the list of others. */
struct written_event {
	struct in_edge edge;
	uint32_t event; /* what it is when it has happened */
};

struct sim_writer {
	struct cost_writer writer;
	struct edge_merge merge;
	ARRAY(struct written_event) events;
	struct in_edge *servers;     /* first in-edges, as of events */
	ARRAY(uint32_t) expressions; /* [number of a cost] */
};

/* End with sim_writer_finish or sim_writer_release, also on failure. */
int sim_writer_init(struct sim_writer *writer, uint32_t server_count, struct error *err);

/* Write what the steps add to the graph. */
int sim_writer_add(struct sim_writer *writer, const struct step_list *list, struct error *err);

/* Write the end of the program, which is event 0 to come, and turn all into a graph. */
int sim_writer_finish(struct sim_writer *writer, struct cost_graph *graph, struct error *err);

void sim_writer_release(struct sim_writer *writer);

#endif
