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

/* The archive has sends at the begin of their call, all other events at its end. */
static bool is_at_enter(const struct mpi_event *event)
{
	return event->kind == EVENT_SEND || event->kind == EVENT_ISEND;
}

/* Whether the archive has no record of the event. */
static bool is_left_out(const struct mpi_event *event)
{
	return event->kind == EVENT_PROBE || event->kind == EVENT_TRANSFER;
}

/* Whether its record has nothing but a request. */
static bool is_request(const struct mpi_event *event)
{
	switch (event->kind) {
	case EVENT_ISEND_COMPLETE:
	case EVENT_IRECV_REQUEST:
	case EVENT_REQUEST_TEST:
	case EVENT_REQUEST_CANCELLED:
	case EVENT_COLLECTIVE_REQUEST:
		return true;
	default:
		return false;
	}
}

static bool has_vectors(const struct mpi_event *event)
{
	return event_is_collective(event->kind) && (event->send_bytes || event->receive_bytes);
}

static bool is_as_read(const struct mpi_event *event)
{
	if (is_request(event))
		return event->comm == 0;
	if (event->kind == EVENT_IRECV)
		return !event->posted;
	return !is_left_out(event) && !has_vectors(event) && event->kind != EVENT_RMA_GROUP_SYNC &&
	       event->kind != EVENT_RMA_COLLECTIVE;
}

static bool all_are_as_read(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (!is_as_read(&call->events[i]) ||
		    (i && is_at_enter(&call->events[i]) && !is_at_enter(&call->events[i - 1])))
			return false;
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
	if (is_request(event))
		event->comm = 0;
	else if (event->kind == EVENT_IRECV)
		event->posted = 0;
	else if (event->kind == EVENT_RMA_COLLECTIVE)
		event->bytes_sent = event->bytes_received = 0;
	else if (has_vectors(event) && event->comm < objects->comms.count)
		set_vectors(event, objects);
	else if (event->kind == EVENT_RMA_GROUP_SYNC && event->group < objects->groups.count) {
		event->group_ranks = objects->groups.items[event->group].ranks;
		event->group_size = objects->groups.items[event->group].size;
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
			if (is_at_enter(&call->events[i]) != at_enter ||
			    is_left_out(&call->events[i]))
				continue;
			events->list.items[events->list.count] = call->events[i];
			set_as_read(&events->list.items[events->list.count++], objects);
		}
	call->events = events->list.items;
	call->event_count = (uint32_t)events->list.count;
	return 0;
}
