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
 *
 * Ranks may be shared among processes, which find the same groups in two ways:
 *
 * - Without a shuffle each process groups the computation of its own ranks.  Between its groups all
 *   of them are in MPI.  Up a binomial tree, processes merge their lists, which intersects these
 *   times, until process 0 has the groups of all ranks.
 * - With a shuffle, as in the paper, process k gets the k-th part of all intervals in order of
 *   their starts, of equal counts, and groups it.  The tree joins groups that extend over parts.  In
 *   round k process r sends to r + k, and sends nothing where it has nothing.
 */
#ifndef CRITPATH_GROUPS_H
#define CRITPATH_GROUPS_H

#include "critpath/path/intervals.h"
#include "dist/dist.h"

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

/* Levels of compression of zstd that are worth their time: 1 to 19. */
enum { GROUPS_LEVEL_MOST = 19, GROUPS_LEVEL = 3 };

struct groups_options {
	uint64_t least_ns; /* leave out shorter intervals */
	bool shuffle;
	int level; /* of zstd for what is sent; 0: records as they are */
};

/*
 * Sum of what all processes have sent, but for sizes and cuts, whose number depends on the processes
 * alone.  As records an interval has 36 bytes, a group 60.
 */
struct groups_moved {
	uint64_t intervals, groups;
	uint64_t bytes, record_bytes;
};

/*
 * Group the intervals of all ranks.  Collective: process 0 gets all groups, the others none; end with
 * groups_release.  n log(ranks) steps and 40 bytes for each own interval.  Without a shuffle, 64
 * bytes for each group of a process, as many for each of one that sends to it, and for each of both
 * together.  With one, 40 bytes more for each interval that a process gets or sends to one process.
 * In addition the blocks that are sent.
 */
int groups_find(struct groups *groups, const struct measured_run *run,
		const struct groups_options *options, struct dist *dist, struct groups_moved *moved,
		struct error *err);

void groups_release(struct groups *groups);

/* The longest intervals are called a path if they are at least half of T. */
bool groups_are_path(const struct groups *groups, const struct measured_run *run);

#endif
