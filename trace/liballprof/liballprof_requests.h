/*
 * The requests of one rank in a text trace, which names them by the address of the
 * variable that holds them.
 *
 * A program may copy its requests, and then wait for them at another address.  So
 * a request that is started at an address where one is active already has moved
 * its predecessor elsewhere.  Requests that have moved are taken, in the order of
 * their start, by waits for addresses at which none was ever started.
 */
#ifndef TRACE_TEXT_REQUESTS_H
#define TRACE_TEXT_REQUESTS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"

struct text_request {
	/*
	 * What completes: EVENT_ISEND_COMPLETE, EVENT_IRECV or
	 * EVENT_COLLECTIVE_COMPLETE with all that is known of the communication;
	 * its request is a number of its own for each start, from 1.
	 */
	struct mpi_event event;
	uint64_t address;	/* where it was put */
	uint32_t own;		/* rank in the communicator */
	int32_t source, tag;	/* of a receive, as given: TEXT_ANY for wildcards */
	uint64_t posted;	/* of a receive that is surveyed: its number (trace/liballprof/text_match.h) */
	bool nothing;		/* with MPI_PROC_NULL: no message */
	bool unknown;		/* on a communicator of which the trace does not tell the ranks */
	bool persistent;	/* can be started again */
	bool active;
	bool moves;		/* requests have moved from this address */
	bool moved;		/* this one has: it has no address */
	uint64_t *counts;	/* behind the vectors of event, or NULL; owned */
};

/* A request that may have moved. */
struct text_moved {
	uint64_t number;	/* event.request; if the place has another one by now, it is done */
	uint32_t place;
};

struct text_requests {
	struct number_map places;	/* by address: in list */
	ARRAY(struct text_request) list;
	ARRAY(uint32_t) free_places;
	ARRAY(struct text_moved) moved;	/* in the order of their start, the first at first_moved */
	size_t first_moved;
	uint64_t started;		/* requests so far */
};

/* The request at an address, or NULL if none was there.  Valid until the next text_requests_put. */
struct text_request *text_requests_find(struct text_requests *requests, uint64_t address);

/*
 * Put a request at an address, where it replaces one that is not active; takes
 * request->counts over, also if it fails.
 */
int text_requests_put(struct text_requests *requests, uint64_t address,
		      const struct text_request *request, struct error *err);

/*
 * The places in list of the requests that `count` addresses from `address` on have,
 * `bytes` apart, one after the other; `places` is emptied first.  Takes no longer than
 * there are requests.
 */
struct text_places {
	ARRAY(uint32_t) list;
};
int text_requests_range(const struct text_requests *requests, uint64_t address, uint32_t count,
			uint32_t bytes, struct text_places *places, struct error *err);

/* Start the request at an address (it has been found there). */
int text_requests_start(struct text_requests *requests, uint64_t address, struct error *err);

/* The first active request that has moved or may have, or NULL. */
struct text_request *text_requests_moved(struct text_requests *requests);

/* The request is no longer active. */
int text_requests_end(struct text_requests *requests, struct text_request *request,
		      struct error *err);

void text_requests_release(struct text_requests *requests);

#endif
