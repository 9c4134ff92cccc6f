#include "trace/measured/sync_edges.h"

#include "trace/call/mpi_functions.h"

/* Number of a window or persistent collective as a part of a tag. */
static uint32_t tag_of(uint32_t kind, uint32_t number)
{
	return kind | (number & ~SIGNAL_KINDS);
}

static int add_send(struct measured_reading *reading, uint32_t peer, uint32_t comm, uint32_t tag,
		    const struct participation *in, struct error *err)
{
	const struct measured_send send = {
		.begin = in->begin,
		.end = in->end,
		.peer = peer,
		.comm = comm,
		.tag = tag,
		.buffered = true,
	};

	return array_push(&reading->rank->sends, send, err);
}

static int add_recv(struct measured_reading *reading, uint32_t peer, uint32_t comm, uint32_t tag,
		    const struct participation *in, struct error *err)
{
	const struct measured_recv recv = {
		.begin = in->begin,
		.end = in->end,
		.peer = peer,
		.comm = comm,
		.tag = tag,
		.order = in->order,
	};

	return array_push(&reading->rank->recvs, recv, err);
}

/* ------------------------------------------------------- collectives of neighbours */

int sync_edges_add_neighbours(struct measured_reading *reading, const struct mpi_event *event,
			      const struct participation *part, struct error *err)
{
	struct neighbour_lists *lists = &reading->neighbours;
	const uint32_t tag = tag_of(SIGNAL_NEIGHBOURS, part->stream);
	const struct trace_comm *comm;

	if (part->comm >= reading->world->comm_count)
		return 0;
	comm = &reading->world->comms[part->comm];
	if (comm->inter || comm->self)
		return 0;
	TRY(neighbour_lists_read(lists, event->neighbours, comm->size, err));
	for (uint32_t i = 0; i < lists->ranks.count; i++) {
		const uint32_t peer = comm->ranks[lists->ranks.items[i]];

		if (peer == reading->rank->rank)
			continue;
		if (i < lists->source_count)
			TRY(add_recv(reading, peer, part->comm, tag, part, err));
		else
			TRY(add_send(reading, peer, part->comm, tag, part, err));
	}
	return 0;
}

/* -------------------------------------------------- epochs of one-sided communication */

/* Add the signals of a rank to or from one rank of the group. */
static int add_for_peer(struct measured_reading *reading, const struct mpi_event *event,
			uint32_t peer, const struct participation *in, struct error *err)
{
	const uint32_t comm = event->comm;
	const uint32_t start = tag_of(SIGNAL_START, event->window);
	const uint32_t post = tag_of(SIGNAL_POST, event->window);
	const uint32_t complete = tag_of(SIGNAL_COMPLETE, event->window);

	switch (reading->rank->calls.items[in->begin].function) {
	case CALL_Win_post:
		TRY(add_send(reading, peer, comm, start, in, err));
		return add_send(reading, peer, comm, post, in, err);
	case CALL_Win_start:
		return add_recv(reading, peer, comm, start, in, err);
	case CALL_Win_complete:
		TRY(add_recv(reading, peer, comm, post, in, err));
		return add_send(reading, peer, comm, complete, in, err);
	case CALL_Win_wait:
	case CALL_Win_test:
		return add_recv(reading, peer, comm, complete, in, err);
	default:
		return 0;
	}
}

int sync_edges_add_epoch(struct measured_reading *reading, const struct mpi_event *event,
			 uint32_t at, struct error *err)
{
	const struct participation in = {.begin = at, .end = at, .order = reading->orders++};

	if (event->sync == RMA_SYNC_NONE)
		return 0;
	for (uint32_t i = 0; i < event->group_size; i++)
		if (event->group_ranks[i] != reading->rank->rank)
			TRY(add_for_peer(reading, event, event->group_ranks[i], &in, err));
	return 0;
}
