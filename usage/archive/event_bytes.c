#include "usage/archive/event_bytes.h"

#include "trace/call/collective_totals.h"

int event_group_size(struct call_tracker *tracker, uint32_t comm, uint32_t *size, struct error *err)
{
	const struct trace_comm *known;
	const struct tracked_comm *own;

	TRY(call_tracker_comm(tracker, comm, &own, err));
	known = &tracker->world->comms[comm];
	*size = known->self ? 1 : own->in_remote_group ? known->remote_size : known->size;
	return 0;
}

/* Blocks to neighbours are equal but of the v-forms. */
static uint64_t bytes_to_neighbours(const struct mpi_event *event)
{
	if (event->collective == COLL_ALLTOALLV || event->collective == COLL_ALLTOALLW ||
	    !event->send_bytes)
		return event->bytes_sent;
	return event->send_count > 0 ? event->send_bytes[0] : 0;
}

/* Of one rank's own communicator; in place no data are moved, and it is not known what there is. */
static bool is_alone(const struct collective_blocks *blocks)
{
	return blocks->size == 1 && !blocks->remote_size;
}

/* The sizes of blocks are not known, but the rank has sent all of them, or the same to each peer. */
static uint64_t bytes_of_totals(const struct mpi_event *event, uint32_t peers)
{
	if (event->collective == COLL_ALLGATHERV)
		return peers > 0 ? event->bytes_sent / peers : 0;
	return event->bytes_sent;
}

int event_own_bytes(struct call_tracker *tracker, const struct mpi_event *event, uint64_t *bytes,
		    struct error *err)
{
	struct collective_blocks blocks = {0};
	const struct trace_comm *comm;
	const struct tracked_comm *own;
	bool guessed = false;

	*bytes = 0;
	if (event->collective > COLL_REDUCE_SCATTER_BLOCK)
		return 0;
	if (event->neighbours) {
		*bytes = bytes_to_neighbours(event);
		return 0;
	}
	TRY(call_tracker_comm(tracker, event->comm, &own, err));
	comm = &tracker->world->comms[event->comm];
	if (!own->member)
		return 0;
	blocks.rank = own->rank;
	TRY(event_group_size(tracker, event->comm, &blocks.size, err));
	if (comm->inter)
		blocks.remote_size = own->in_remote_group ? comm->size : comm->remote_size;
	TRY(collective_blocks(&blocks, event, &guessed, err));
	*bytes = guessed || is_alone(&blocks)
			 ? bytes_of_totals(event,
					   blocks.remote_size ? blocks.remote_size : blocks.size)
			 : collective_own_bytes(&blocks);
	return 0;
}
