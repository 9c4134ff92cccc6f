/*
 * Lists of groups of overlapping computation (critpath/path/groups.h), each of a part of the
 * intervals, and how they become the list of all intervals.
 *
 * A list is in order of time, and its groups do not overlap.  The times between its groups are
 * those at which all ranks of the part are in MPI.  So the merge of two lists finds the
 * intersection of these times, and what is between them are the groups of both parts.  The merge
 * may be done in any order of parts, whether they are ranks or periods of time.
 */
#ifndef CRITPATH_GROUP_LISTS_H
#define CRITPATH_GROUP_LISTS_H

#include "critpath/path/groups.h"

/* Add the next group in order of starts; touching is not overlapping. */
int group_lists_add(struct groups *list, const struct compute_group *group, struct error *err);

/* Merge the list of another part into `list`. */
int group_lists_merge(struct groups *list, const struct groups *other, struct error *err);

/*
 * Join the groups of a period of time that start before `open_ns`, the last end of an interval of
 * the periods before it.  They belong to one group.
 */
void group_lists_continue(struct groups *list, uint64_t open_ns);

/* Bytes of a group as a record: start, end, number of intervals, and the longest one. */
enum { GROUP_RECORD_BYTES = 60 };

#endif
