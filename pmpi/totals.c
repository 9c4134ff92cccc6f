#include "pmpi/totals.h"

static _Thread_local ARRAY(uint64_t) send_vector, receive_vector;

void totals_release(void)
{
	array_release(&send_vector);
	array_release(&receive_vector);
}

static uint64_t block_bytes(struct block block)
{
	return bytes_of(block.count, block.type);
}

static uint64_t block_of(struct blocks blocks, int rank)
{
	MPI_Count count = blocks.large_counts ? blocks.large_counts[rank]
			: blocks.counts ? blocks.counts[rank] : blocks.count;

	return bytes_of(count, blocks.types ? blocks.types[rank] : blocks.type);
}

/* Set the root; whether this rank is it, and whether it takes part at all. */
struct part {
	bool root, leaf;
};

static struct part take_part(struct mpi_event *event, const struct comm *comm, int root)
{
	struct part part = {0};

	event->root = (uint32_t)root;
	if (!comm->inter) {
		part.root = comm->rank == root;
		part.leaf = true;
	} else if (root == MPI_ROOT) {
		event->root = ROOT_SELF;
		part.root = true;
	} else if (root == MPI_PROC_NULL) {
		event->root = ROOT_THIS_GROUP;
	} else {
		part.leaf = true;
	}
	return part;
}

/*
 * Write `count` blocks to a vector; the sum, without the block of rank `but`.  On
 * lack of memory tracing ends.
 */
#define NOBODY (-1)
static uint64_t fill_vector(struct blocks blocks, int count, int but, uint64_t *values)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++) {
		uint64_t bytes = block_of(blocks, i);

		if (values)
			values[i] = bytes;
		if (i != but)
			sum += bytes;
	}
	return sum;
}

static uint64_t send_blocks(struct mpi_event *event, struct blocks blocks, int count, int but)
{
	struct error err;

	if (array_reserve(&send_vector, count, &err) < 0)
		process_fail(&err);
	else
		event->send_bytes = send_vector.items;
	event->send_count = (uint32_t)count;
	return fill_vector(blocks, count, but, (uint64_t *)event->send_bytes);
}

static uint64_t receive_blocks(struct mpi_event *event, struct blocks blocks, int count, int but)
{
	struct error err;

	if (array_reserve(&receive_vector, count, &err) < 0)
		process_fail(&err);
	else
		event->receive_bytes = receive_vector.items;
	event->receive_count = (uint32_t)count;
	return fill_vector(blocks, count, but, (uint64_t *)event->receive_bytes);
}

const char *operation_name(MPI_Op op)
{
	int commutes = 1;

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
}

void totals_bcast(struct mpi_event *event, const struct comm *comm, struct block block, int root)
{
	struct part part = take_part(event, comm, root);
	uint64_t bytes = block_bytes(block);

	if (part.root)
		event->bytes_sent = bytes * (uint64_t)comm->peers;
	if (part.leaf)
		event->bytes_received = bytes;
}

void totals_gather(struct mpi_event *event, const struct comm *comm, struct block send,
		   struct block receive, int root)
{
	struct part part = take_part(event, comm, root);

	event->in_place = part.root && part.leaf && send.buffer == MPI_IN_PLACE;
	if (part.leaf && !event->in_place)
		event->bytes_sent = block_bytes(send);
	if (part.root)
		event->bytes_received = block_bytes(receive) *
					(uint64_t)(comm->peers - event->in_place);
}

void totals_gatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct blocks receive, int root)
{
	struct part part = take_part(event, comm, root);

	event->in_place = part.root && part.leaf && send.buffer == MPI_IN_PLACE;
	if (part.leaf && !event->in_place)
		event->bytes_sent = block_bytes(send);
	if (part.root)
		event->bytes_received = receive_blocks(event, receive, comm->peers,
						       event->in_place ? comm->rank : NOBODY);
}

void totals_scatter(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct block receive, int root)
{
	struct part part = take_part(event, comm, root);

	event->in_place = part.root && part.leaf && receive.buffer == MPI_IN_PLACE;
	if (part.root)
		event->bytes_sent = block_bytes(send) * (uint64_t)(comm->peers - event->in_place);
	if (part.leaf && !event->in_place)
		event->bytes_received = block_bytes(receive);
}

void totals_scatterv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		     struct block receive, int root)
{
	struct part part = take_part(event, comm, root);

	event->in_place = part.root && part.leaf && receive.buffer == MPI_IN_PLACE;
	if (part.root)
		event->bytes_sent = send_blocks(event, send, comm->peers,
						event->in_place ? comm->rank : NOBODY);
	if (part.leaf && !event->in_place)
		event->bytes_received = block_bytes(receive);
}

