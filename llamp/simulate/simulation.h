/*
 * Simulation of a program whose CPUs, NICs and links do one thing at a time, event by event
 * (doc/model.md, "Resources").
 *
 * Resource requests are served first come, first served at the given parameters.  With this order
 * of service fixed each event is a maximum of sums.  So the simulation can write a cost graph, for
 * which both engines answer as for any other.  At the given parameters T of the graph is that of
 * the simulation.  At other values it is T of the same order.
 *
 * One thread simulates, another one writes the graph.  Ranks do not advance together: each goes on
 * until another rank may have a say in its next request (llamp/simulate/request_groups.h).  The
 * result is that of serving all requests by time.
 *
 * Time: a heap operation for each resource request.  Compared with the traversal of a program
 * without resources, both threads together execute 2 to 3 times the instructions, with slopes.
 * Their data are scattered over the ranks (doc/architecture.md).
 *
 * Memory in bytes: 16 per operation, 4 more without limited NICs, 48 more for causes, 16 more for
 * times of operations, and the cost graph.  An entry into a link is one request more, and takes 12
 * bytes for its cause.
 */
#ifndef LLAMP_SIMULATION_H
#define LLAMP_SIMULATION_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/simulate/event_time.h"

#define NO_OP UINT32_MAX

/* Bound that determined the time of an event: an event before it, and a cost between the two. */
struct cause {
	/*
	 * Operation of the event before, or entry into a link (execution_operation); NO_EVENT: the
	 * start of the program.
	 */
	uint32_t op;
	uint32_t cost_op; /* operation or entry that has the cost; NO_OP: no cost */
	uint16_t class;	  /* of the cost */
	uint8_t kind;	  /* enum event_kind of the event before */
	uint8_t rule : 7; /* enum cost_rule of the cost */
	/* End of a rendezvous send: the overhead of receive `op` precedes the cost. */
	bool after_receive : 1;
};

/* Events with causes: start or completion; injection or arrival; match or post; wait. */
enum { CAUSES_PER_OP = 4 };

struct causes {
	uint32_t op_count;
	struct cause
		*of; /* CAUSES_PER_OP of each operation, then 1 of each entry into a link; owned */
	struct cause end; /* of the program */
};

void causes_release(struct causes *causes);

/* Return the cause of event `kind` of operation `op`, or of entry `op` into a link. */
struct cause *cause_of(const struct causes *causes, uint32_t op, enum event_kind kind);

/*
 * Simulate a program with the resources, S, protocol and values of execution->loggps, which are
 * those of a point of direction `along`.  Without a direction *simulation has only the time of the
 * end.  *graph and *causes are filled unless they are NULL.  Causes need a direction.  On failure
 * there is nothing to release.
 *
 * Errors: a cycle is STATUS_DATA.  Times that do not fit 64 bits in units of simulation->unit_as
 * are STATUS_LIMIT.
 */
int sim_run(struct sim_result *simulation, const struct execution_graph *execution,
	    const struct direction *along, struct cost_graph *graph, struct causes *causes,
	    struct error *err);

/* Start and end of an operation, in units of simulation->unit_as. */
struct sim_times {
	int64_t start, end;
};

/* Simulate as sim_run does, and find (*times)[operation].  The caller frees *times. */
int sim_find_times(struct sim_times **times, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err);

/*
 * Simulate as sim_run does, and find (*slack)[operation], in units of simulation->unit_as: how late
 * the operation may be, at any of its events, without changing T.  The order of service is fixed,
 * and so are the waits in which receives complete.  The caller frees *slack.
 *
 * Memory: 40 bytes per operation, and 16 per bound and event, some 120 in all.
 */
int sim_find_slack(int64_t **slack, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err);

#endif
