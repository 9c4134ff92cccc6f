/*
 * The whole run as a trace, from an archive of some iterations with the flow graph of the run,
 * flow.efg, beside it (llamp-trace --iterations): all calls are delivered, with times as in
 * trace/repeat/repeat_rank.h.
 */
#ifndef TRACE_REPEAT_BACKEND_H
#define TRACE_REPEAT_BACKEND_H

#include "trace/call/trace_backend.h"
#include "trace/repeat/repeat_error.h"

extern const struct trace_backend repeat_backend;

/* What was repeated. */
struct trace_repeat {
	uint64_t iterations; /* of the main loop, of the rank that has most */
	uint64_t recorded;   /* of them */
	uint64_t unlike;     /* of all ranks: with other calls than all recorded ones of the rank */
	uint64_t computation_ns; /* of the rank that computes longest: T is not less */
	struct repeat_error error;
};

/* Sum up what the traces opened by `again` have delivered, or this one, after all ranks. */
struct trace_repeat repeat_backend_figures(const void *trace);

#endif
