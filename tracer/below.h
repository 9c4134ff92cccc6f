/*
 * What the MPI library calls below MPI, recorded: functions of UCX (tracer/ucx.c) are bracketed by these.
 *
 * Each thread writes into its own journal: also threads of the MPI library, which call no MPI function.
 */
#ifndef TRACER_BELOW_H
#define TRACER_BELOW_H

#include "common/error.h"
#include "trace/call/below.h"
#include "trace/call/mpi_call.h"

/* Record from now on.  Fails if the tracer was built without UCX's headers. */
int below_begin(struct error *err);

/* Record nothing more.  Other threads may be in the middle of a record, the last in their journal. */
void below_end(void);

/* Add the polls at the end of a call that has ended to the call. */
void below_take_polls(struct mpi_call *call);

/* ------------------------------------------------------ for functions that are called */

extern volatile bool below_records;

/* Begin a call; `bytes` as struct below_event's number.  False: it is not recorded, and not to be ended. */
bool below_enter(unsigned function, uint64_t bytes);

/* End the call that was entered last.  found: by a poll. */
void below_leave(bool pending, uint64_t found);

#endif
