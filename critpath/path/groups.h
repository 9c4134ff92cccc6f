/*
 * Groups of computation that overlaps, the "topological sorting" of "Finding Bottlenecks in Message
 * Passing Interface Programs by Scalable Critical Path Analysis", Algorithms 16(11), 2023, section
 * 4.5.  It needs no messages, only the times between the calls of each thread:
 *
 *	an interval of computation begins a group if it starts when all intervals before it have
 *	ended; the longest interval of each group is on the path
 *
 * The borders of groups are the times at which all ranks are in MPI.  Where a program has no such
 * times, a group is long, and its longest interval says little: the sum of the longest intervals
 * over T, the coverage, says how much of the run is explained.
 */
#ifndef CRITPATH_GROUPS_H
#define CRITPATH_GROUPS_H

#include "trace/measured_run.h"

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

struct compute_group {
	uint64_t start_ns, end_ns; /* of all intervals; they cover it without gap */
	uint64_t intervals;
	struct compute_interval longest; /* of equally long ones the first */
};

struct groups {
	ARRAY(struct compute_group) list; /* in order of time, without overlap */
	uint64_t intervals;
	uint64_t longest_ns; /* sum of the longest intervals: at most T */
};

/* Add the next interval in the order of compute_interval_before. */
int groups_add(struct groups *groups, const struct compute_interval *interval, struct error *err);

/*
 * Group the intervals of all ranks of at least `least_ns`: a merge of the sorted lists of the ranks,
 * n log(ranks) steps and 40 bytes for each interval.  End with groups_release.
 */
int groups_find(struct groups *groups, const struct measured_run *run, uint64_t least_ns,
		struct error *err);

void groups_release(struct groups *groups);

/* The longest intervals are called a path if they are at least half of T. */
bool groups_are_path(const struct groups *groups, const struct measured_run *run);

#endif
