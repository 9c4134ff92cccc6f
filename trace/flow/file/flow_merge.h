/*
 * Flows of some ranks of a run, merged to one.
 *
 *	flow_begin(&flow, world, &options, err);
 *	flow_merge(flow, part, err);		for each part, in the order of their ranks
 *	flow_release(part);
 *
 * Strings, signatures, groups and graphs that are equal become one.  They are numbered in the order
 * of their first occurrence, so parts may be merged by twos, as (0 1) (2 3): the result is the
 * same, to the last byte of its file.  Merging takes time in the size of the part's graphs; the
 * values and times of its ranks are moved.
 */
#ifndef TRACE_FLOW_MERGE_H
#define TRACE_FLOW_MERGE_H

#include "trace/flow/flow.h"

/* Set the processes, communicators, windows and hosts of a flow, a copy, in place of those it has. */
int flow_set_world(struct flow *flow, const struct trace_world *world, struct error *err);

/*
 * Move the ranks of `part` behind those of `into`, and add what the trace of the part lacked.  An
 * `into` without ranks gets those of the part, whichever they are, and the size of the run if it
 * has no world.  The part is empty then, but to be released.  STATUS_DATA if ranks of the part do
 * not follow, if the parts were made with other options, or if the part is damaged.  After a
 * failure both can only be released.
 */
int flow_merge(struct flow *into, struct flow *part, struct error *err);

#endif
