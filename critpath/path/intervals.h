/* Intervals of computation: the times between the calls of each thread. */
#ifndef CRITPATH_INTERVALS_H
#define CRITPATH_INTERVALS_H

#include "trace/measured/measured_run.h"

/* Computation of a thread between two calls, or at the begin or the end of its rank. */
struct compute_interval {
	uint64_t start_ns, end_ns; /* on the clock of the run; start < end */
	uint32_t rank, thread;
	uint32_t call;		 /* after it; NO_CALL at the end of a rank */
	uint32_t function, site; /* of that call; 0 and NO_SITE at the end */
};

struct compute_intervals {
	ARRAY(struct compute_interval) list;
};

/*
 * Add the intervals of a rank of at least `least_ns` (0: all), by start, then by thread.  The first
 * thread computes from the begin to the end of the rank, others between their calls.
 */
int compute_intervals_add(struct compute_intervals *intervals, const struct measured_rank *rank,
			  uint64_t least_ns, struct error *err);
void compute_intervals_release(struct compute_intervals *intervals);

/* Whether an interval comes before another: by start, then by rank, then by thread. */
bool compute_interval_before(const struct compute_interval *a, const struct compute_interval *b);

/* Sort the intervals from number `first` on. */
void compute_intervals_sort(struct compute_intervals *intervals, size_t first);

#endif
