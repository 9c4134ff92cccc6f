/*
 * Start and end of each operation, and the event that decides it.
 *
 * Times are the lengths of longest paths to the events of the execution graph.  The caller
 * gives the weights of costs: attoseconds for values of the variables (event_times_weights), or
 * anything else that adds up and compares, such as the keys of the path engine
 * (llamp/path/lexicographic_key.h).
 *
 * Memory: 21 bytes per operation, 4 more with the order of the starts.
 */
#ifndef LLAMP_EVENT_TIMES_H
#define LLAMP_EVENT_TIMES_H

#include "llamp/graph/execution_graph.h"

/*
 * Weights of costs.  Of the plain class: rules[r] + bytes * per_byte[r] + size * per_size[r] +
 * ns * per_ns.
 */
struct cost_weights {
	__int128 per_ns, rules[COST_RULE_COUNT], per_byte[COST_RULE_COUNT],
		per_size[COST_RULE_COUNT];
	/* Of the other classes: */
	__int128 of_variables[VARIABLES_MOST];
	const struct message_class *classes; /* not owned */
};

/* Weights of costs for weights of the variables.  event_times_find sets the classes. */
struct cost_weights cost_weights_of(__int128 per_ns, const __int128 of_variables[VARIABLES_MOST]);

/* Weights in attoseconds, for the values of the variables. */
struct cost_weights event_times_weights(const struct loggps *loggps);

/* Weight of a cost whose class is not the plain one. */
__int128 cost_weigh_class(const struct cost_weights *weights, const struct cost *cost);

static inline __int128 cost_weigh(const struct cost_weights *weights, const struct cost *cost)
{
	if (cost->class)
		return cost_weigh_class(weights, cost);
	return weights->per_ns * cost->ns + weights->rules[cost->rule] +
	       weights->per_byte[cost->rule] * cost->bytes +
	       weights->per_size[cost->rule] * cost->size;
}

struct event_times {
	const struct execution_graph *execution; /* not owned */
	struct cost_weights weights;
	/*
	 * [operation]: of a calc, its start.  Of a send or a receive, the earliest time of the
	 * match as far as this operation decides: its start + the cost of its edge to the match.
	 */
	__int128 *latest;
	uint32_t *before;    /* [operation]: event that decides its start, or NO_EVENT */
	uint8_t *by_sender;  /* [receive]: its message came later than the receive */
	__int128 end;	     /* of the program; 0 without operations */
	uint32_t before_end; /* event that decides it */
	/*
	 * Operations in the order in which the starts were visited, a topological one.  A match comes
	 * after the start of its second operation.  NULL if it was not asked for.
	 */
	uint32_t *order;
};

/*
 * Find all times, in linear time.  The graph must be acyclic and outlive *times.  On failure
 * there is nothing to release.
 */
int event_times_find(struct event_times *times, const struct execution_graph *execution,
		     const struct cost_weights *weights, struct error *err);
void event_times_release(struct event_times *times);

/* The same, and keep the order of the starts. */
int event_times_find_in_order(struct event_times *times, const struct execution_graph *execution,
			      const struct cost_weights *weights, struct error *err);

/* Start and end of an operation. */
__int128 event_times_start(const struct event_times *times, const struct located *at);
__int128 event_times_end(const struct event_times *times, const struct located *at);

/* Number of the event that decides another one, or NO_EVENT for the beginning of the program. */
uint32_t event_times_event_before(const struct event_times *times, struct event event);

#endif
