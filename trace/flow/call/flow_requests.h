/*
 * Requests of a rank, so that signatures do not have their numbers.  A call that completes a
 * request names its position among those that its thread has started and not completed, the oldest
 * first.  Operations on windows name their request by how many others the thread has used since.
 *
 * A thread may complete requests of another one.  It names them by values: the thread, and the
 * start among those of that thread.  How many requests the other thread has open depends on the
 * time then, so from its next call on it names requests by how many it has started since, which
 * does not.
 *
 * The number of a request that starts is foretold: one more than that of the last one of the rank.
 * With the order of the calls of all threads (exact) other numbers are exceptions, which a file
 * keeps; without it numbers are made anew.
 *
 * Writing and reading follow the same calls in the same order, and keep the same state.
 */
#ifndef TRACE_FLOW_REQUESTS_H
#define TRACE_FLOW_REQUESTS_H

#include "trace/call/mpi_call.h"
#include "trace/flow/flow_bytes.h"

#include <pthread.h>
#include <stdatomic.h>

struct flow_open {
	uint64_t number;
	uint64_t start; /* which of the thread's starts it is, from 1 */
	uint8_t posted; /* POSTED_... of a receive */
};

enum { FLOW_RECENT = 32 };
/* Items before the oldest open request whose room is not looked for. */
enum { FLOW_MOST_UNUSED = 64 };

/*
 * Requests of a thread: those that it has started and nobody has completed, from `oldest` on, by
 * their starts.  `oldest` is 0 if there are none.
 */
struct flow_request_thread {
	struct flow_open *items; /* a growable array otherwise (common/array.h) */
	size_t count, capacity, oldest;
	uint64_t recent[FLOW_RECENT]; /* of operations on windows, the last one first */
	uint32_t recent_count;
	uint64_t starts, uses; /* requests that it has started; that it has named */
	bool by_starts; /* it names requests by its starts since, after so many named ones: */
	uint64_t by_starts_from;
	ARRAY(uint64_t) others; /* start of each other thread that it has named last */
	atomic_flag busy;	/* of the open ones, if threads call at the same time */
};

/* Remove the oldest open request: there is one. */
static inline void flow_open_remove_oldest(struct flow_request_thread *thread)
{
	if (++thread->oldest == thread->count)
		thread->oldest = thread->count = 0;
}

/* Zero bytes are the begin of a rank. */
struct flow_requests {
	ARRAY(struct flow_request_thread *) threads; /* by number; NULL: none */
	bool exact;				     /* keep numbers that cannot be foretold */
	pthread_mutex_t
		*lock; /* of all but the own requests of a thread; NULL: one thread at a time */
	uint64_t last, starts;	  /* number of the last request; requests so far */
	uint64_t exception_start; /* which of them is, or was last, an exception */
	/* Writing: exceptions, and numbers of requests that no thread has started. */
	struct flow_bytes exceptions, foreign;
	/* Reading. */
	struct flow_cursor exceptions_left, foreign_left;
	int64_t exception; /* that the start `exception_start` has; 0 if there are no more */
};

/* Find or make the requests of a thread. */
int flow_requests_of(struct flow_requests *requests, uint32_t number,
		     struct flow_request_thread **thread, struct error *err);

/* Begin to read: STATUS_DATA if it is damaged. */
int flow_requests_read(struct flow_requests *requests, struct flow_cursor packed,
		       struct error *err);
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

/*
 * What the request of an event is to a signature; `posted`: wildcards of the receive that the event
 * completes.
 */
struct flow_code {
	uint64_t code; /* 0: the request is not the thread's own, or it starts */
	uint8_t posted;
	uint32_t owner; /* one more than the thread that has started it, 0: none; if code is 0 */
	uint64_t
		foreign; /* start of the owner since that which was named before, with its sign folded */
};

/* Whether values name the request. */
static inline bool flow_request_is_foreign(enum flow_request_use use, uint64_t code)
{
	return !code && (use == FLOW_ENDS || use == FLOW_TESTS);
}

/* Write the request of an event of the thread. */
int flow_request_write_other(struct flow_requests *requests, struct flow_request_thread *thread,
			     const struct mpi_event *event, enum flow_request_use use,
			     struct flow_code *code, struct error *err);

static inline int flow_request_write(struct flow_requests *requests,
				     struct flow_request_thread *thread,
				     const struct mpi_event *event, enum flow_request_use use,
				     struct flow_code *code, struct error *err)
{
	*code = (struct flow_code){0};
	if (use == FLOW_NO_REQUEST)
		return 0;
	/* Most requests have the number after the last one, and end in the order of their starts. */
	if (use == FLOW_STARTS && !requests->lock && thread->oldest <= FLOW_MOST_UNUSED &&
	    thread->count < thread->capacity &&
	    (!requests->exact || event->request == requests->last + 1)) {
		const uint8_t posted = event->kind == EVENT_IRECV_REQUEST ? event->posted : 0;

		requests->starts++;
		requests->last = event->request;
		thread->items[thread->count++] = (struct flow_open){event->request,
								    ++thread->starts, posted};
		return 0;
	}
	if (use == FLOW_ENDS && !requests->lock && !thread->by_starts && thread->count &&
	    thread->items[thread->oldest].number == event->request) {
		code->code = 1;
		code->posted = thread->items[thread->oldest].posted;
		thread->uses++;
		flow_open_remove_oldest(thread);
		return 0;
	}
	return flow_request_write_other(requests, thread, event, use, code, err);
}

/*
 * Read it: set event->request by the code; STATUS_DATA if there is no such request.  Returns 1 if
 * the owner has to make calls first, as it has not started it.
 */
int flow_request_read_other(struct flow_requests *requests, struct flow_request_thread *thread,
			    struct mpi_event *event, enum flow_request_use use,
			    const struct flow_code *code, struct error *err);

static inline int flow_request_read(struct flow_requests *requests,
				    struct flow_request_thread *thread, struct mpi_event *event,
				    enum flow_request_use use, const struct flow_code *code,
				    struct error *err)
{
	/* Most requests have the number after the last one, and end in the order of their starts. */
	if (use == FLOW_STARTS && !requests->exception && thread->oldest <= FLOW_MOST_UNUSED &&
	    thread->count < thread->capacity) {
		requests->starts++;
		event->request = ++requests->last;
		thread->items[thread->count++] = (struct flow_open){event->request,
								    ++thread->starts, 0};
		return 0;
	}
	if (use == FLOW_ENDS && code->code == 1 && !thread->by_starts && thread->count) {
		thread->uses++;
		event->request = thread->items[thread->oldest].number;
		flow_open_remove_oldest(thread);
		return 0;
	}
	return flow_request_read_other(requests, thread, event, use, code, err);
}

/*
 * Set the requests of events that all end the oldest request, one after the other.  Returns false,
 * and does nothing, if they have to be read one by one.
 */
static inline bool flow_requests_read_oldest(struct flow_request_thread *thread,
					     struct mpi_event *events, uint32_t count)
{
	const struct flow_open *oldest;

	if (thread->by_starts || thread->count - thread->oldest < count)
		return false;
	oldest = &thread->items[thread->oldest];
	for (uint32_t i = 0; i < count; i++)
		events[i].request = oldest[i].number;
	thread->uses += count;
	thread->oldest += count;
	if (thread->oldest == thread->count)
		thread->oldest = thread->count = 0;
	return true;
}

/* Append the values that name a request of another thread, and read them. */
int flow_foreign_put(const struct flow_code *code, struct flow_bytes *values, struct error *err);
void flow_foreign_get(struct flow_code *code, struct flow_cursor *values);

#endif
