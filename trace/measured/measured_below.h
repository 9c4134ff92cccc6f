/*
 * What the MPI library calls below MPI (trace/call/below.h), of one rank of a measured run after the other.
 *
 * It is read when it is asked for: a run has many more such calls than calls of MPI.  Memory: 40 bytes for each.
 */
#ifndef TRACE_MEASURED_BELOW_H
#define TRACE_MEASURED_BELOW_H

#include "trace/measured/measured_run.h"

struct measured_below {
	/* By thread, then by begin; a call comes before those within it.  Times are those of the run. */
	ARRAY(struct below_call) calls;
	struct trace_reader *reader; /* private */
};

/*
 * Read the calls of a rank in the place of those of another one, each rank once at most.  Runs without any have
 * none.  Release `below`, of zero bytes at first, before the run.
 */
int measured_below_read(struct measured_below *below, const struct measured_run *run, uint32_t rank,
			struct error *err);
void measured_below_release(struct measured_below *below);

/* Count the threads of the MPI library among those of the ranks, once the run needs no other analysis. */
void measured_below_threads(struct measured_run *run);

#endif
