/*
 * Start and end of each operation in the modelled run, in whole ns, with or without resources.
 *
 * Times are rounded down to ns, which keeps their order.
 *
 * Memory: 21 bytes per operation, 16 with resources.
 */
#ifndef LLAMP_OP_TIMES_H
#define LLAMP_OP_TIMES_H

#include "llamp/graph/event_times.h"
#include "llamp/simulate/simulation.h"

struct op_time {
	uint64_t start_ns, end_ns;
	/* Send: end of its overhead.  Receive: start of its last overhead.  Calc: its end. */
	uint64_t message_ns;
};

struct op_times {
	const struct execution_graph *execution; /* not owned */
	struct cost_weights weights;		 /* in as */
	struct event_times times;		 /* without resources */
	struct sim_times *served;		 /* with resources; owned */
	int64_t unit_as;			 /* of served */
};

/*
 * Find all times at the parameters of execution->loggps.  Runs of 2^63 ns or more are
 * STATUS_LIMIT.  On failure there is nothing to release.
 */
int op_times_find(struct op_times *op_times, const struct execution_graph *execution,
		  struct error *err);
void op_times_release(struct op_times *op_times);

/* Return the times of operation `at`. */
struct op_time op_times_of(const struct op_times *op_times, const struct located *at);

#endif
