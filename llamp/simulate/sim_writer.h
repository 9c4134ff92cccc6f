/*
 * Writer of the cost graph of a simulation (llamp/simulate/simulation.h), step by step.
 *
 * A pending event is not before an earlier event and a cost: each such bound is an in-edge.  The
 * simulation numbers pending events, and reuses a number that no later step needs.  An event that
 * has happened is one edge, from a vertex of its own if it had several in-edges.  If one later step
 * uses it, it keeps its in-edges, up to a number.  A server (a CPU, or one direction of a NIC or
 * link) has the in-edges of the event from which on it is free.
 */
#ifndef LLAMP_SIM_WRITER_H
#define LLAMP_SIM_WRITER_H

#include "llamp/graph/cost_rules.h"
#include "llamp/graph/edge_merge.h"

enum step_kind {
	STEP_BOUND, /* `to` is not before `from` and the cost; NO_STEP_EVENT: program start */
	STEP_JOIN,  /* the bounds of `from` become bounds of `to` */
	/*
	 * `to` happens, not before server `from` is free; NO_STEP_EVENT: no server.  The server is
	 * free again after `cost`, and the event becomes later by `later`.
	 */
	STEP_EVENT,
	STEP_EXTEND, /* `to`, which has happened, becomes later by `later` */
};

#define NO_STEP_EVENT UINT32_MAX

struct step {
	uint64_t ns; /* in addition to each cost */
	uint32_t to, from;
	uint32_t event;	      /* cost_event that `to` becomes */
	uint32_t cost, later; /* numbers of costs; 0: none */
	uint8_t kind;	      /* enum step_kind */
	bool first;	      /* `to` has no bound yet */
	bool once;	      /* one later step uses the event, or its server */
};

/* Steps and new costs.  Costs are numbered from 1 on over all lists.  Number 0 is no cost. */
struct step_list {
	ARRAY(struct step) steps;
	ARRAY(struct cost) costs;
};

/*
 * In-edges of a pending event or a server: the first one, and a list of others.  An edge is added
 * behind the first one, but before it once the others are longer by something.
 */
struct edge_list {
	struct in_edge edge; /* `next`: the list of the others, in `lists` */
	/* The others are longer by these than their lists say, so that all get longer at once. */
	uint64_t rest_ns;
	uint32_t rest; /* expression */
	uint32_t others;
};

/* Pending event. */
struct written_event {
	struct edge_list in;
	uint32_t event; /* cost_event, when it has happened */
};

struct sim_writer {
	struct cost_writer writer;
	struct edge_merge merge;
	ARRAY(struct written_event) events;
	struct edge_list *servers;     /* [server] */
	ARRAY(struct edge_list) lists; /* item 0 is not used */
	uint32_t unused;	       /* first of the free lists, or 0 */
	ARRAY(uint32_t) expressions;   /* [number of a cost] */
};

/* Begin a graph of `server_count` servers.  End with sim_writer_release, also on failure. */
int sim_writer_init(struct sim_writer *writer, uint32_t server_count, struct error *err);

/* Add steps to the graph, in the order of the simulation. */
int sim_writer_add(struct sim_writer *writer, const struct step_list *list, struct error *err);

/* Write the end of the program, which is pending event 0, and fill *graph. */
int sim_writer_finish(struct sim_writer *writer, struct cost_graph *graph, struct error *err);

void sim_writer_release(struct sim_writer *writer);

#endif
