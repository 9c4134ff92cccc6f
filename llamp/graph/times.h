/*
 * When every operation starts and ends, and which event decides it.
 *
 * Times are the longest paths to the events of the execution graph.  Costs are weighed by the
 * caller: in attoseconds for given variables (times_weights), or in anything else that adds up
 * and compares, such as the keys of the path engine (llamp/path/lexicographic_key.h).
 *
 * 21 bytes per operation.
 */
#ifndef LLAMP_TIMES_H
#define LLAMP_TIMES_H

#include "llamp/graph/execution_graph.h"

/* Weights of costs: rules[r] + bytes * per_byte[r] + ns * per_ns. */
struct cost_weights {
	__int128 per_ns, rules[COST_RULE_COUNT], per_byte[COST_RULE_COUNT];
};

/* Weights of costs for weights of the variables. */
struct cost_weights cost_weights_of(__int128 per_ns, const __int128 of_variables[LOGGPS_COUNT]);

/* Weights in attoseconds, for the values of the variables. */
struct cost_weights times_weights(const struct loggps *loggps);

static inline __int128 cost_weigh(const struct cost_weights *weights, const struct cost *cost)
{
	return weights->per_ns * cost->ns + weights->rules[cost->rule] +
	       weights->per_byte[cost->rule] * cost->bytes;
}

struct times {
	const struct execution_graph *execution;	/* not owned */
	struct cost_weights weights;
	/*
	 * Of every operation: its start; of a send and a receive, what comes first by way of it
	 * to the match of its message.
	 */
	__int128 *latest;
	uint32_t *before;	/* event that decides a start, NO_EVENT: the beginning */
	uint8_t *by_sender;	/* of a receive: its message came last */
	__int128 end;		/* of the program; 0 if it has no operation */
	uint32_t before_end;	/* event that decides it */
};

/*
 * Find all times; linear.  The graph must be acyclic, and must outlive *times.  On failure
 * there is nothing to release.
 */
int times_find(struct times *times, const struct execution_graph *execution,
	       const struct cost_weights *weights, struct error *err);
void times_release(struct times *times);

/* Start and end of an operation. */
__int128 times_start(const struct times *times, const struct located *at);
__int128 times_end(const struct times *times, const struct located *at);

/* Number of the event that decides another one; NO_EVENT: the beginning of the program. */
uint32_t times_event_before(const struct times *times, struct event event);

#endif
