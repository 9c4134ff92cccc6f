/*
 * Polls in a row as one call (trace/call/mpi_call.h), while they are recorded: the journal and the
 * graphs that are made while the program runs have the same calls.
 */
#ifndef TRACE_CALL_POLL_FOLD_H
#define TRACE_CALL_POLL_FOLD_H

#include "trace/call/mpi_call.h"

/* The last call of a thread, if it is a run of polls.  Zero bytes: it is none. */
struct poll_fold {
	struct mpi_call call;	/* without events; polls 0: no run */
	struct mpi_event event; /* of the call, if it has one */
	unsigned number;	/* of the function */
	bool waits;		/* the program waits between the polls */
};

/* Whether a call, as the sink hands it over, may be in a run. */
static inline bool poll_fold_takes(const struct mpi_call *call)
{
	return call->polls == 1 && call->event_count <= 1;
}

/*
 * Add a poll.  True if the run goes on: fold->call is that of the whole run.  False if another one
 * begins, which is the poll alone: also where the program, which has computed between the polls so
 * far, begins to wait (trace/call/poll_run.h).
 */
bool poll_fold_add(struct poll_fold *fold, unsigned number, const struct mpi_call *poll);

#endif
