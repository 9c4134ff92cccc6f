#include "schedgen/collectives/normalise.h"

#include "common/units.h"

static uint64_t share(uint64_t total, uint32_t parts)
{
	return parts ? total / parts : 0;
}

/*
 * One of P equal blocks, or of P - 1 in place.  Traces without the mark for in
 * place still have totals that only P - 1 divides.
 */
static uint64_t block_of(uint64_t total, uint32_t ranks, bool in_place)
{
	if (in_place || (total % ranks && total % (ranks - 1) == 0))
		return share(total, ranks - 1);
	return share(total, ranks);
}

/* A guess must not be zero, which would mean that there is no message. */
static uint64_t guess_block(uint64_t total, uint32_t ranks, bool in_place, bool *guessed)
{
	uint64_t bytes = share(total, in_place ? ranks - 1 : ranks);

	*guessed = true;
	return bytes ? bytes : 1;
}

static int check_root(const struct collective *collective, struct error *err)
{
	if (collective->root < collective->size)
		return 0;
	return error_set(err, STATUS_DATA, "root %u is not among the %u rank%s of the communicator",
			 collective->root, collective->size, plural(collective->size));
}

/* Bytes of one block in gather and reduce, where the root receives from all. */
static uint64_t block_to_root(const struct collective *collective, const struct mpi_event *event)
{
	if (collective->rank == collective->root && !event->bytes_sent)
		return share(event->bytes_received, collective->size - 1);
	return event->bytes_sent;
}

/* Likewise in bcast and scatter, where the root sends to all. */
static uint64_t block_from_root(const struct collective *collective, const struct mpi_event *event)
{
	if (collective->rank == collective->root && !event->bytes_received)
		return share(event->bytes_sent, collective->size - 1);
	return event->bytes_received;
}

static uint64_t block_of_scan(const struct collective *collective, const struct mpi_event *event)
{
	uint32_t before = collective->rank, behind = collective->size - collective->rank - 1;
	uint32_t self = event->in_place || event->collective == COLL_EXSCAN ? 0 : 1;

	if (before + self)
		return event->bytes_received / (before + self);
	return share(event->bytes_sent, behind + self);
}

static void unequal_blocks(struct collective *collective, const struct mpi_event *event,
			   bool *guessed)
{
	uint32_t ranks = collective->size;
	bool is_root = collective->rank == collective->root;
	bool in_place = event->in_place;

	switch (event->collective) {
	case COLL_GATHERV:
		collective->receive_bytes = is_root ? event->receive_bytes : NULL;
		collective->block_bytes = event->bytes_sent;
		if (is_root && !event->receive_bytes)
			collective->block_bytes =
				guess_block(event->bytes_received, ranks, in_place, guessed);
		break;
	case COLL_SCATTERV:
		collective->send_bytes = is_root ? event->send_bytes : NULL;
		collective->block_bytes = event->bytes_received;
		if (is_root && !event->send_bytes)
			collective->block_bytes =
				guess_block(event->bytes_sent, ranks, in_place, guessed);
		break;
	case COLL_ALLGATHERV:
		collective->receive_bytes = event->receive_bytes;
		if (!event->receive_bytes)
			collective->block_bytes =
				guess_block(event->bytes_received, ranks, in_place, guessed);
		break;
	case COLL_REDUCE_SCATTER:
		collective->send_bytes = event->send_bytes;
		if (!event->send_bytes)
			collective->block_bytes =
				guess_block(event->bytes_sent, ranks, in_place, guessed);
		break;
	default:	/* COLL_ALLTOALLV, COLL_ALLTOALLW */
		if (event->send_bytes && event->receive_bytes) {
			collective->send_bytes = event->send_bytes;
			collective->receive_bytes = event->receive_bytes;
		} else {
			collective->block_bytes =
				guess_block(event->bytes_sent, ranks, in_place, guessed);
		}
	}
}

int normalise(struct collective *collective, const struct mpi_event *event, bool *guessed,
	      struct error *err)
{
	uint32_t ranks = collective->size;

	collective->kind = event->collective;
	collective->root = event->root;
	collective->block_bytes = 0;
	collective->send_bytes = collective->receive_bytes = NULL;
	switch (event->collective) {
	case COLL_BCAST:
	case COLL_SCATTER:
		TRY(check_root(collective, err));
		collective->block_bytes = block_from_root(collective, event);
		break;
	case COLL_GATHER:
	case COLL_REDUCE:
		TRY(check_root(collective, err));
		collective->block_bytes = block_to_root(collective, event);
		break;
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
	case COLL_ALLREDUCE:
	case COLL_REDUCE_SCATTER_BLOCK:
		if (ranks > 1)
			collective->block_bytes =
				block_of(event->bytes_sent, ranks, event->in_place);
		break;
	case COLL_SCAN:
	case COLL_EXSCAN:
		collective->block_bytes = block_of_scan(collective, event);
		break;
	case COLL_GATHERV:
	case COLL_SCATTERV:
		TRY(check_root(collective, err));
		/* fall through */
	case COLL_ALLGATHERV:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
	case COLL_REDUCE_SCATTER:
		unequal_blocks(collective, event, guessed);
		break;
	default:	/* a barrier has no sizes */
		break;
	}
	return 0;
}
