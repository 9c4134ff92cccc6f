/*
 * Imbalance of a measured run by iteration: how balance and waits develop.
 *
 * Iterations are those of each rank (trace/measured/measured_iterations.h).  A call, or computation, belongs to the
 * iteration in which it began, else to what is outside of all iterations.  Over all entries, the sums
 * are those of struct imbalance.
 */
#ifndef CRITPATH_IMBALANCE_ITERATIONS_H
#define CRITPATH_IMBALANCE_ITERATIONS_H

#include "critpath/tables/imbalance.h"
#include "trace/measured/measured_iterations.h"

struct iteration_parts {
	uint32_t iteration;	 /* or NO_ITERATION: outside */
	uint32_t ranks;		 /* that have it */
	uint64_t start_ns;	 /* when the first rank began it, on the clock of the run */
	struct call_parts calls; /* of all ranks and threads */
	uint64_t computation_ns; /* of the first threads of all ranks */
	uint64_t most_ns;	 /* the most computation of a rank */
	uint32_t busiest;	 /* the lowest rank that has so much */
};

struct imbalance_iterations {
	ARRAY(struct iteration_parts) list; /* those outside first, then in order */
	uint32_t least, most;		    /* iterations of a rank */
};

/*
 * Find the parts of all iterations.  Collective.  Process 0 gets those of all processes.  End with
 * imbalance_iterations_release.
 */
int imbalance_iterations_find(struct imbalance_iterations *iterations,
			      const struct imbalance *imbalance, struct dist *dist,
			      struct error *err);
void imbalance_iterations_release(struct imbalance_iterations *iterations);

/* Mean computation of the ranks that have an iteration, over the most; 0 without computation. */
double iteration_load_balance(const struct iteration_parts *parts);

#endif
