/* Collectives: blocking, non-blocking, persistent. */
#include "pmpi/persistent.h"
#include "pmpi/requests.h"
#include "pmpi/sums.h"
#include "pmpi/totals.h"
#include "trace/call/collective_totals.h"

/*
 * The communicator, or NULL if the call needs no event.  A persistent collective is `wanted` even
 * if its init is not recorded.
 */
static struct comm *described_comm(bool wanted, MPI_Comm handle, int result)
{
	struct comm *comm = wanted && result == MPI_SUCCESS ? comm_find(handle) : NULL;

	return comm && comm->id != NO_COMM ? comm : NULL;
}

static void describe_collective(struct mpi_event *event, const struct comm *comm,
				enum mpi_collective collective)
{
	event->comm = comm->id;
	event->collective = collective;
}

/* Copy the vectors of a non-blocking collective, whose event comes when it completes. */
static int keep_vectors(struct request *request, const struct mpi_event *event,
			struct error *err)
{
	uint64_t *own;

	request->vectors.count = 0;
	TRY(array_reserve(&request->vectors, (size_t)event->send_count + event->receive_count,
			  err));
	own = request->vectors.items;
	if (event->send_bytes)
		request->collective.send_bytes = memcpy(own, event->send_bytes,
							event->send_count * sizeof *own);
	if (event->receive_bytes)
		request->collective.receive_bytes =
			memcpy(own + event->send_count, event->receive_bytes,
			       event->receive_count * sizeof *own);
	return 0;
}

/*
 * Add the request, also of a call that is not recorded, since the handle must be known.  `start`:
 * it is active at once.
 */
static void add_collective_request(const struct call *call, const struct mpi_event *event,
				   MPI_Request handle, MPI_Comm comm, bool start)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));
	struct error err;

	if (!request)
		return;
	request->kind = REQUEST_COLLECTIVE;
	request->comm = comm_find(comm);
	request->persistent = !start;
	if (event->comm != NO_COMM) {
		request->collective = *event;
		if (!start)
			request->collective.persistent = ++request->comm->persistents;
		if (event->send_count + event->receive_count > 0 &&
		    keep_vectors(request, event, &err) < 0)
			process_fail(&err);
	}
	if (start)
		request_start(call, request);
}

/* Expand arguments before names are made of them. */
#define BLOCKING(...) BLOCKING_(__VA_ARGS__)
#define NONBLOCKING(...) NONBLOCKING_(__VA_ARGS__)
#define PERSISTENT(...) PERSISTENT_(__VA_ARGS__)

/* Set the sums of a collective with equal blocks and no vectors.  False if it has to be described. */
WRAPPER_PART bool sums_equal(struct mpi_sums *sums, const struct comm *comm,
			     enum mpi_collective collective, struct block block, int root)
{
	const struct collective_blocks blocks = {
		.size = (uint32_t)comm->size, .rank = (uint32_t)comm->rank,
		.remote_size = comm->inter ? (uint32_t)comm->peers : 0,
		.kind = collective, .root = (uint32_t)root,
		.in_place = block.buffer == MPI_IN_PLACE,
		.block = block.count > 0 ? (uint64_t)block.count * sizes_of_type(block.type) : 0,
	};

	if (!collective_moved(&blocks, &sums->moved))
		return false;
	sums->bytes = blocks.block;
	sums->peer = -1;
	sums->world = comm->handle == MPI_COMM_WORLD;
	sums->ranks = blocks.size;
	return true;
}

/* The same by the arguments of totals_...: those that programs call most have no need to be described. */
WRAPPER_PART bool equal_totals_barrier(struct mpi_sums *sums, const struct comm *comm,
				       enum mpi_collective collective)
{
	return sums_equal(sums, comm, collective, (struct block){0}, 0);
}

WRAPPER_PART bool equal_totals_bcast(struct mpi_sums *sums, const struct comm *comm,
				     enum mpi_collective collective, struct block block, int root)
{
	return sums_equal(sums, comm, collective, block, root);
}

WRAPPER_PART bool equal_totals_reduction(struct mpi_sums *sums, const struct comm *comm,
					 enum mpi_collective collective, struct block block, MPI_Op op)
{
	(void)op;
	return sums_equal(sums, comm, collective, block, 0);
}

WRAPPER_PART bool equal_totals_all(struct mpi_sums *sums, const struct comm *comm,
				   enum mpi_collective collective, struct block send,
				   struct block receive)
{
	if (send.buffer == MPI_IN_PLACE)
		receive.buffer = MPI_IN_PLACE;
	return sums_equal(sums, comm, collective,
			  send.buffer == MPI_IN_PLACE ? receive : send, 0);
}
#define equal_totals_gather(...)	 false
#define equal_totals_gatherv(...)	 false
#define equal_totals_scatter(...)	 false
#define equal_totals_scatterv(...)	 false
#define equal_totals_reduce(...)	 false
#define equal_totals_allgatherv(...)	 false
#define equal_totals_alltoallv(...)	 false
#define equal_totals_reduce_scatter(...) false
#define equal_totals_neighbours(...)	 false

