#include "trace/call/mpi_call.h"

bool mpi_call_by_members(const struct mpi_call *call, struct mpi_event *made)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE) {
			*made = (struct mpi_event){.kind = EVENT_COLLECTIVE,
						   .collective = COLL_CREATE_HANDLE,
						   .comm = call->events[i].comm,
						   .root = NO_ROOT};
			return true;
		}
	return false;
}
