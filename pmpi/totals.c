#include "pmpi/totals.h"

#include "pmpi/sink.h"
#include "trace/call/collective_totals.h"

static uint64_t block_bytes(struct block block)
{
	return bytes_of(block.count, block.type);
}

static MPI_Count count_of(const struct blocks *blocks, int rank)
{
	return blocks->large_counts ? blocks->large_counts[rank]
	       : blocks->counts     ? blocks->counts[rank]
				    : blocks->count;
}

static uint64_t block_of(struct blocks blocks, int rank)
{
	return bytes_of(count_of(&blocks, rank), blocks.types ? blocks.types[rank] : blocks.type);
}

/* Find the sizes of blocks of one type, of which MPI is asked once. */
static void blocks_of_type(const struct blocks *blocks, int count, uint64_t *values)
{
	const uint64_t bytes = bytes_of(1, blocks->type);

	for (int i = 0; i < count; i++) {
		const MPI_Count elements = count_of(blocks, i);

		values[i] = elements > 0 ? (uint64_t)elements * bytes : 0;
	}
}

/* Whether a block has data, so that the type has to be valid. */
static bool have_data(const struct blocks *blocks, int count)
{
	for (int i = 0; i < count; i++)
		if (count_of(blocks, i) > 0)
			return true;
	return false;
}

/* Describe the collective of the event on this rank; `root` is the argument of MPI. */
static struct collective_blocks describe_rooted(const struct mpi_event *event,
						const struct comm *comm, int root)
{
	struct collective_blocks blocks = {
		.size = (uint32_t)comm->size, .rank = (uint32_t)comm->rank,
		.remote_size = comm->inter ? (uint32_t)comm->peers : 0,
		.kind = event->collective, .root = (uint32_t)root,
	};

	if (comm->inter && root == MPI_ROOT)
		blocks.root = ROOT_SELF;
	else if (comm->inter && root == MPI_PROC_NULL)
		blocks.root = ROOT_THIS_GROUP;
	return blocks;
}

static struct collective_blocks describe_unrooted(const struct mpi_event *event,
						  const struct comm *comm, const void *send)
{
	struct collective_blocks blocks = describe_rooted(event, comm, 0);

	blocks.root = NO_ROOT;
	blocks.in_place = send == MPI_IN_PLACE;
	return blocks;
}

/* Fill a vector with `count` blocks.  NULL after process_fail. */
static const uint64_t *fill_vector(struct blocks blocks, int count, bool send)
{
	struct error err;
	uint64_t *values;

	if ((send ? array_reserve(&own_thread->send_vector, count, &err)
		  : array_reserve(&own_thread->receive_vector, count, &err)) < 0) {
		process_fail(&err);
		return NULL;
	}
	values = send ? own_thread->send_vector.items : own_thread->receive_vector.items;
	if (blocks.types)
		for (int i = 0; i < count; i++)
			values[i] = block_of(blocks, i);
	else if (have_data(&blocks, count))
		blocks_of_type(&blocks, count, values);
	else
		memset(values, 0, (size_t)count * sizeof *values);
	return values;
}

static void set_totals(struct mpi_event *event, const struct collective_blocks *blocks)
{
	collective_totals(event, blocks);
	if (!sink.needs)
		own_thread->own_bytes = collective_own_bytes(blocks);
}

const char *operation_name(MPI_Op op)
{
	int commutes = 1;

	if (!sink.needs)
		return NULL;
#define NAME(name)           \
	if (op == name)      \
		return #name
	NAME(MPI_SUM);
	NAME(MPI_MAX);
	NAME(MPI_MIN);
	NAME(MPI_PROD);
	NAME(MPI_LAND);
	NAME(MPI_BAND);
	NAME(MPI_LOR);
	NAME(MPI_BOR);
	NAME(MPI_LXOR);
	NAME(MPI_BXOR);
	NAME(MPI_MAXLOC);
	NAME(MPI_MINLOC);
	NAME(MPI_REPLACE);
	NAME(MPI_NO_OP);
#undef NAME
	PMPI_Op_commutative(op, &commutes);
	return commutes ? "user" : "user-noncommutative";
}

/* ------------------------------------------------------- one root, one block */

void totals_barrier(struct mpi_event *event, const struct comm *comm)
{
	(void)comm;
	event->root = NO_ROOT;
	own_thread->own_bytes = 0;
}

void totals_bcast(struct mpi_event *event, const struct comm *comm, struct block block, int root)
{
	struct collective_blocks blocks = describe_rooted(event, comm, root);

	blocks.block = block_bytes(block);
	set_totals(event, &blocks);
}

/* Describe the block `own` of a leaf that is not in place. */
static struct collective_blocks describe_own(const struct mpi_event *event, const struct comm *comm,
					     struct block own, int root)
{
	struct collective_blocks blocks = describe_rooted(event, comm, root);

	blocks.in_place = collective_is_root(&blocks) && collective_is_leaf(&blocks) &&
			  own.buffer == MPI_IN_PLACE;
	if (collective_is_leaf(&blocks) && !blocks.in_place)
		blocks.block = block_bytes(own);
	return blocks;
}

