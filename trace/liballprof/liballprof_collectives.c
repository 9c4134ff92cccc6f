/* Collectives in traces of liballprof: their arguments as bytes and roots. */
#include "trace/liballprof/liballprof_calls.h"

#include "trace/call/collective_totals.h"

#include <string.h>

int liballprof_bytes(const struct liballprof_argument *count,
		     const struct liballprof_argument *type,
		 uint64_t *bytes, struct error *err)
{
	*bytes = 0;
	if (count->number < 0)
		return error_set(err, STATUS_DATA, "has the negative count %d", count->number);
	*bytes = (uint64_t)count->number * type->bytes;
	return 0;
}

/* Check whether the buffer is MPI_IN_PLACE of MPICH or of Open MPI. */
static bool is_in_place(const struct liballprof_argument *buffer)
{
	return buffer->address == UINT64_MAX || buffer->address == 1;
}

static const char *operation_name(const struct liballprof_argument *operation)
{
	static const char *const names[] = {
		NULL, "MPI_MIN", "MPI_MAX", "MPI_SUM", "MPI_PROD", "MPI_LAND", "MPI_BAND",
		"MPI_LOR",
		"MPI_BOR", "MPI_LXOR", "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC"
	};

	return operation->address < sizeof names / sizeof *names ? names[operation->address] :
								   "user";
}

static int read_root(const struct liballprof_argument *root, struct collective_blocks *blocks,
		     struct error *err)
{
	if (root->number < 0 || (uint32_t)root->number >= blocks->size)
		return error_set(err, STATUS_DATA, "has the root %d of %u ranks", root->number,
				 blocks->size);
	blocks->root = (uint32_t)root->number;
	return 0;
}

/* Read the vector of an array of counts; NULL if the trace lacks it. */
static int read_vector(struct liballprof_rank *rank, const struct liballprof_argument *counts,
		       const struct liballprof_argument *type, uint32_t size,
		       const uint64_t **vector, struct error *err)
{
	uint64_t *items;

	*vector = NULL;
	if (!counts->counts)
		return 0;
	items = rank->counts.items + rank->counts.count;
	TRY(liballprof_line_counts(counts, size, type->bytes, items, err));
	rank->counts.count += size;
	*vector = items;
	return 0;
}

/* Read a reduction: two buffers, count, datatype, operation, and the root of MPI_Reduce. */
static int reduction(const struct liballprof_argument *arguments, struct collective_blocks *blocks,
		     struct error *err)
{
	blocks->in_place = is_in_place(&arguments[0]);
	TRY(liballprof_bytes(&arguments[2], &arguments[3], &blocks->block, err));
	return blocks->kind == COLL_REDUCE ? read_root(&arguments[5], blocks, err) : 0;
}

/* Read equal blocks: buffer, count, datatype, buffer, count, datatype, and a root if any. */
static int read_equal_blocks(const struct liballprof_argument *arguments,
			     struct collective_blocks *blocks, struct error *err)
{
	bool scatter = blocks->kind == COLL_SCATTER, own_is_first;

	blocks->in_place = is_in_place(&arguments[scatter ? 3 : 0]);
	if (blocks->kind == COLL_ALLGATHER || blocks->kind == COLL_ALLTOALL)
		return liballprof_bytes(&arguments[4], &arguments[5], &blocks->block, err);
	TRY(read_root(&arguments[6], blocks, err));
	blocks->in_place &= collective_is_root(blocks);
	/* In place, only the arguments of the whole buffer are valid. */
	own_is_first = scatter == blocks->in_place;
	return liballprof_bytes(&arguments[own_is_first ? 1 : 4], &arguments[own_is_first ? 2 : 5],
				&blocks->block, err);
}

/*
 * Read unequal blocks; 1 if the trace lacks this rank's vectors.  A root without its vector is
 * taken to have blocks of the size of its own.
 */
static int unequal_blocks(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
			  struct collective_blocks *blocks, struct error *err)
{
	const uint32_t size = blocks->size;

