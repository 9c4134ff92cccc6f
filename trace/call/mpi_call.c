#include "trace/call/mpi_call.h"

#include "trace/call/mpi_functions.h"

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