void totals_reduce(struct mpi_event *event, const struct comm *comm, struct block block, MPI_Op op,
		   int root)
{
	struct part part = take_part(event, comm, root);
	uint64_t bytes = block_bytes(block);

	event->operation = operation_name(op);
	event->in_place = part.root && part.leaf && block.buffer == MPI_IN_PLACE;
	if (part.leaf && !event->in_place)
		event->bytes_sent = bytes;
	if (part.root)
		event->bytes_received = bytes * (uint64_t)(comm->peers - event->in_place);
}

/* -------------------------------------------------------------- all to all */

void totals_all(struct mpi_event *event, const struct comm *comm, struct block send,
		struct block receive)
{
	uint64_t peers;

	event->root = NO_ROOT;
	event->in_place = send.buffer == MPI_IN_PLACE;
	peers = (uint64_t)(comm->peers - event->in_place);
	event->bytes_received = block_bytes(receive) * peers;
	event->bytes_sent = event->in_place ? event->bytes_received : block_bytes(send) * peers;
}

void totals_allgatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		       struct blocks receive)
{
	event->root = NO_ROOT;
	event->in_place = send.buffer == MPI_IN_PLACE;
	event->bytes_received = receive_blocks(event, receive, comm->peers,
					       event->in_place ? comm->rank : NOBODY);
	if (event->in_place)
		event->bytes_sent = block_of(receive, comm->rank) * (uint64_t)(comm->peers - 1);
	else
		event->bytes_sent = block_bytes(send) * (uint64_t)comm->peers;
}

void totals_alltoallv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		      struct blocks receive)
{
	event->root = NO_ROOT;
	event->in_place = send.buffer == MPI_IN_PLACE;
	event->bytes_received = receive_blocks(event, receive, comm->peers,
					       event->in_place ? comm->rank : NOBODY);
	event->bytes_sent = event->in_place ? event->bytes_received
					    : send_blocks(event, send, comm->peers, NOBODY);
}

void totals_allreduce(struct mpi_event *event, const struct comm *comm, struct block block,
		      MPI_Op op)
{
	event->root = NO_ROOT;
	event->operation = operation_name(op);
	event->in_place = block.buffer == MPI_IN_PLACE;
	event->bytes_sent = block_bytes(block) * (uint64_t)(comm->peers - event->in_place);
	event->bytes_received = event->bytes_sent;
}

/* The blocks are those of this rank's own group, even on an inter-communicator. */
void totals_reduce_scatter(struct mpi_event *event, const struct comm *comm,
			   struct blocks blocks, MPI_Op op)
{
	event->root = NO_ROOT;
	event->operation = operation_name(op);
	event->in_place = blocks.buffer == MPI_IN_PLACE;
	event->bytes_received = block_of(blocks, comm->rank) *
				(uint64_t)(comm->peers - event->in_place);
	if (comm->inter)
		event->bytes_sent = receive_blocks(event, blocks, comm->size, NOBODY);
	else
		event->bytes_sent = send_blocks(event, blocks, comm->size,
						event->in_place ? comm->rank : NOBODY);
}

void totals_scan(struct mpi_event *event, const struct comm *comm, struct block block, MPI_Op op)
{
	uint64_t bytes = block_bytes(block);

	event->root = NO_ROOT;
	event->operation = operation_name(op);
	event->in_place = block.buffer == MPI_IN_PLACE;
	event->bytes_sent = bytes * (uint64_t)(comm->size - comm->rank - event->in_place);
	event->bytes_received = bytes * (uint64_t)(comm->rank + 1 - event->in_place);
}

void totals_exscan(struct mpi_event *event, const struct comm *comm, struct block block, MPI_Op op)
{
	uint64_t bytes = block_bytes(block);

	event->root = NO_ROOT;
	event->operation = operation_name(op);
	event->in_place = block.buffer == MPI_IN_PLACE;
	event->bytes_sent = bytes * (uint64_t)(comm->size - comm->rank - 1);
	event->bytes_received = bytes * (uint64_t)comm->rank;
}

/* -------------------------------------------------------------- neighbours */

/* The blocks of those that are there; their sum. */
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

void totals_neighbours(struct mpi_event *event, const struct comm *comm, struct blocks send,
		       struct blocks receive)
{
	const struct neighbours *all = comm_neighbours(comms.list.items[comm->id]);
	struct error err;

	event->root = NO_ROOT;
	event->neighbours = all ? all->text : ";";
	if (!all)
		return;
	if (array_reserve(&send_vector, (size_t)all->out + 1, &err) < 0 ||
	    array_reserve(&receive_vector, (size_t)all->in + 1, &err) < 0) {
		process_fail(&err);
		return;
	}
	event->send_bytes = send_vector.items;
	event->receive_bytes = receive_vector.items;
	event->bytes_sent = fill_neighbours(send, all->destinations, all->out, 0,
					    send_vector.items, &event->send_count);
	event->bytes_received = fill_neighbours(receive, all->sources, all->in, all->turn,
						receive_vector.items, &event->receive_count);
}
