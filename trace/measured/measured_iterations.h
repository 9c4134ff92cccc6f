/*
 * Iterations of a rank of a measured run: those of the outermost repeated pattern of its calls
 * (trace/sequence/repeats.h), numbered as in schedgen's slices.
 *
 * Calls that begin or complete a message or a collective make the pattern.  Successive completions
 * count as one.  Of several threads, the one whose pattern has most calls decides.
 */
#ifndef TRACE_MEASURED_ITERATIONS_H
#define TRACE_MEASURED_ITERATIONS_H

#include "trace/measured/measured_rank.h"

struct measured_iterations {
	ARRAY(uint64_t) starts_ns; /* of each iteration */
	uint64_t end_ns;	   /* of the last one */
};

/* Find the iterations of a rank: none if no calls are repeated.  End with the release. */
int measured_iterations_find(struct measured_iterations *iterations,
			     const struct measured_rank *rank, struct error *err);
void measured_iterations_release(struct measured_iterations *iterations);

/* Find the iteration at a time, from 0, or NO_ITERATION before and after all. */
#define NO_ITERATION UINT32_MAX
uint32_t measured_iteration_at(const struct measured_iterations *iterations, uint64_t time_ns);

#endif
