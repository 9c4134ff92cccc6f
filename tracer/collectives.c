/* Collectives, blocking and non-blocking. */
#include "tracer/requests.h"
#include "tracer/totals.h"

/* The communicator, if the call is one to describe; the event is prepared. */
static const struct comm *describe(const struct call *call, struct mpi_event *event,
				   enum mpi_collective collective, MPI_Comm handle, int result)
{
	struct comm *comm;

	if (result != MPI_SUCCESS || !call->recording)
		return NULL;
	comm = comm_find(handle);
	if (!comm || comm->id == NO_COMM)
		return NULL;
	memset(event, 0, sizeof *event);
	event->comm = comm->id;
	event->collective = collective;
	return comm;
}

static void add_blocking(const struct call *call, const struct mpi_event *event)
{
	struct mpi_event *added = call_event(call, EVENT_COLLECTIVE);

	*added = *event;
	added->kind = EVENT_COLLECTIVE;
}

/* Copy the vectors of a non-blocking collective, which is recorded at its completion. */
static int keep_vectors(struct request *request, const struct mpi_event *event,
			struct error *err)
{
	size_t bytes = event->vector_count * sizeof(uint64_t);
	uint64_t *own;

	request->vectors.count = 0;
	TRY(array_reserve(&request->vectors, 2 * (size_t)event->vector_count, err));
	own = request->vectors.items;
	if (event->send_bytes)
		request->collective.send_bytes = memcpy(own, event->send_bytes, bytes);
	if (event->receive_bytes)
		request->collective.receive_bytes = memcpy(own + event->vector_count,
							   event->receive_bytes, bytes);
	return 0;
}

/* Also for calls that are not recorded: the handle must be known. */
static void add_nonblocking(const struct call *call, const struct mpi_event *event,
			    MPI_Request handle, MPI_Comm comm)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));
	struct error err;

	if (!request)
		return;
	request->kind = REQUEST_COLLECTIVE;
	request->comm = comm_find(comm);
	if (call->recording && event->comm != NO_COMM) {
		request->collective = *event;
		if (event->vector_count && keep_vectors(request, event, &err) < 0)
			tracer_fail(&err);
	}
	request_start(call, request);
}

#define UNWRAP(...) __VA_ARGS__

/*
 * MPI_Name and MPI_Iname; TOTALS are the arguments of totals_... behind event
 * and communicator.
 */
