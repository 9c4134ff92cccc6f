/* Times of the calls that an archive has of the windows of a rank (struct flow_window). */
#ifndef TRACE_REPEAT_WINDOW_H
#define TRACE_REPEAT_WINDOW_H

#include "trace/call/trace_backend.h"
#include "trace/flow/flow.h"

#define REPEAT_NO_TIME UINT64_MAX

struct repeat_call {
	const char *function; /* of the archive */
	uint64_t gap_ns; /* since the call before it in its thread; REPEAT_NO_TIME: not recorded */
	uint64_t duration_ns;
	uint64_t polls, poll_gaps_ns, least_poll_gap_ns; /* as in struct mpi_call */
	uint32_t thread;
};

/* Calls of all windows of a rank, one window after the other. */
struct repeat_calls {
	ARRAY(struct repeat_call) items;
};

/*
 * Read them from an archive, as otf2_backend has opened it.  STATUS_DATA if the archive has fewer
 * calls than its windows.
 */
int repeat_calls_read(struct repeat_calls *calls, void *archive, uint32_t rank,
		      const struct flow_rank *windows, struct error *err);

#endif
