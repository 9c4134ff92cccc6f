/*
 * Requests of a rank, so that signatures do not have their numbers.  The number of a request that starts is
 * foretold: one more than that of the last one.  A call that completes a request names its position
 * among those that its thread has started and not completed, the oldest first.  Operations on windows name their
 * request by how many others were used since.  Numbers that are otherwise are exceptions, which a file keeps.
 *
 * Writing and reading follow the same calls in the same order, and keep the same state.
 */
#ifndef TRACE_FLOW_REQUESTS_H
#define TRACE_FLOW_REQUESTS_H

#include "trace/call/mpi_call.h"
#include "trace/flow/flow_bytes.h"

struct flow_open {
	uint64_t number;
	uint8_t posted; /* POSTED_... of a receive */
};

enum { FLOW_RECENT = 32 };

/* Requests of a thread: those that it has started and not completed, from `oldest` on. */
struct flow_request_thread {
	struct flow_open *items; /* a growable array otherwise (common/array.h) */
	size_t count, capacity, oldest;
	uint64_t recent[FLOW_RECENT]; /* of operations on windows, the last one first */
	uint32_t recent_count;
};

/* Zero bytes are the begin of a rank. */
struct flow_requests {
	ARRAY(struct flow_request_thread *) threads; /* by number; NULL: none */
	uint64_t last, starts;	  /* number of the last request; requests so far */
	uint64_t exception_start; /* which of them is, or was last, an exception */
	/* Writing: exceptions, and numbers of requests that the thread has not started. */
	struct flow_bytes exceptions, foreign;
	/* Reading. */
	struct flow_cursor exceptions_left, foreign_left;
	int64_t exception; /* that the start `exception_start` has; 0 if there are no more */
};

/* Find or make the requests of a thread. */
int flow_requests_of(struct flow_requests *requests, uint32_t number,
		     struct flow_request_thread **thread, struct error *err);

/* Begin to read. */
void flow_requests_read(struct flow_requests *requests, struct flow_cursor packed);
/* Append what was written. */
int flow_requests_put(const struct flow_requests *requests, struct flow_bytes *to,
		      struct error *err);
void flow_requests_release(struct flow_requests *requests);

/* How an event uses its request: the last two only if it has a number. */
enum flow_request_use {
	FLOW_NO_REQUEST,
	FLOW_STARTS,
	FLOW_TESTS,
	FLOW_ENDS,
	FLOW_RECENTLY,
	FLOW_KEEPS
};
extern const uint8_t flow_request_uses[EVENT_KINDS];

static inline enum flow_request_use flow_request_use(const struct mpi_event *event)
{
	const uint8_t use = flow_request_uses[event->kind];

	return use >= FLOW_RECENTLY && !event->request ? FLOW_NO_REQUEST
						       : (enum flow_request_use)use;
}

/* What the request of an event is to a signature; `posted`: wildcards of the receive that the event completes. */
struct flow_code {
	uint64_t code;
	uint8_t posted;
};

/* Write the request of an event of the thread. */
int flow_request_write(struct flow_requests *requests, struct flow_request_thread *thread,
		       const struct mpi_event *event, enum flow_request_use use,
		       struct flow_code *code, struct error *err);

/* Read it: set event->request by the code; STATUS_DATA if there is no such request. */
int flow_request_read(struct flow_requests *requests, struct flow_request_thread *thread,
		      struct mpi_event *event, enum flow_request_use use, uint64_t code,
		      struct error *err);

#endif