	switch (blocks->kind) {
	case COLL_GATHERV:
		TRY(read_root(&arguments[7], blocks, err));
		blocks->in_place = collective_is_root(blocks) && is_in_place(&arguments[0]);
		if (!blocks->in_place)
			TRY(liballprof_bytes(&arguments[1], &arguments[2], &blocks->block, err));
		if (!collective_is_root(blocks))
			return 0;
		return read_vector(rank, &arguments[4], &arguments[6], size,
				   &blocks->receive_blocks, err);
	case COLL_SCATTERV:
		TRY(read_root(&arguments[7], blocks, err));
		blocks->in_place = collective_is_root(blocks) && is_in_place(&arguments[4]);
		if (!blocks->in_place)
			TRY(liballprof_bytes(&arguments[5], &arguments[6], &blocks->block, err));
		if (!collective_is_root(blocks))
			return 0;
		return read_vector(rank, &arguments[1], &arguments[3], size, &blocks->send_blocks,
				   err);
	case COLL_ALLGATHERV:
		blocks->in_place = is_in_place(&arguments[0]);
		TRY(read_vector(rank, &arguments[4], &arguments[6], size, &blocks->receive_blocks,
				err));
		if (blocks->receive_blocks)
			blocks->block = blocks->receive_blocks[blocks->rank];
		return !blocks->receive_blocks;
	case COLL_REDUCE_SCATTER:
		blocks->in_place = is_in_place(&arguments[0]);
		TRY(read_vector(rank, &arguments[2], &arguments[3], size, &blocks->send_blocks,
				err));
		return !blocks->send_blocks;
	default:	/* COLL_ALLTOALLV */
		blocks->in_place = is_in_place(&arguments[0]);
		TRY(read_vector(rank, &arguments[5], &arguments[7], size, &blocks->receive_blocks,
				err));
		if (!blocks->in_place)
			TRY(read_vector(rank, &arguments[1], &arguments[3], size,
					&blocks->send_blocks, err));
		return !blocks->receive_blocks || !(blocks->in_place || blocks->send_blocks);
	}
}

static int read_blocks(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
		       struct collective_blocks *blocks, struct error *err)
{
	switch (blocks->kind) {
	case COLL_BCAST:
		TRY(read_root(&arguments[3], blocks, err));
		return liballprof_bytes(&arguments[1], &arguments[2], &blocks->block, err);
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		return read_equal_blocks(arguments, blocks, err);
	case COLL_REDUCE_SCATTER:
	case COLL_GATHERV:
	case COLL_SCATTERV:
	case COLL_ALLGATHERV:
	case COLL_ALLTOALLV:
		return unequal_blocks(rank, arguments, blocks, err);
	default:
		return reduction(arguments, blocks, err);
	}
}

static bool reduces(enum mpi_collective kind)
{
	return kind == COLL_REDUCE || kind == COLL_ALLREDUCE || kind == COLL_SCAN ||
	       kind == COLL_EXSCAN || kind == COLL_REDUCE_SCATTER ||
	       kind == COLL_REDUCE_SCATTER_BLOCK;
}

int liballprof_collective_event(struct liballprof_rank *rank, enum mpi_collective collective,
				const struct liballprof_argument *arguments,
				const struct liballprof_argument *comm,
				struct mpi_event *event, struct error *err)
{
	struct collective_blocks blocks = {
		.size = comm->size, .rank = comm->rank, .kind = collective, .root = NO_ROOT
	};
	int unknown;

	event->collective = collective;
	event->root = NO_ROOT;
	rank->counts.count = 0;
	if (collective == COLL_BARRIER || collective == COLL_CREATE_HANDLE)
		return 0;
	if (collective == COLL_ALLTOALLW)
		return 1;
	TRY(array_reserve(&rank->counts, 2 * (size_t)comm->size, err));
	unknown = read_blocks(rank, arguments, &blocks, err);
	if (unknown)
		return unknown;
	if (reduces(collective))
		event->operation = operation_name(&arguments[4]);
	if (!collective_totals(event, &blocks))
		return error_set(err, STATUS_DATA, "moves 2^64 bytes or more");
	return 0;
}