/* Count the block `own` of a leaf that is not in place, else the block `others` of the root. */
static void to_or_from_root(struct mpi_event *event, const struct comm *comm, struct block own,
			    struct block others, int root)
{
	struct collective_blocks blocks = describe_own(event, comm, own, root);

	if (collective_is_root(&blocks) && (blocks.in_place || !collective_is_leaf(&blocks)))
		blocks.block = block_bytes(others);
	set_totals(event, &blocks);
}

void totals_gather(struct mpi_event *event, const struct comm *comm, struct block send,
		   struct block receive, int root)
{
	to_or_from_root(event, comm, send, receive, root);
}

void totals_gatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct blocks receive, int root)
{
	struct collective_blocks blocks = describe_own(event, comm, send, root);

	if (collective_is_root(&blocks))
		blocks.receive_blocks = fill_vector(receive, comm->peers, false);
	set_totals(event, &blocks);
}

void totals_scatter(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct block receive, int root)
{
	to_or_from_root(event, comm, receive, send, root);
}

void totals_scatterv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		     struct block receive, int root)
{
	struct collective_blocks blocks = describe_own(event, comm, receive, root);

	if (collective_is_root(&blocks))
		blocks.send_blocks = fill_vector(send, comm->peers, true);
	set_totals(event, &blocks);
}

void totals_reduce(struct mpi_event *event, const struct comm *comm, struct block block, MPI_Op op,
		   int root)
{
	event->operation = operation_name(op);
	to_or_from_root(event, comm, block, block, root);
}

/* -------------------------------------------------------------- all to all */

void totals_all(struct mpi_event *event, const struct comm *comm, struct block send,
		struct block receive)
{
	struct collective_blocks blocks = describe_unrooted(event, comm, send.buffer);

	blocks.block = block_bytes(blocks.in_place ? receive : send);
	if (comm->inter)
		blocks.remote_block = block_bytes(receive);
	set_totals(event, &blocks);
}

void totals_allgatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		       struct blocks receive)
{
	struct collective_blocks blocks = describe_unrooted(event, comm, send.buffer);

	blocks.receive_blocks = fill_vector(receive, comm->peers, false);
	blocks.block = blocks.in_place ? block_of(receive, comm->rank) : block_bytes(send);
	set_totals(event, &blocks);
}

void totals_alltoallv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		      struct blocks receive)
{
	struct collective_blocks blocks = describe_unrooted(event, comm, send.buffer);

	blocks.receive_blocks = fill_vector(receive, comm->peers, false);
	if (!blocks.in_place)
		blocks.send_blocks = fill_vector(send, comm->peers, true);
	set_totals(event, &blocks);
}

void totals_reduction(struct mpi_event *event, const struct comm *comm, struct block block,
		      MPI_Op op)
{
	struct collective_blocks blocks = describe_unrooted(event, comm, block.buffer);

	event->operation = operation_name(op);
	blocks.block = block_bytes(block);
	set_totals(event, &blocks);
}

/* The blocks are those of this rank's own group, even on an inter-communicator. */
void totals_reduce_scatter(struct mpi_event *event, const struct comm *comm,
			   struct blocks pieces, MPI_Op op)
{
	struct collective_blocks blocks = describe_unrooted(event, comm, pieces.buffer);

	event->operation = operation_name(op);
	blocks.send_blocks = fill_vector(pieces, comm->size, true);
	set_totals(event, &blocks);
}

/* -------------------------------------------------------------- neighbours */

/* Append the blocks of the neighbours other than MPI_PROC_NULL.  Return their sum. */
static uint64_t fill_neighbours(struct blocks blocks, const int *ranks, int count, int turn,
				uint64_t *values, uint32_t *filled)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++) {
		if (ranks[i ^ turn] == MPI_PROC_NULL)
			continue;
		values[*filled] = block_of(blocks, i ^ turn);
		sum += values[(*filled)++];
	}
	return sum;
}

/* Bytes that this rank passes as its own data: one of equal blocks, or all. */
static uint64_t own_bytes_to_neighbours(const struct mpi_event *event, const struct blocks *send)
{
	if (send->counts || send->large_counts)
		return event->bytes_sent;
	return event->send_count > 0 ? event->send_bytes[0] : 0;
}

void totals_neighbours(struct mpi_event *event, struct comm *comm, struct blocks send,
		       struct blocks receive)
{
	const struct neighbours *all = comm_neighbours(comm);
	struct error err;

	event->root = NO_ROOT;
	event->neighbours = all ? all->text : ";";
	own_thread->own_bytes = 0;
	if (!all)
		return;
	if (array_reserve(&own_thread->send_vector, (size_t)all->out + 1, &err) < 0 ||
	    array_reserve(&own_thread->receive_vector, (size_t)all->in + 1, &err) < 0) {
		process_fail(&err);
		return;
	}
	event->send_bytes = own_thread->send_vector.items;
	event->receive_bytes = own_thread->receive_vector.items;
	event->bytes_sent = fill_neighbours(send, all->destinations, all->out, 0,
					    own_thread->send_vector.items, &event->send_count);
	event->bytes_received = fill_neighbours(receive, all->sources, all->in, all->turn,
						own_thread->receive_vector.items,
						&event->receive_count);
	own_thread->own_bytes = own_bytes_to_neighbours(event, &send);
}
