/*
 * Lists of groups of overlapping computation (critpath/path/groups.h), each of a part of the
 * intervals: how they become the list of all intervals, and how processes send them.
 *
 * A list is in order of time, and its groups do not overlap.  The times between its groups are
 * those at which all ranks of the part are in MPI.  So the merge of two lists finds the
 * intersection of these times, and what is between them are the groups of both parts.  The merge
 * may be done in any order of parts, whether they are ranks or periods of time.
 */
#ifndef CRITPATH_GROUP_LISTS_H
#define CRITPATH_GROUP_LISTS_H

#include "critpath/parts/varint.h"
#include "critpath/path/groups.h"

/* Merge the list of another part into `list`. */
int group_lists_merge(struct groups *list, const struct groups *other, struct error *err);

/*
 * Join the groups of a period of time that start before `open_ns`, the last end of an interval of
 * the periods before it.  They belong to one group.
 */
void group_lists_continue(struct groups *list, uint64_t open_ns);

/* Bytes of a group as a record: start, end, number of intervals, and the longest one. */
enum { GROUP_RECORD_BYTES = 48 };

/*
 * Append the block of `count` groups in order of time, by columns (critpath/parts/columns.h):
 *
 *	varint		number of groups
 *	zstd frame	time since the group before, length and number of intervals of each; then the
 *			rank of the longest interval, as difference to the one before, and the thread;
 *			then, for each group of several intervals, the time until the longest begins
 *			and after it ends
 */
int group_lists_encode(struct byte_array *block, const struct compute_group *list, size_t count,
		       int level, struct error *err);

/* Append the groups of a block.  A damaged one, or one of more than `most` groups, is STATUS_DATA. */
int group_lists_decode(struct groups *list, const unsigned char *block, size_t bytes, size_t most,
		       struct error *err);

#endif
