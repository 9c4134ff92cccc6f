/*
 * The requests of one rank in a text trace, which names them by the address of the
 * variable that holds them.
 *
 * A program may copy its requests, and then wait for them at another address.  So
 * a request that is started at an address where one is active already has moved
 * its predecessor elsewhere.  Requests that have moved are taken, in the order of
 * their start, by waits for addresses at which none was ever started.
 */
#ifndef TRACE_LIBALLPROF_REQUESTS_H
#define TRACE_LIBALLPROF_REQUESTS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"

struct liballprof_request {
	/*
	 * What completes: EVENT_ISEND_COMPLETE, EVENT_IRECV or
	 * EVENT_COLLECTIVE_COMPLETE with all that is known of the communication;
	 * its request is a number of its own for each start, from 1.
	 */
	struct mpi_event event;
	uint64_t address;	/* where it was put */
	uint32_t own;		/* rank in the communicator */
	int32_t source, tag;	/* of a receive, as given: LIBALLPROF_ANY for wildcards */
	uint64_t posted;	/* number of a receive that is surveyed (liballprof_match.h) */
	bool nothing;		/* with MPI_PROC_NULL: no message */
	bool unknown;		/* on a communicator of which the trace does not tell the ranks */
	bool persistent;	/* can be started again */
	bool active;
	bool moves;		/* requests have moved from this address */
	bool moved;		/* this one has: it has no address */
	uint64_t *counts;	/* behind the vectors of event, or NULL; owned */
};

/* A request that may have moved. */
struct liballprof_moved {
	uint64_t number;	/* event.request; if the place has another one by now, it is done */
	uint32_t place;
};

struct liballprof_requests {
	struct number_map places;	/* by address: in list */
	ARRAY(struct liballprof_request) list;
	ARRAY(uint32_t) free_places;
	ARRAY(struct liballprof_moved) moved;	/* in the order of start, from first_moved */
	size_t first_moved;
	uint64_t started;		/* requests so far */
};

/* The request at an address, or NULL.  Valid until the next liballprof_requests_put. */
struct liballprof_request *liballprof_requests_find(struct liballprof_requests *requests,
						    uint64_t address);

/*
 * Put a request at an address, where it replaces one that is not active; takes
 * request->counts over, also if it fails.
 */
int liballprof_requests_put(struct liballprof_requests *requests, uint64_t address,
			    const struct liballprof_request *request, struct error *err);

/*
 * The places in list of the requests that `count` addresses from `address` on have,
 * `bytes` apart, one after the other; `places` is emptied first.  Takes no longer than
 * there are requests.
 */
struct liballprof_places {
	ARRAY(uint32_t) list;
};
int liballprof_requests_range(const struct liballprof_requests *requests, uint64_t address,
			      uint32_t count,
			      uint32_t bytes, struct liballprof_places *places, struct error *err);

/* Start the request at an address (it has been found there). */
int liballprof_requests_start(struct liballprof_requests *requests, uint64_t address,
			      struct error *err);

/* The first active request that has moved or may have, or NULL. */
struct liballprof_request *liballprof_requests_moved(struct liballprof_requests *requests);

/* The request is no longer active. */
int liballprof_requests_end(struct liballprof_requests *requests,
			    struct liballprof_request *request,
			    struct error *err);

void liballprof_requests_release(struct liballprof_requests *requests);

#endif
