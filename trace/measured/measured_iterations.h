/*
 * Iterations of the ranks of a measured run (trace/sequence/iterations.h), each rank read once more
 * when it is first asked for.
 */
#ifndef TRACE_MEASURED_ITERATIONS_H
#define TRACE_MEASURED_ITERATIONS_H

#include "trace/measured/measured_run.h"
#include "trace/sequence/iterations.h"

/* Zero bytes are valid.  Owned. */
struct measured_iterations {
	struct trace_reader *reader;
	/* [rank] of run->rank_count; known: whether it was read. */
	struct measured_iterations_rank {
		struct iterations iterations;
		bool known;
	} * ranks;
	uint32_t count;
};

/* Find the iterations of a rank, always of the same run: valid until the release. */
int measured_iterations_of(struct measured_iterations *all, const struct measured_run *run,
			   uint32_t rank, const struct iterations **iterations, struct error *err);
void measured_iterations_release(struct measured_iterations *all);

#endif
