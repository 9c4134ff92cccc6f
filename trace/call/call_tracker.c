#include "trace/call/call_tracker.h"

#include <string.h>

void call_tracker_begin(struct call_tracker *tracker, const struct trace_world *world,
			uint32_t rank)
{
	tracker->world = world;
	tracker->rank = rank;
	tracker->started = 0;
	tracker->requests.count = tracker->free_places.count = 0;
	tracker->begun++;
	number_map_clear(&tracker->active);
	number_map_clear(&tracker->ordinals);
}

void call_tracker_release(struct call_tracker *tracker)
{
	number_map_release(&tracker->active);
	array_release(&tracker->requests);
	array_release(&tracker->free_places);
	array_release(&tracker->comms);
	number_map_release(&tracker->ordinals);
}

/* -------------------------------------------------------------------- requests */

/* Find a free place.  There is room to free it again. */
static int free_place(struct call_tracker *tracker, uint32_t *place, struct error *err)
{
	if (tracker->free_places.count) {
		*place = tracker->free_places.items[--tracker->free_places.count];
		return 0;
	}
	*place = (uint32_t)tracker->requests.count;
	TRY(array_push(&tracker->requests, (struct tracked_request){.place = *place}, err));
	return array_reserve(&tracker->free_places, tracker->requests.count, err);
}

int call_tracker_start(struct call_tracker *tracker, const struct mpi_event *event,
		       struct tracked_request *request, struct tracked_request *before,
		       struct error *err)
{
	uint32_t old;

	*request = (struct tracked_request){.kind = event->kind == EVENT_ISEND ? TRACKED_SEND
						    : event->kind == EVENT_IRECV_REQUEST
							    ? TRACKED_RECV
							    : TRACKED_COLLECTIVE};
	if (request->kind == TRACKED_COLLECTIVE)
		request->ordinal = tracker->started++;
	TRY(free_place(tracker, &request->place, err));
	TRY(number_map_set(&tracker->active, event->request, 0, request->place, &old, err));
	tracker->requests.items[request->place] = *request;
	if (old == NUMBER_MAP_EMPTY)
		return 0;
	*before = tracker->requests.items[old];
	tracker->free_places.items[tracker->free_places.count++] = old;
	return 1;
}

bool call_tracker_complete(struct call_tracker *tracker, const struct mpi_event *event,
			   struct tracked_request *request)
{
	const uint32_t place = number_map_remove(&tracker->active, event->request, 0);

	if (place != NUMBER_MAP_EMPTY) {
		*request = tracker->requests.items[place];
		tracker->free_places.items[tracker->free_places.count++] = place;
		return true;
	}
	if (event->kind == EVENT_COLLECTIVE_COMPLETE)
		*request = (struct tracked_request){.kind = TRACKED_COLLECTIVE,
						    .ordinal = tracker->started++};
	return false;
}

bool call_tracker_next(const struct call_tracker *tracker, size_t *at,
		       struct tracked_request *request)
{
	while (tracker->active.count && *at < tracker->active.capacity) {
		const uint32_t place = tracker->active.entries[(*at)++].value;

		if (place == NUMBER_MAP_EMPTY)
			continue;
		*request = tracker->requests.items[place];
		return true;
	}
	return false;
}

/* --------------------------------------------------------------- communicators */

static void find_own(const struct call_tracker *tracker, const struct trace_comm *comm,
		     struct tracked_comm *own)
{
	own->stamp = tracker->begun;
	own->member = true;
	own->in_remote_group = false;
	own->rank = comm->self	     ? 0
		    : comm->identity ? tracker->rank
				     : trace_rank_among(comm->ranks, comm->size, tracker->rank);
	if (own->rank != NO_RANK)
		return;
	own->rank = comm->inter
			    ? trace_rank_among(comm->remote_ranks, comm->remote_size, tracker->rank)
			    : NO_RANK;
	own->member = own->in_remote_group = own->rank != NO_RANK;
}

int call_tracker_comm(struct call_tracker *tracker, uint32_t comm,
		      const struct tracked_comm **found, struct error *err)
{
	const struct trace_world *world = tracker->world;
	struct tracked_comm *own;

	if (comm >= world->comm_count || !world->comms[comm].defined)
		return error_set(err, STATUS_DATA, "communicator %u is not defined", comm);
	if (comm >= tracker->comms.count) {
		const size_t more = world->comm_count - tracker->comms.count;

		TRY(array_reserve(&tracker->comms, more, err));
		memset(tracker->comms.items + tracker->comms.count, 0, more * sizeof *own);
		tracker->comms.count = world->comm_count;
	}
	own = &tracker->comms.items[comm];
	if (own->stamp != tracker->begun)
		find_own(tracker, &world->comms[comm], own);
	*found = own;
	return 0;
}

int call_tracker_peers(struct call_tracker *tracker, uint32_t comm, struct tracked_peers *peers,
		       struct error *err)
{
	const struct trace_comm *known = tracker->world->comms + comm;
	const struct tracked_comm *own;

	if (comm < tracker->world->comm_count && known->defined && !known->inter) {
		*peers = (struct tracked_peers){known->ranks, known->size};
		return 0;
	}
	TRY(call_tracker_comm(tracker, comm, &own, err));
	*peers = own->in_remote_group
			 ? (struct tracked_peers){known->ranks, known->size}
			 : (struct tracked_peers){known->remote_ranks, known->remote_size};
	return 0;
}

int call_tracker_ordinal(struct call_tracker *tracker, uint32_t comm, uint32_t use, uint32_t stream,
			 uint32_t *ordinal, struct error *err)
{
	TRY(number_map_increment(&tracker->ordinals, (uint64_t)use << 32 | comm, stream, ordinal,
				 err));
	--*ordinal;
	return 0;
}
