#include "trace/liballprof/text_calls.h"

#include <string.h>

static int multiply(uint64_t a, uint64_t b, uint64_t *product, struct error *err)
{
	if (__builtin_mul_overflow(a, b, product))
		return error_set(err, STATUS_DATA, "moves 2^64 bytes or more");
	return 0;
}

int text_bytes(const struct text_argument *count, const struct text_argument *type,
		 uint64_t *bytes, struct error *err)
{
	*bytes = 0;
	if (count->number < 0)
		return error_set(err, STATUS_DATA, "has the negative count %d", count->number);
	*bytes = (uint64_t)count->number * type->bytes;
	return 0;
}

/* MPI_IN_PLACE as an address: of MPICH and of Open MPI. */
static bool is_in_place(const struct text_argument *buffer)
{
	return buffer->address == UINT64_MAX || buffer->address == 1;
}

static const char *operation_name(const struct text_argument *operation)
{
	static const char *const names[] = {
		NULL, "MPI_MIN", "MPI_MAX", "MPI_SUM", "MPI_PROD", "MPI_LAND", "MPI_BAND",
		"MPI_LOR",
		"MPI_BOR", "MPI_LXOR", "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC"
	};

	return operation->address < sizeof names / sizeof *names ? names[operation->address] :
								   "user";
}

static int read_root(const struct text_argument *root, const struct text_argument *comm,
		     struct mpi_event *event, struct error *err)
{
	if (root->number < 0 || (uint32_t)root->number >= comm->size)
		return error_set(err, STATUS_DATA, "has the root %d of %u ranks", root->number,
				 comm->size);
	event->root = (uint32_t)root->number;
	return 0;
}

/* The vector of an array of counts, or NULL if the trace does not have it. */
static int read_vector(struct text_rank *rank, const struct text_argument *counts,
		       const struct text_argument *type, uint32_t size, const uint64_t **vector,
		       uint64_t *sum, struct error *err)
{
	uint64_t *items;

	*vector = NULL;
	*sum = 0;
	if (!counts->counts)
		return 0;
	items = rank->counts.items + rank->counts.count;
	TRY(text_line_counts(counts, size, type->bytes, items, err));
	rank->counts.count += size;
	for (uint32_t i = 0; i < size; i++)
		if (__builtin_add_overflow(*sum, items[i], sum))
			return multiply(UINT64_MAX, 2, sum, err);
	*vector = items;
	return 0;
}

/* Allgather, alltoall, allreduce, reduce_scatter_block: `bytes` to and from each. */
static int all_to_all(struct mpi_event *event, uint64_t bytes, uint32_t size, struct error *err)
{
	TRY(multiply(bytes, size - event->in_place, &event->bytes_sent, err));
	event->bytes_received = event->bytes_sent;
	return 0;
}

/* Scatter and bcast; the other way round gather and reduce. */
static int with_root(struct mpi_event *event, uint64_t all, uint64_t own, uint32_t size,
		     bool is_root, bool to_root, struct error *err)
{
	uint64_t total = 0;

	if (is_root)
		TRY(multiply(all, size - event->in_place, &total, err));
	if (is_root && event->in_place)
		own = 0;
	event->bytes_sent = to_root ? own : total;
	event->bytes_received = to_root ? total : own;
	return 0;
}

static int scan(struct mpi_event *event, uint64_t bytes, const struct text_argument *comm,
		struct error *err)
{
	uint32_t self = event->collective == COLL_SCAN && !event->in_place;

	TRY(multiply(bytes, comm->size - comm->rank - 1 + self, &event->bytes_sent, err));
	return multiply(bytes, comm->rank + self, &event->bytes_received, err);
}

/* MPI_Reduce and its like: two buffers, count, datatype, operation. */
static int reduction(const struct text_argument *arguments, const struct text_argument *comm,
		     struct mpi_event *event, struct error *err)
{
	bool is_root = false;
	uint64_t bytes;

	event->in_place = is_in_place(&arguments[0]);
	event->operation = operation_name(&arguments[4]);
	TRY(text_bytes(&arguments[2], &arguments[3], &bytes, err));
	switch (event->collective) {
	case COLL_REDUCE:
		TRY(read_root(&arguments[5], comm, event, err));
		is_root = event->root == comm->rank;
		return with_root(event, bytes, bytes, comm->size, is_root, true, err);
	case COLL_SCAN:
	case COLL_EXSCAN:
		return scan(event, bytes, comm, err);
	default:	/* COLL_ALLREDUCE, COLL_REDUCE_SCATTER_BLOCK */
		return all_to_all(event, bytes, comm->size, err);
	}
}

static int reduce_scatter(struct text_rank *rank, const struct text_argument *arguments,
			  const struct text_argument *comm, struct mpi_event *event,
			  struct error *err)
{
	event->in_place = is_in_place(&arguments[0]);
	event->operation = operation_name(&arguments[4]);
	TRY(read_vector(rank, &arguments[2], &arguments[3], comm->size, &event->send_bytes,
			&event->bytes_sent, err));
	if (!event->send_bytes)
		return 1;
	event->send_count = comm->size;
	return multiply(event->send_bytes[comm->rank], comm->size, &event->bytes_received, err);
}

