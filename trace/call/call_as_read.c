#include "trace/call/call_as_read.h"

#include <stdlib.h>
#include <string.h>

int call_objects_comm(struct call_objects *objects, const struct mpi_comm *comm, struct error *err)
{
	struct mpi_comm own = *comm;

	own.members = own.remote = NULL;
	return array_push(&objects->comms, own, err);
}

int call_objects_group(struct call_objects *objects, const struct mpi_group *group,
		       struct error *err)
{
	struct call_group own = {.size = group->size};

	TRY(array_reserve(&objects->groups, 1, err));
	TRY(allocate(&own.ranks, group->size, sizeof *own.ranks, err));
	for (uint32_t i = 0; i < group->size; i++)
		own.ranks[i] = (uint32_t)group->members[i];
	objects->groups.items[objects->groups.count++] = own;
	return 0;
}

void call_objects_release(struct call_objects *objects)
{
	for (size_t i = 0; i < objects->groups.count; i++)
		free(objects->groups.items[i].ranks);
	array_release(&objects->groups);
	array_release(&objects->comms);
}

/* What the archive has of events of a kind. */
enum archived {
	WHOLE,
	AT_ENTER,   /* whole, and at the begin of the call: all others are at its end */
	REQUEST,    /* nothing but the request */
	RECEIVED,   /* what came, not what was posted */
	COLLECTIVE, /* with entries of vectors for all ranks */
	WITHOUT_BYTES,
	WITH_GROUP_RANKS,
	LEFT_OUT, /* no record */
};
static const uint8_t archived[EVENT_KINDS] = {
	[EVENT_SEND] = AT_ENTER,
	[EVENT_ISEND] = AT_ENTER,
	[EVENT_ISEND_COMPLETE] = REQUEST,
	[EVENT_IRECV_REQUEST] = REQUEST,
	[EVENT_REQUEST_TEST] = REQUEST,
	[EVENT_REQUEST_CANCELLED] = REQUEST,
	[EVENT_COLLECTIVE_REQUEST] = REQUEST,
	[EVENT_IRECV] = RECEIVED,
	[EVENT_COLLECTIVE] = COLLECTIVE,
	[EVENT_COLLECTIVE_COMPLETE] = COLLECTIVE,
	[EVENT_RMA_COLLECTIVE] = WITHOUT_BYTES,
	[EVENT_RMA_GROUP_SYNC] = WITH_GROUP_RANKS,
	[EVENT_TRANSFER] = LEFT_OUT,
	[EVENT_PROBE] = LEFT_OUT,
};

static bool has_vectors(const struct mpi_event *event)
{
	return event->send_bytes || event->receive_bytes;
}

static inline bool is_as_read(const struct mpi_event *event)
{
	switch (archived[event->kind]) {
	case WHOLE:
	case AT_ENTER:
		return true;
	case REQUEST:
		return event->comm == 0;
	case RECEIVED:
		return !event->posted;
	case COLLECTIVE:
		return !has_vectors(event);
	default:
		return false;
	}
}

static bool all_are_as_read(const struct mpi_call *call)
{
	bool at_enter = true;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		const bool before = at_enter;

		at_enter = archived[event->kind] == AT_ENTER;
		if ((at_enter && !before) || !is_as_read(event))
			return false;
	}
	return true;
}

/* Both vectors have an entry for each rank of the communicator, or of the other group. */
static void set_vectors(struct mpi_event *event, const struct call_objects *objects)
{
	const struct mpi_comm *comm = &objects->comms.items[event->comm];
	const uint32_t others = comm->remote_size ? comm->remote_size : comm->size;

	if (!event->neighbours) {
		event->send_count = event->receive_count = others;
		if (event->collective == COLL_REDUCE_SCATTER)
			event->receive_count = comm->size;
	}
	if (event->in_place && !event->send_bytes &&
	    (event->collective == COLL_ALLTOALLV || event->collective == COLL_ALLTOALLW))
		event->send_bytes = event->receive_bytes;
}

static void set_as_read(struct mpi_event *event, const struct call_objects *objects)
{
	switch (archived[event->kind]) {
	case REQUEST:
		event->comm = 0;
		break;
	case RECEIVED:
		event->posted = 0;
		break;
	case COLLECTIVE:
		if (has_vectors(event) && event->comm < objects->comms.count)
			set_vectors(event, objects);
		break;
	case WITHOUT_BYTES:
		event->bytes_sent = event->bytes_received = 0;
		break;
	case WITH_GROUP_RANKS:
		if (event->group >= objects->groups.count)
			break;
		event->group_ranks = objects->groups.items[event->group].ranks;
		event->group_size = objects->groups.items[event->group].size;
		break;
	}
}

int call_as_read(struct mpi_call *call, const struct call_objects *objects,
		 struct call_events *events, struct error *err)
{
	if (all_are_as_read(call))
		return 0;
	events->list.count = 0;
	TRY(array_reserve(&events->list, call->event_count, err));
	for (int at_enter = 1; at_enter >= 0; at_enter--)
		for (uint32_t i = 0; i < call->event_count; i++) {
			const uint8_t how = archived[call->events[i].kind];

			if ((how == AT_ENTER) != at_enter || how == LEFT_OUT)
				continue;
			events->list.items[events->list.count] = call->events[i];
			set_as_read(&events->list.items[events->list.count++], objects);
		}
	call->events = events->list.items;
	call->event_count = (uint32_t)events->list.count;
	return 0;
}
