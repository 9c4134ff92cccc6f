/* The calls of a rank, from its event flow graphs. */
#ifndef TRACE_FLOW_RECOVER_H
#define TRACE_FLOW_RECOVER_H

#include "trace/flow/flow.h"
#include "trace/flow/flow_walk.h"

/*
 * Deliver all calls of a rank in their order.  Without the times of each call they have mean ones,
 * or none at all.  STATUS_DATA if the graph does not fix the order, its values do not fit, or the
 * rank is lossy.  Several threads may do so at once.
 */
int flow_recover(const struct flow *flow, uint32_t rank, trace_receive *receive, void *data,
		 struct error *err);

/* Fail with STATUS_DATA if the order of the calls of a rank is not known, as its memory was bounded. */
int flow_refuse_lossy(const struct flow *flow, uint32_t rank, struct error *err);

/* Times of recovered calls that come from elsewhere than the flow. */
struct flow_timer {
	/*
	 * Begin an event, which has some calls: set the time between the event before it in its
	 * thread and it.
	 */
	int (*event)(void *data, uint32_t thread, const struct flow_walk *at, uint64_t calls,
		     uint64_t *gap_ns, struct error *err);
	/*
	 * Set the time of the next call of the thread's event, and of the gaps between its polls;
	 * *gap_ns, the time before it, too if it is not the first one.
	 */
	void (*call)(void *data, uint32_t thread, struct mpi_call *call, uint64_t *gap_ns,
		     uint64_t *duration_ns);
	void *data;
};

/* Deliver all calls as flow_recover does, with the times of the timer; NULL: of the flow. */
int flow_recover_timed(const struct flow *flow, uint32_t rank, const struct flow_timer *timer,
		       trace_receive *receive, void *data, struct error *err);

#endif
