/* The two ways to find groups of intervals that are listed (critpath/groups/groups.h). */
#ifndef CRITPATH_GROUP_METHODS_H
#define CRITPATH_GROUP_METHODS_H

#include "critpath/groups/groups.h"

/* Sorted intervals of each own rank; ranks ascend with the processes. */
struct groups_lists {
	struct compute_intervals *ranks;
	uint32_t count;
};

/*
 * Find the groups of all processes on process 0, with a shuffle or without one.  Collective.  *groups
 * is empty, `level` is that of struct groups_options.  What this process sends is added to *moved.
 */
int groups_merge(struct groups *groups, const struct groups_lists *lists, int level,
		 struct dist *dist, struct groups_moved *moved, struct error *err);
int groups_shuffle(struct groups *groups, const struct groups_lists *lists, int level,
		   struct dist *dist, struct groups_moved *moved, struct error *err);

/*
 * Merge the groups of all processes up a binomial tree.  Collective.  Process 0 gets all, the others
 * keep none.  What this process sends is added to *moved.
 */
int groups_gather(struct groups *groups, int level, struct dist *dist, struct groups_moved *moved,
		  struct error *err);

#endif
