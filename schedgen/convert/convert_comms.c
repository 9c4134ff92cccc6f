/* Names of communicators. */
#include "schedgen/convert/convert_internal.h"

#include "common/units.h"

#include <inttypes.h>
#include <stdio.h>

/* Name a communicator without a name by its number and size. */
static int make_name(const struct convert *convert, uint32_t id, char **name, struct error *err)
{
	const struct trace_comm *comm = &convert->world->comms[id];
	const bool of_all = !comm->inter && comm->size == convert->world->rank_count;
	const uint64_t size = (uint64_t)comm->size * (of_all ? convert->options.copies : 1);
	int bytes;

	if (comm->inter)
		bytes = asprintf(name, "communicator %" PRIu32 " (%" PRIu32 " and %" PRIu32
				 " ranks)", id, comm->size, comm->remote_size);
	else
		bytes = asprintf(name, "communicator %" PRIu32 " (%" PRIu64 " rank%s)", id, size,
				 plural(size));
	if (bytes >= 0)
		return 0;
	*name = NULL;
	return error_set_memory(err, 64);
}

int convert_comm_name(struct convert *convert, uint32_t id, const char **name, struct error *err)
{
	const struct trace_comm *comm = convert->world->comms + id;

	*name = NULL;
	if (id >= convert->world->comm_count || !comm->defined)
		return 0;
	if (*comm->name) {
		*name = comm->name;
		return 0;
	}
	if (id == convert->world->world_comm || comm->self) {
		*name = comm->self ? "MPI_COMM_SELF" : "MPI_COMM_WORLD";
		return 0;
	}
	if (!convert->comm_names[id])
		TRY(make_name(convert, id, &convert->comm_names[id], err));
	*name = convert->comm_names[id];
	return 0;
}

/* Does the event have a communicator, and is it of the call itself, not of an earlier one? */
static bool has_comm(const struct mpi_event *event)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_ISEND:
	case EVENT_COLLECTIVE:
	case EVENT_COMM_CREATE:
	case EVENT_RMA_COLLECTIVE:
	case EVENT_RMA_GROUP_SYNC:
	case EVENT_RMA_LOCK:
	case EVENT_RMA_UNLOCK:
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
	case EVENT_RMA_COMPLETE_REMOTE:
		return true;
	default:
		return false;
	}
}

int convert_name_call(struct convert *convert, const struct mpi_call *call, struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (has_comm(&call->events[i]))
			return convert_comm_name(convert, call->events[i].comm,
						 &convert->call.communicator, err);
	return 0;
}
