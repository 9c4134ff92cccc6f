/*
 * Calls as the sink hands them over (pmpi/sink.h) made like those that a reader of their archive
 * delivers: without what OTF2 has no record for, sends first, with members of groups.  Ids stay
 * those of the rank.
 */
#ifndef TRACE_CALL_CALL_AS_READ_H
#define TRACE_CALL_CALL_AS_READ_H

#include "common/array.h"
#include "common/error.h"
#include "trace/call/mpi_call.h"
#include "trace/call/mpi_objects.h"

struct call_group {
	uint32_t *ranks, size; /* world ranks, owned */
};

/* What the events of a rank refer to, by id.  Zero bytes are valid. */
struct call_objects {
	ARRAY(struct mpi_comm) comms; /* without members */
	ARRAY(struct call_group) groups;
};

/* Add the next communicator, or group. */
int call_objects_comm(struct call_objects *objects, const struct mpi_comm *comm, struct error *err);
int call_objects_group(struct call_objects *objects, const struct mpi_group *group,
		       struct error *err);
void call_objects_release(struct call_objects *objects);

/* Memory of events. */
struct call_events {
	ARRAY(struct mpi_event) list;
};

/*
 * Change call->events, if they have to be changed, to those of `events`, which live until the next call.
 */
int call_as_read(struct mpi_call *call, const struct call_objects *objects,
		 struct call_events *events, struct error *err);

#endif
