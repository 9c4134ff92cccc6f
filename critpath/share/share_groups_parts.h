/* What the two ways to find groups of processes share (critpath/share/share_groups.h). */
#ifndef CRITPATH_SHARE_GROUPS_PARTS_H
#define CRITPATH_SHARE_GROUPS_PARTS_H

#include "critpath/share/share_groups.h"

/*
 * End with the result of this process, which is that of all: leave the groups to process 0 alone, or
 * to none, and add up what was moved.  Returns the result.
 */
int share_groups_end(struct groups *groups, struct exchange *exchange, struct share_moved *moved,
		     int result, struct error *err);

#endif
