/*
 * The order of service: the event-driven pass over a program whose CPUs, NICs and links do one
 * thing at a time (doc/model.md, "Resources").
 *
 * Requests are served first come, first served at the given parameters.  With that order fixed
 * every event happens as early as linear bounds allow, so the pass writes a cost graph, and
 * both engines answer for it as for any other.  T at the given parameters is that of the
 * simulation; at other values it is that of the same order.
 *
 * The pass goes ahead in one thread, and another one writes the graph.
 *
 * Ranks do not advance together: each goes on as far as no other rank can have a say in its next
 * request (llamp/simulate/request_groups.h).  The result is that of serving all requests by time.
 *
 * Time: a heap operation for each request.  Both threads together execute some 1.5 times the
 * instructions of contracting a graph without resources with CPUs, 2 times with NICs, on data that
 * are scattered over the ranks (doc/architecture.md).  Memory: 16 bytes per operation, 4 more without
 * limited NICs, 48 more if causes are kept, 16 more for the times of operations, and what the cost graph
 * takes.  An entry into
 * a link is one more request, and takes 12 bytes more if causes are kept.
 */
#ifndef LLAMP_SIMULATION_H
#define LLAMP_SIMULATION_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/simulate/event_time.h"

#define NO_OP UINT32_MAX

/* An event of an operation and the bound that determined its time. */
struct cause {
	/*
	 * The event before is that of this operation, or entry into a link (execution_operation);
	 * NO_EVENT: the beginning of the program.
	 */
	uint32_t op;
	uint32_t cost_op; /* the same whose cost is between the two events; NO_OP: none */
	uint16_t class;	  /* of the cost */
	uint8_t kind;	  /* enum event_kind of the event before */
	uint8_t rule : 7; /* enum cost_rule of the cost */
	/* The end of a rendezvous send: before the cost comes the overhead of its receive, `op`. */
	bool after_receive : 1;
};

/* Kept events: start or completion; injection or arrival; match or post; wait. */
enum { CAUSES_PER_OP = 4 };

struct causes {
	uint32_t op_count;
	struct cause *of; /* CAUSES_PER_OP of every operation, 1 of every entry; owned */
	struct cause end; /* of the program */
};

void causes_release(struct causes *causes);

/* The cause of an event of an operation, or of an entry into a link. */
struct cause *cause_of(const struct causes *causes, uint32_t op, enum event_kind kind);

/*
 * Run the pass for the resources, S, protocol and values of execution->loggps, which are those of a
 * point of the direction `along`.  If that is NULL, *simulation has the time of the end without slopes,
 * and no order.  *graph and *causes are filled unless they are NULL; causes need a direction.  A cycle is
 * STATUS_DATA; times that do not fit 64 bits in units of their common divisor are STATUS_LIMIT.
 * On failure there is nothing to release.
 */
int sim_run(struct sim_result *simulation, const struct execution_graph *execution,
	    const struct direction *along, struct cost_graph *graph, struct causes *causes,
	    struct error *err);

/* Start and end of an operation in units of the pass (simulation->unit_as). */
struct sim_times {
	int64_t start, end;
};

/*
 * Run the pass as sim_run does, for the times of all operations.  *times, one of each
 * operation, is to be given to free.
 */
int sim_find_times(struct sim_times **times, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err);

/*
 * Run the pass as sim_run does, for the slack of all operations with the order of service and
 * the deciding waits fixed: how late each may be, at any of its events, without changing T.
 * (*slack)[v], in units of the pass, is to be given to free.  Memory: 40 bytes per operation and
 * 16 per bound and event, some 120 in all.
 */
int sim_find_slack(int64_t **slack, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err);

#endif
