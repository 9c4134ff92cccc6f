/*
 * Partitioned messages of MPI 4.  A send becomes a message when all of its partitions are ready.
 * A receive is posted when it is started.
 */
#include "pmpi/persistent.h"
#include "pmpi/requests.h"
#include "pmpi/sums.h"

#if HAVE_MPI4

static void add_partitioned(enum request_kind kind, MPI_Request handle, int partitions,
			    uint64_t bytes, int peer, int tag, MPI_Comm comm)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));

	if (!request)
		return;
	request_describe(request, kind, comm, peer, tag, (uint64_t)partitions * bytes);
	request->partitions = partitions;
	request->persistent = true;
}

#define PARTITIONED_INIT(Name, CONST, kind)                                                    \
	EXPORT int MPI_##Name(CONST void *buffer, int partitions, MPI_Count count,             \
			      MPI_Datatype type, int peer, int tag, MPI_Comm comm,             \
			      MPI_Info info, MPI_Request *handle)                              \
	{                                                                                      \
		COUNTED_BRACKET((sums_message(&sums, count, type, peer, comm),                 \
				 persistent_add_partitioned(*handle, &sums, partitions,        \
							    kind == REQUEST_SEND)),            \
				Name, buffer, partitions, count, type, peer, tag, comm, info,  \
				handle);                                                       \
		if (result == MPI_SUCCESS)                                                     \
			add_partitioned(kind, *handle, partitions, bytes_of(count, type),      \
					peer, tag, comm);                                      \
		return call_end(&call, result);                                                \
	}
PARTITIONED_INIT(Psend_init, const, REQUEST_SEND)
PARTITIONED_INIT(Precv_init, , REQUEST_RECV)

#define PREADY(Name, PARAMETERS, ARGUMENTS, count)                                             \
	EXPORT int MPI_##Name PARAMETERS                                                       \
	{                                                                                      \
		struct request *request;                                                       \
											       \
		COUNTED_BRACKET(persistent_ready(handle, &sums, count), Name,                  \
				UNWRAP ARGUMENTS);                                             \
		request = request_find(&requests, HANDLE_KEY(handle));                         \
		if (result == MPI_SUCCESS && request)                                          \
			request_ready(&call, request, count);                                  \
		return call_end(&call, result);                                                \
	}
PREADY(Pready, (int partition, MPI_Request handle), (partition, handle), 1)
PREADY(Pready_range, (int first, int last, MPI_Request handle), (first, last, handle),
       last - first + 1)
PREADY(Pready_list, (int count, int partitions[], MPI_Request handle),
       (count, partitions, handle), count)

#endif