/* MPI_Gather and its like: buffer, count, datatype, buffer, count, datatype, root or none. */
static int blocks(const struct text_argument *arguments, const struct text_argument *comm,
		  struct mpi_event *event, struct error *err)
{
	bool scatter = event->collective == COLL_SCATTER;
	uint64_t send = 0, receive = 0;
	bool is_root;

	event->in_place = is_in_place(&arguments[scatter ? 3 : 0]);
	if (event->collective != COLL_GATHER && event->collective != COLL_SCATTER) {
		TRY(text_bytes(&arguments[4], &arguments[5], &receive, err));
		return all_to_all(event, receive, comm->size, err);
	}
	TRY(read_root(&arguments[6], comm, event, err));
	is_root = event->root == comm->rank;
	event->in_place = event->in_place && is_root;
	if (is_root || !scatter)
		TRY(text_bytes(&arguments[1], &arguments[2], &send, err));
	if (is_root || scatter)
		TRY(text_bytes(&arguments[4], &arguments[5], &receive, err));
	return scatter ? with_root(event, send, receive, comm->size, is_root, false, err) :
			 with_root(event, receive, send, comm->size, is_root, true, err);
}

/* MPI_Gatherv and its like; 1 if what this rank has to say is not in the trace. */
static int vectors(struct text_rank *rank, const struct text_argument *arguments,
		   const struct text_argument *comm, struct mpi_event *event, struct error *err)
{
	bool is_root;

	switch (event->collective) {
	case COLL_GATHERV:
		TRY(read_root(&arguments[7], comm, event, err));
		is_root = event->root == comm->rank;
		event->in_place = is_root && is_in_place(&arguments[0]);
		if (!event->in_place)
			TRY(text_bytes(&arguments[1], &arguments[2], &event->bytes_sent, err));
		if (is_root)
			TRY(read_vector(rank, &arguments[4], &arguments[6], comm->size,
					&event->receive_bytes, &event->bytes_received, err));
		event->receive_count = event->receive_bytes ? comm->size : 0;
		if (is_root && !event->receive_bytes)	/* then as many of all ranks as of this */
			return multiply(event->bytes_sent, comm->size, &event->bytes_received, err);
		return 0;
	case COLL_SCATTERV:
		TRY(read_root(&arguments[7], comm, event, err));
		is_root = event->root == comm->rank;
		event->in_place = is_root && is_in_place(&arguments[4]);
		if (!event->in_place)
			TRY(text_bytes(&arguments[5], &arguments[6], &event->bytes_received, err));
		if (is_root)
			TRY(read_vector(rank, &arguments[1], &arguments[3], comm->size,
					&event->send_bytes, &event->bytes_sent, err));
		event->send_count = event->send_bytes ? comm->size : 0;
		if (is_root && !event->send_bytes)
			return multiply(event->bytes_received, comm->size, &event->bytes_sent, err);
		return 0;
	case COLL_ALLGATHERV:
		event->in_place = is_in_place(&arguments[0]);
		TRY(read_vector(rank, &arguments[4], &arguments[6], comm->size,
				&event->receive_bytes, &event->bytes_received, err));
		event->receive_count = event->receive_bytes ? comm->size : 0;
		return event->receive_bytes ? 0 : 1;
	default:	/* COLL_ALLTOALLV */
		event->in_place = is_in_place(&arguments[0]);
		TRY(read_vector(rank, &arguments[5], &arguments[7], comm->size,
				&event->receive_bytes, &event->bytes_received, err));
		TRY(read_vector(rank, &arguments[event->in_place ? 5 : 1],
				&arguments[event->in_place ? 7 : 3], comm->size, &event->send_bytes,
				&event->bytes_sent, err));
		event->send_count = event->receive_count = event->send_bytes ? comm->size : 0;
		return event->send_bytes ? 0 : 1;
	}
}

int text_collective_event(struct text_rank *rank, enum mpi_collective collective,
			  const struct text_argument *arguments, const struct text_argument *comm,
			  struct mpi_event *event, struct error *err)
{
	uint64_t bytes;

	event->collective = collective;
	event->root = NO_ROOT;
	rank->counts.count = 0;
	TRY(array_reserve(&rank->counts, 2 * (size_t)comm->size, err));
	switch (collective) {
	case COLL_BARRIER:
	case COLL_CREATE_HANDLE:
		return 0;
	case COLL_BCAST:
		TRY(read_root(&arguments[3], comm, event, err));
		TRY(text_bytes(&arguments[1], &arguments[2], &bytes, err));
		return with_root(event, bytes, bytes, comm->size, event->root == comm->rank, false,
				 err);
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		return blocks(arguments, comm, event, err);
	case COLL_REDUCE_SCATTER:
		return reduce_scatter(rank, arguments, comm, event, err);
	case COLL_GATHERV:
	case COLL_SCATTERV:
	case COLL_ALLGATHERV:
	case COLL_ALLTOALLV:
		return vectors(rank, arguments, comm, event, err);
	case COLL_ALLTOALLW:
		return 1;
	default:
		return reduction(arguments, comm, event, err);
	}
}