#define COLLECTIVE(Name, name, COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)                   \
	EXPORT int MPI_##Name(UNWRAP PARAMETERS MPI_Comm handle)                              \
	{                                                                                     \
		struct call call;                                                             \
		struct mpi_event event;                                                       \
		const struct comm *comm;                                                      \
		int result;                                                                   \
                                                                                              \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(UNWRAP ARGUMENTS handle);                                \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		comm = describe(&call, &event, COLL, handle, result);                         \
		if (comm) {                                                                   \
			totals(&event, comm UNWRAP TOTALS);                                   \
			add_blocking(&call, &event);                                          \
		}                                                                             \
		return call_end(&call, result);                                               \
	}                                                                                     \
	EXPORT int MPI_I##name(UNWRAP PARAMETERS MPI_Comm handle, MPI_Request *request)       \
	{                                                                                     \
		struct call call;                                                             \
		struct mpi_event event = {.comm = NO_COMM};                                   \
		const struct comm *comm;                                                      \
		int result;                                                                   \
                                                                                              \
		call_enter(&call, CALL_I##name);                                              \
		result = PMPI_I##name(UNWRAP ARGUMENTS handle, request);                      \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		comm = describe(&call, &event, COLL, handle, result);                         \
		if (comm)                                                                     \
			totals(&event, comm UNWRAP TOTALS);                                   \
		if (result == MPI_SUCCESS)                                                    \
			add_nonblocking(&call, &event, *request, handle);                     \
		return call_end(&call, result);                                               \
	}

#define BLOCK(...) (struct block){__VA_ARGS__}
#define BLOCKS(...) (struct blocks){__VA_ARGS__}
#define SEND const void *send, int send_count, MPI_Datatype send_type
#define RECEIVE void *receive, int receive_count, MPI_Datatype receive_type

COLLECTIVE(Barrier, barrier, COLL_BARRIER, (), (), totals_barrier, ())
COLLECTIVE(Bcast, bcast, COLL_BCAST, (void *buffer, int count, MPI_Datatype type, int root,),
	   (buffer, count, type, root,), totals_bcast, (, BLOCK(buffer, count, type), root))
COLLECTIVE(Gather, gather, COLL_GATHER, (SEND, RECEIVE, int root,),
	   (send, send_count, send_type, receive, receive_count, receive_type, root,),
	   totals_gather, (, BLOCK(send, send_count, send_type),
			   BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Gatherv, gatherv, COLL_GATHERV,
	   (SEND, void *receive, const int counts[], const int offsets[],
	    MPI_Datatype receive_type, int root,),
	   (send, send_count, send_type, receive, counts, offsets, receive_type, root,),
	   totals_gatherv, (, BLOCK(send, send_count, send_type),
			    BLOCKS(receive, counts, receive_type, NULL), root))
COLLECTIVE(Scatter, scatter, COLL_SCATTER, (SEND, RECEIVE, int root,),
	   (send, send_count, send_type, receive, receive_count, receive_type, root,),
	   totals_scatter, (, BLOCK(send, send_count, send_type),
			    BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Scatterv, scatterv, COLL_SCATTERV,
	   (const void *send, const int counts[], const int offsets[], MPI_Datatype send_type,
	    RECEIVE, int root,),
	   (send, counts, offsets, send_type, receive, receive_count, receive_type, root,),
	   totals_scatterv, (, BLOCKS(send, counts, send_type, NULL),
			     BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Allgather, allgather, COLL_ALLGATHER, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   totals_all, (, BLOCK(send, send_count, send_type),
			BLOCK(receive, receive_count, receive_type)))
COLLECTIVE(Allgatherv, allgatherv, COLL_ALLGATHERV,
	   (SEND, void *receive, const int counts[], const int offsets[],
	    MPI_Datatype receive_type,),
	   (send, send_count, send_type, receive, counts, offsets, receive_type,),
	   totals_allgatherv, (, BLOCK(send, send_count, send_type),
			       BLOCKS(receive, counts, receive_type, NULL)))
COLLECTIVE(Alltoall, alltoall, COLL_ALLTOALL, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   totals_all, (, BLOCK(send, send_count, send_type),
			BLOCK(receive, receive_count, receive_type)))
COLLECTIVE(Alltoallv, alltoallv, COLL_ALLTOALLV,
	   (const void *send, const int send_counts[], const int send_offsets[],
	    MPI_Datatype send_type, void *receive, const int receive_counts[],
	    const int receive_offsets[], MPI_Datatype receive_type,),
	   (send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
	    receive_type,),
	   totals_alltoallv, (, BLOCKS(send, send_counts, send_type, NULL),
			      BLOCKS(receive, receive_counts, receive_type, NULL)))
COLLECTIVE(Alltoallw, alltoallw, COLL_ALLTOALLW,
	   (const void *send, const int send_counts[], const int send_offsets[],
	    const MPI_Datatype send_types[], void *receive, const int receive_counts[],
	    const int receive_offsets[], const MPI_Datatype receive_types[],),
	   (send, send_counts, send_offsets, send_types, receive, receive_counts,
	    receive_offsets, receive_types,),
	   totals_alltoallv, (, BLOCKS(send, send_counts, MPI_DATATYPE_NULL, send_types),
			      BLOCKS(receive, receive_counts, MPI_DATATYPE_NULL, receive_types)))

#define REDUCTION const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
#define REDUCTION_ARGUMENTS send, receive, count, type, op,

COLLECTIVE(Reduce, reduce, COLL_REDUCE, (REDUCTION int root,), (REDUCTION_ARGUMENTS root,),
	   totals_reduce, (, BLOCK(send, count, type), op, root))
COLLECTIVE(Allreduce, allreduce, COLL_ALLREDUCE, (REDUCTION), (REDUCTION_ARGUMENTS),
	   totals_allreduce, (, BLOCK(send, count, type), op))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, COLL_REDUCE_SCATTER_BLOCK, (REDUCTION),
	   (REDUCTION_ARGUMENTS), totals_allreduce, (, BLOCK(send, count, type), op))
COLLECTIVE(Scan, scan, COLL_SCAN, (REDUCTION), (REDUCTION_ARGUMENTS), totals_scan,
	   (, BLOCK(send, count, type), op))
COLLECTIVE(Exscan, exscan, COLL_EXSCAN, (REDUCTION), (REDUCTION_ARGUMENTS), totals_exscan,
	   (, BLOCK(send, count, type), op))
COLLECTIVE(Reduce_scatter, reduce_scatter, COLL_REDUCE_SCATTER,
	   (const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op,),
	   (send, receive, counts, type, op,), totals_reduce_scatter,
	   (, BLOCKS(send, counts, type, NULL), op))
