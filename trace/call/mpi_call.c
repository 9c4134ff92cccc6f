#include "trace/call/mpi_call.h"

#include "trace/call/mpi_functions.h"

#include <stddef.h>

uint32_t mpi_call_events(const struct mpi_call *call, unsigned traits, struct mpi_event *made,
			 const struct mpi_event **events)
{
	*events = call->events;
	if (!(traits & MPI_BY_MEMBERS))
		return call->event_count;
	*events = made;
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE) {
			*made = (struct mpi_event){.kind = EVENT_COLLECTIVE,
						   .collective = COLL_CREATE_HANDLE,
						   .comm = call->events[i].comm,
						   .root = NO_ROOT};
			return 1;
		}
	return 0;
}

const char *mpi_collective_name(enum mpi_collective collective)
{
	static const char *const names[] = {
		[COLL_BARRIER] = "barrier",
		[COLL_BCAST] = "bcast",
		[COLL_GATHER] = "gather",
		[COLL_GATHERV] = "gatherv",
		[COLL_SCATTER] = "scatter",
		[COLL_SCATTERV] = "scatterv",
		[COLL_ALLGATHER] = "allgather",
		[COLL_ALLGATHERV] = "allgatherv",
		[COLL_ALLTOALL] = "alltoall",
		[COLL_ALLTOALLV] = "alltoallv",
		[COLL_ALLTOALLW] = "alltoallw",
		[COLL_ALLREDUCE] = "allreduce",
		[COLL_REDUCE] = "reduce",
		[COLL_REDUCE_SCATTER] = "reduce_scatter",
		[COLL_SCAN] = "scan",
		[COLL_EXSCAN] = "exscan",
		[COLL_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
		[COLL_CREATE_HANDLE] = "create",
		[COLL_DESTROY_HANDLE] = "destroy",
		[COLL_CREATE_HANDLE_AND_ALLOCATE] = "create_and_allocate",
		[COLL_DESTROY_HANDLE_AND_DEALLOCATE] = "destroy_and_free",
	};
	const size_t count = sizeof names / sizeof *names;

	return (size_t)collective < count && names[collective] ? names[collective] : "unknown";
}
