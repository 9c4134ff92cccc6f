/*
 * The calls of a rank, all of them, with times from the iterations that were recorded
 * (doc/trace-to-goal.md).
 *
 * Graphs give all calls in their order, and the sum of times of each node and edge; windows give
 * the times of some iterations.  Calls in a window have their own times.  Any other iteration has
 * those of a recorded one, its template; what has none has the mean.  Then the times of all visits
 * of a node or edge outside the windows are multiplied by one number, so that all visits add up to
 * the sum in the flow, to the nanosecond.  A call of an iteration tells which one it has the times of.
 *
 * The calls are recovered three times: to see which of them were recorded, to add up, to deliver.
 */
#ifndef TRACE_REPEAT_RANK_H
#define TRACE_REPEAT_RANK_H

#include "trace/flow/flow_stat.h"
#include "trace/repeat/repeat_error.h"
#include "trace/repeat/repeat_window.h"

/*
 * Deliver all calls of a rank as flow_recover does, with times from `recorded`, the calls of its
 * windows.  Fill *figures, which is to be released with repeat_figures_release also after an error.
 * STATUS_DATA if the calls are not those of the flow.
 */
int repeat_rank_deliver(const struct flow *flow, uint32_t rank, const struct repeat_calls *recorded,
			trace_receive *receive, void *data, struct repeat_figures *figures,
			struct error *err);

#endif
