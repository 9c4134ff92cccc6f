#include "schedgen/collectives/normalise.h"

#include "common/units.h"

static uint64_t share(uint64_t total, uint32_t parts)
{
	return parts ? total / parts : 0;
}

static int find_root(struct collective *collective, const struct mpi_event *event,
		     struct error *err)
{
	collective->root = event->root;
	collective->root_place = event->root == ROOT_SELF ? COLL_ROOT_SELF :
				 event->root == ROOT_THIS_GROUP ? COLL_ROOT_BESIDE :
								  COLL_ROOT_REMOTE;
	if (collective->root_place == COLL_ROOT_REMOTE && event->root >= collective->remote_size)
		return error_set(err, STATUS_DATA,
				 "root %u is not among the %u rank%s of the remote group",
				 event->root, collective->remote_size,
				 plural(collective->remote_size));
	return 0;
}

/* What the root counts for all of the remote group, and the others for themselves. */
static void one_block(struct collective *collective, uint64_t of_root, uint64_t of_others)
{
	collective->block_bytes = collective->root_place == COLL_ROOT_SELF ?
					  share(of_root, collective->remote_size) : of_others;
}

/* A guess must not be zero, which would mean that there is no message. */
static uint64_t guess(uint64_t total, uint32_t parts, bool *guessed)
{
	uint64_t bytes = share(total, parts);

	*guessed = true;
	return bytes ? bytes : 1;
}

static int rooted(struct collective *collective, const struct mpi_event *event, bool *guessed,
		  struct error *err)
{
	bool down = event->collective == COLL_BCAST || event->collective == COLL_SCATTER ||
		    event->collective == COLL_SCATTERV;
	bool unequal = event->collective == COLL_GATHERV || event->collective == COLL_SCATTERV;

	TRY(find_root(collective, event, err));
	if (down)
		one_block(collective, event->bytes_sent, event->bytes_received);
	else
		one_block(collective, event->bytes_received, event->bytes_sent);
	if (!unequal || collective->root_place != COLL_ROOT_SELF)
		return 0;
	collective->send_bytes = down ? event->send_bytes : NULL;
	collective->receive_bytes = down ? NULL : event->receive_bytes;
	if (!collective->send_bytes && !collective->receive_bytes)
		collective->block_bytes = guess(down ? event->bytes_sent : event->bytes_received,
						collective->remote_size, guessed);
	return 0;
}

static void unrooted(struct collective *collective, const struct mpi_event *event, bool *guessed)
{
	uint32_t remote = collective->remote_size;

	collective->block_bytes = share(event->bytes_sent, remote);
	collective->remote_bytes = share(event->bytes_received, remote);
	switch (event->collective) {
	case COLL_ALLGATHERV:
		collective->receive_bytes = event->receive_bytes;
		if (!event->receive_bytes)
			collective->remote_bytes = guess(event->bytes_received, remote, guessed);
		break;
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		if (event->send_bytes && event->receive_bytes) {
			collective->send_bytes = event->send_bytes;
			collective->receive_bytes = event->receive_bytes;
			break;
		}
		collective->block_bytes = guess(event->bytes_sent, remote, guessed);
		collective->remote_bytes = guess(event->bytes_received, remote, guessed);
		break;
	case COLL_REDUCE_SCATTER_BLOCK:
		collective->block_bytes = collective->remote_bytes * collective->size;
		break;
	case COLL_REDUCE_SCATTER:
		collective->block_bytes = event->bytes_sent;
		collective->receive_bytes = event->receive_bytes;
		*guessed |= !event->receive_bytes;
		break;
	default:
		break;
	}
}

int normalise_inter(struct collective *collective, const struct mpi_event *event, bool *guessed,
		    struct error *err)
{
	switch (event->collective) {
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return rooted(collective, event, guessed, err);
	case COLL_BARRIER:
	case COLL_CREATE_HANDLE:
		return 0;
	default:
		unrooted(collective, event, guessed);
		return 0;
	}
}
