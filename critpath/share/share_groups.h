/*
 * Groups of overlapping computation (critpath/path/groups.h) of a run whose ranks are shared among
 * processes, in two ways that find the same as one process alone:
 *
 * - Without a shuffle each process groups the computation of its own ranks.  Between its groups all
 *   of them are in MPI.  Up a binomial tree, processes merge their lists, which intersects these
 *   times, until process 0 has the groups of all ranks.  A list gets shorter where the other ranks
 *   are not in MPI.  The times are rounded at first.  In some rounds down and up the tree, processes
 *   ask for more of their bits, where these may matter (critpath/parts/rounded_groups.h).
 * - With a shuffle, as in the paper, process k gets the k-th part of all intervals in order of
 *   their starts, of equal counts, and groups it.  A group may extend over parts: the last end of
 *   all parts before is what an interval has to start after to begin a group.  In round k process
 *   r sends to r + k, and sends nothing where it has nothing.
 */
#ifndef CRITPATH_SHARE_GROUPS_H
#define CRITPATH_SHARE_GROUPS_H

#include "critpath/path/groups.h"
#include "critpath/share/exchange.h"

/* What all processes have sent, but for sizes and cuts, whose number depends on the processes alone. */
struct share_moved {
	uint64_t intervals, groups;
	uint64_t bytes;
};

/* Intervals of each own rank; lists are sorted, and ranks ascend with the processes. */
struct share_intervals {
	ARRAY(struct compute_intervals) ranks;
};

/* List the intervals of own ranks of at least `least_ns`; not collective.  End with the release. */
int share_intervals_find(struct share_intervals *intervals, const struct measured_run *run,
			 uint64_t least_ns, struct error *err);
void share_intervals_release(struct share_intervals *intervals);

/*
 * Find the groups without a shuffle, or with one, compressed by zstd to a level (0: not).  These
 * functions are collective.  Process 0 gets all groups, the others none.  Memory without a shuffle:
 * 96 bytes for each group of a process, of one that sends to it, and of both together, at most
 * 2 log(processes) + 1 lists.  Memory of a shuffle: 40 bytes for each interval that a process has,
 * gets or sends to one process, and the blocks.
 */
int share_groups_merge(struct groups *groups, const struct share_intervals *intervals,
		       struct exchange *exchange, struct share_moved *moved, struct error *err);
int share_groups_shuffle(struct groups *groups, const struct share_intervals *intervals, int level,
			 struct exchange *exchange, struct share_moved *moved, struct error *err);

#endif
