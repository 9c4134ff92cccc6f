/*
 * Walk through the events of a thread with their times, of a flow that has those of each call.
 * Peers, requests and values of calls are not recovered, so it is faster than
 * trace/flow/recover/flow_recover.h.
 *
 *	timed_walk_begin(&walk, flow, thread, err);
 *	while ((more = timed_walk_next(&walk, err)) > 0)
 *		use(walk.at.node, walk.enter_ns, walk.leave_ns);
 *	timed_walk_release(&walk);	also after an error
 */
#ifndef EVENTFLOW_TIMED_WALK_H
#define EVENTFLOW_TIMED_WALK_H

#include "trace/flow/flow_walk.h"
#include "trace/flow/recover/flow_times.h"

struct timed_walk {
	struct flow_walk at;
	uint64_t enter_ns, leave_ns; /* of the event, in the time of the trace */

	/* Private. */
	struct flow_thread_reader reader;
	struct flow_calls calls;
};

/* flow->times is FLOW_TIMES_ALL. */
int timed_walk_begin(struct timed_walk *walk, const struct flow *flow,
		     const struct flow_thread *thread, struct error *err);

/* Go to the next event.  Returns 1, 0 after the last one, or -1. */
int timed_walk_next(struct timed_walk *walk, struct error *err);
void timed_walk_release(struct timed_walk *walk);

#endif