/* Describe a collective in an event, and set the sums by it. */
#define DESCRIBE_AND_COUNT(COLL, totals, TOTALS)                                              \
	do {                                                                                  \
		struct mpi_event counted = {.comm = NO_COMM};                                 \
                                                                                              \
		counted.collective = COLL;                                                    \
		totals(&counted, over UNWRAP TOTALS);                                         \
		sums_collective(&sums, over, &counted);                                       \
	} while (0)

/* Statement that sets the `sums` of a collective for a sink that only counts. */
#define COUNT_COLLECTIVE(COLL, totals, TOTALS)                                                \
	do {                                                                                  \
		struct comm *over = sizes_of_comm(handle);                                    \
                                                                                              \
		if (over && !equal_##totals(&sums, over, COLL UNWRAP TOTALS))                 \
			DESCRIBE_AND_COUNT(COLL, totals, TOTALS);                             \
	} while (0)

/* TOTALS: the arguments of totals_... after event and communicator. */
#define BLOCKING_(Name, COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)                          \
	EXPORT int MPI_##Name(UNWRAP PARAMETERS MPI_Comm handle)                              \
	{                                                                                     \
		struct mpi_event *event;                                                      \
		struct comm *comm;                                                            \
                                                                                              \
		COUNTED_BRACKET(COUNT_COLLECTIVE(COLL, totals, TOTALS), Name,                 \
				UNWRAP ARGUMENTS handle);                                     \
		comm = described_comm(call.recording, handle, result);                        \
		if (comm) {                                                                   \
			event = call_event(&call, EVENT_COLLECTIVE);                          \
			describe_collective(event, comm, COLL);                               \
			totals(event, comm UNWRAP TOTALS);                                    \
		}                                                                             \
		return call_end(&call, result);                                               \
	}

/* Count at once, or when the request is started. */
#define COUNT_REQUEST(COUNT, start)                                                           \
	do {                                                                                  \
		COUNT;                                                                        \
		if (!(start))                                                                 \
			persistent_add(*request, &sums);                                      \
	} while (0)

/* PARAMETER, INFO: what is between communicator and request.  `known`: whether comm is known. */
#define WITH_REQUEST(Name, COLL, PARAMETERS, ARGUMENTS, totals, TOTALS, PARAMETER, INFO,      \
		     known, start)                                                            \
	EXPORT int MPI_##Name(UNWRAP PARAMETERS MPI_Comm handle, UNWRAP PARAMETER             \
			      MPI_Request *request)                                           \
	{                                                                                     \
		struct mpi_event event = {.comm = NO_COMM};                                   \
		struct comm *comm;                                                            \
                                                                                              \
		COUNTED_BRACKET(COUNT_REQUEST(COUNT_COLLECTIVE(COLL, totals, TOTALS), start), \
				Name, UNWRAP ARGUMENTS handle, UNWRAP INFO request);          \
		comm = described_comm(known, handle, result);                                 \
		if (comm) {                                                                   \
			describe_collective(&event, comm, COLL);                              \
			totals(&event, comm UNWRAP TOTALS);                                   \
		}                                                                             \
		if (result == MPI_SUCCESS)                                                    \
			add_collective_request(&call, &event, *request, handle, start);       \
		return call_end(&call, result);                                               \
	}

#define NONBLOCKING_(...) WITH_REQUEST(__VA_ARGS__, (), (), call.recording, true)
#if HAVE_MPI4
#define PERSISTENT_(...) WITH_REQUEST(__VA_ARGS__, (MPI_Info info, ), (info, ), true, false)
#else
#define PERSISTENT_(...)
#endif

BLOCKING(Barrier, COLL_BARRIER, (), (), totals_barrier, ())
NONBLOCKING(Ibarrier, COLL_BARRIER, (), (), totals_barrier, ())
PERSISTENT(Barrier_init, COLL_BARRIER, (), (), totals_barrier, ())

#define COUNT int
#define OFFSET int
#define NAMED(Name) Name
#define BLOCKS(buffer, list, ...) (struct blocks){buffer, list, NULL, __VA_ARGS__, 0}
#include "pmpi/calls/collective_calls.h"

#if HAVE_MPI4
#undef COUNT
#undef OFFSET
#undef NAMED
#undef BLOCKS
#define COUNT MPI_Count
#define OFFSET MPI_Aint
#define NAMED(Name) Name##_c
#define BLOCKS(buffer, list, ...) (struct blocks){buffer, NULL, list, __VA_ARGS__, 0}
#include "pmpi/calls/collective_calls.h"
#endif
