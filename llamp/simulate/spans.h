/*
 * Start and end of every operation in the modelled run, in whole ns, with or without resources.
 *
 * Times are rounded down to ns.  Rounding keeps the order of times, so operations that follow each
 * other do so after rounding, too.
 *
 * Memory: 21 bytes per operation, 16 with resources.
 */
#ifndef LLAMP_SPANS_H
#define LLAMP_SPANS_H

#include "llamp/graph/times.h"
#include "llamp/simulate/simulation.h"

struct span {
	uint64_t start_ns, end_ns;
	/*
	 * Of a send: when its overhead is over.  Of a receive: when its last overhead begins, since
	 * the message is there.  Of a calc: its end.
	 */
	uint64_t message_ns;
};

struct spans {
	const struct execution_graph *execution; /* not owned */
	struct cost_weights weights;		 /* in as */
	struct times times;			 /* without resources */
	struct sim_times *served;		 /* with resources; owned */
	int64_t unit_as;			 /* of served */
};

/*
 * Find all times at the parameters of execution->loggps.  Runs of 2^63 ns or more are
 * STATUS_LIMIT.  On failure there is nothing to release.
 */
int spans_find(struct spans *spans, const struct execution_graph *execution, struct error *err);
void spans_release(struct spans *spans);

struct span spans_of(const struct spans *spans, const struct located *at);

#endif
