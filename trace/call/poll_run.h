/*
 * Runs of polling calls: where a thread computes between them, and where it waits.  The definition is
 * in doc/trace-to-goal.md (Polling).
 *
 * A run is made of successive polling calls of a thread that find nothing, with only local functions
 * between them.  A polling call that completes something ends the run and belongs to it.  A gap is the
 * time between two calls of the run, a round the calls from one poll to the next one for the same
 * thing.  From the first round on whose mean gap is at most POLL_GAP_NS, the thread waits.  Before it
 * the thread computes, and lets MPI make progress now and then.
 */
#ifndef TRACE_CALL_POLL_RUN_H
#define TRACE_CALL_POLL_RUN_H

#include "trace/call/mpi_call.h"
#include "trace/call/mpi_functions.h"

#include <stdbool.h>

enum { POLL_GAP_NS = 5000 };

/* A call of a run, and the gaps before it. */
struct poll_place {
	uint32_t call;		/* the caller's number of it */
	uint64_t gaps_ns, gaps; /* sum and number */
};

/* Zero bytes: no run. */
struct poll_run {
	bool active;
	struct poll_place now; /* the last call, and the gaps after it that it stands for */
	struct poll_place first;
	struct poll_place apart; /* the last call that comes after a longer gap than POLL_GAP_NS */
	bool rounds;		 /* a poll was repeated */
	bool waits;
	struct poll_place wait; /* from here on, if it does */
	/* The round at hand, and the poll that begins it.  It is another one if it is not repeated. */
	const char *function; /* NULL: the next poll begins a round */
	uint64_t request;
	struct poll_place round;
	struct poll_place round_apart;
	uint32_t others, most_others; /* polls since it, until another one begins a round */
};

/* Whether a call of a function of these traits is a polling call that has found nothing, or may have. */
bool poll_found_nothing(const struct mpi_call *call, unsigned traits, bool lacks_records);

/*
 * Add a poll that has found nothing, and begin the run if there is none, or add the call that
 * completes something.  number: of the call; gap_ns: time since the call before it in the run.
 */
void poll_run_add(struct poll_run *run, const struct mpi_call *poll, uint32_t number,
		  uint64_t gap_ns);

/*
 * End the run.  Returns the gaps in which the thread has computed, in ns.  *from becomes the number of
 * the call from which on it waits, or UINT32_MAX.
 */
uint64_t poll_run_end(struct poll_run *run, uint32_t *from);

/* Time between the polls that a call stands for, if the trace has made several polls one call. */
uint64_t poll_gaps_ns(const struct mpi_call *poll);

#endif
