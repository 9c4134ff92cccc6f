/*
 * Follow the calls of one rank of a trace: the request that an event starts or completes, the
 * world ranks of its peers, the ordinal of a collective.
 *
 *	call_tracker_begin(&tracker, world, rank);
 *	count = mpi_call_events(call, traits, &made, &events);		for each call
 *		call_tracker_start(&tracker, event, &request, err);
 *		call_tracker_complete(&tracker, event, &request, err);
 *		call_tracker_peers(&tracker, event->comm, &peers, err);
 *		call_tracker_ordinal(&tracker, event->comm, use, stream, &ordinal, err);
 *	call_tracker_release(&tracker);
 */
#ifndef TRACE_CALL_TRACKER_H
#define TRACE_CALL_TRACKER_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

enum tracked_kind { TRACKED_SEND, TRACKED_RECV, TRACKED_COLLECTIVE };

/* A request that is active, or has just completed. */
struct tracked_request {
	enum tracked_kind kind;
	/* For arrays of what a user keeps of requests: below the largest number of active ones. */
	uint32_t place;
	/* Collectives: number of non-blocking ones that the rank has started before. */
	uint32_t ordinal;
};

/* The rank in a communicator. */
struct tracked_comm {
	uint32_t stamp; /* number of the rank's call_tracker_begin */
	bool member;
	bool in_remote_group; /* of an inter-communicator */
	uint32_t rank;	      /* in its group */
};

/* World ranks of the ranks of a communicator's events; NULL: the rank itself is the only one. */
struct tracked_peers {
	const uint32_t *ranks;
	uint32_t size;
};

/* Zero bytes are valid.  Between calls of call_tracker_begin arrays keep their room. */
struct call_tracker {
	const struct trace_world *world; /* NULL: communicators are not asked for */
	uint32_t rank;
	uint32_t begun;				/* ranks so far */
	struct number_map active;		/* number of the request: place */
	ARRAY(struct tracked_request) requests; /* by place */
	ARRAY(uint32_t) free_places;
	uint32_t started;		  /* non-blocking collectives so far */
	ARRAY(struct tracked_comm) comms; /* by id, once one of them was asked for */
	struct number_map ordinals;	  /* by use, communicator and stream: the next one */
};

/* Begin a rank.  The world must outlive its calls. */
void call_tracker_begin(struct call_tracker *tracker, const struct trace_world *world,
			uint32_t rank);
void call_tracker_release(struct call_tracker *tracker);

/*
 * Start the request of EVENT_ISEND, EVENT_IRECV_REQUEST or EVENT_COLLECTIVE_REQUEST.  Returns 1 if a
 * request with its number was active, which is not any more and becomes *before; else 0.
 */
int call_tracker_start(struct call_tracker *tracker, const struct mpi_event *event,
		       struct tracked_request *request, struct tracked_request *before,
		       struct error *err);

/*
 * Complete or cancel the request of an event.  Returns false if it is not active: a
 * collective starts now, and has no place.  request->kind is that of the start: another one than the
 * event's is an error of the trace.
 */
bool call_tracker_complete(struct call_tracker *tracker, const struct mpi_event *event,
			   struct tracked_request *request);

/* Find the next active request: false if there is none.  *at is 0 for the first one. */
bool call_tracker_next(const struct call_tracker *tracker, size_t *at,
		       struct tracked_request *request);

/* Find the rank in a communicator; STATUS_DATA if it is not defined. */
int call_tracker_comm(struct call_tracker *tracker, uint32_t comm,
		      const struct tracked_comm **found, struct error *err);

/*
 * Find the peers of a communicator's events: its ranks, or those of the other group of an
 * inter-communicator.  STATUS_DATA if it is not defined.
 */
int call_tracker_peers(struct call_tracker *tracker, uint32_t comm, struct tracked_peers *peers,
		       struct error *err);

/* World rank of a peer, or NO_RANK. */
static inline uint32_t call_tracker_world_rank(const struct call_tracker *tracker,
					       const struct tracked_peers *peers, uint32_t peer)
{
	if (peer >= peers->size)
		return NO_RANK;
	return peers->ranks ? peers->ranks[peer] : tracker->rank;
}

/*
 * Number a collective on its communicator, from 0.  Each `use` and `stream` (a persistent
 * collective, a class of collectives) counts by itself.
 */
int call_tracker_ordinal(struct call_tracker *tracker, uint32_t comm, uint32_t use, uint32_t stream,
			 uint32_t *ordinal, struct error *err);

#endif
