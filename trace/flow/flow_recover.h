/* The calls of a rank, from its event flow graphs. */
#ifndef TRACE_FLOW_RECOVER_H
#define TRACE_FLOW_RECOVER_H

#include "trace/flow/flow.h"

/*
 * Deliver all calls of a rank in their order.  Without the times of each call they have mean ones, or none at all.
 * STATUS_DATA if the graph does not fix the order, its values do not fit, or the rank is lossy.  Several threads may do so at once.
 */
int flow_recover(const struct flow *flow, uint32_t rank, trace_receive *receive, void *data,
		 struct error *err);

#endif
