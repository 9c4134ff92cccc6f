/*
 * Requests of one rank in a trace of liballprof, which names them by the addresses of variables.
 *
 * A program may copy its requests and wait for the copies.  If a request is started at the address
 * of an active one, the active one has therefore moved.  Moved requests are completed, in the order
 * of their start, by waits for addresses at which no request was started.
 */
#ifndef TRACE_LIBALLPROF_REQUESTS_H
#define TRACE_LIBALLPROF_REQUESTS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"

struct liballprof_request {
	/*
	 * Event of the completion: EVENT_ISEND_COMPLETE, EVENT_IRECV or
	 * EVENT_COLLECTIVE_COMPLETE.  event.request is new for each start, from 1.
	 */
	struct mpi_event event;
	uint64_t address;	/* where it was put */
	uint32_t own;		/* rank in the communicator */
	int32_t source, tag;	/* of a receive, as given: LIBALLPROF_ANY for wildcards */
	uint64_t posted;	/* number of a receive that is surveyed (liballprof_match.h) */
	bool nothing;		/* with MPI_PROC_NULL: no message */
	bool unknown;		/* on a communicator whose ranks are not known */
	bool persistent;	/* can be started again */
	bool active;
	bool moves;		/* a request has moved from this address */
	bool moved;		/* this one has moved: it has no address */
	uint64_t *counts;	/* storage of the vectors of event, or NULL; owned */
};

/* A request that may have moved. */
struct liballprof_moved {
	uint64_t number;	/* event.request; it is done if the place has another */
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

/* Put a request at an address, replacing an inactive one.  Takes over request->counts always. */
int liballprof_requests_put(struct liballprof_requests *requests, uint64_t address,
			    const struct liballprof_request *request, struct error *err);

/*
 * Find the requests of an array of `count` addresses, `bytes` apart: their places in `list`, in
 * order.  Time is bounded by the number of requests.
 */
struct liballprof_places {
	ARRAY(uint32_t) list;
};
int liballprof_requests_range(const struct liballprof_requests *requests, uint64_t address,
			      uint32_t count,
			      uint32_t bytes, struct liballprof_places *places, struct error *err);

/* Start the request at an address, which has one. */
int liballprof_requests_start(struct liballprof_requests *requests, uint64_t address,
			      struct error *err);

/* The first active request that has moved, or may have, or NULL. */
struct liballprof_request *liballprof_requests_moved(struct liballprof_requests *requests);

/* End an active request. */
int liballprof_requests_end(struct liballprof_requests *requests,
			    struct liballprof_request *request, struct error *err);

void liballprof_requests_release(struct liballprof_requests *requests);

#endif
