/* Groups of intervals in sorted lists: the lists of ranks, or runs of what processes have sent. */
#ifndef CRITPATH_SORTED_LISTS_H
#define CRITPATH_SORTED_LISTS_H

#include "critpath/path/groups.h"

/* Group the intervals of lists, of which each is sorted, and begins with a higher rank. */
int sorted_lists_group(struct groups *groups, const struct compute_intervals *lists,
		       uint32_t list_count, struct error *err);

/*
 * The same for a list of sorted runs, one after the other: a run ends where the rank changes or an
 * interval comes before the one ahead of it.  Ranks do not fall from run to run.
 */
int sorted_runs_group(struct groups *groups, const struct compute_intervals *runs,
		      struct error *err);

#endif
