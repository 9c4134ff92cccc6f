/*
 * Lists of groups of overlapping computation (critpath/groups/groups.h), each of a part of the
 * intervals, and how they become the list of all intervals.
 *
 * A list is in order of time, and its groups do not overlap.  The times between its groups are
 * those at which all ranks of the part are in MPI.  So the merge of two lists finds the
 * intersection of these times, and what is between them are the groups of both parts.  The merge
 * may be done in any order of parts, whether they are ranks or periods of time.
 */
#ifndef CRITPATH_GROUP_LISTS_H
#define CRITPATH_GROUP_LISTS_H

#include "critpath/groups/groups.h"

/* Group the intervals of lists, each of which is sorted, and has ranks above those of the lists before. */
int group_lists_find(struct groups *groups, const struct compute_intervals *lists,
		     uint32_t list_count, struct error *err);

/* Add the next interval in the order of compute_interval_before. */
int group_lists_add_interval(struct groups *list, const struct compute_interval *interval,
			     struct error *err);

/* Merge the list of another part into `list`. */
int group_lists_merge(struct groups *list, const struct groups *other, struct error *err);

#endif
