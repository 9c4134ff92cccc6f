/* The rank and the calls that others waited for most. */
#ifndef CRITPATH_VIEW_CULPRIT_H
#define CRITPATH_VIEW_CULPRIT_H

#include "critpath/path/waits.h"

struct view_culprit {
	uint64_t wait_ns;	   /* of all calls */
	uint32_t rank;		   /* the lowest of those that most of it was for */
	uint64_t caused_ns;	   /* waits for it */
	uint64_t function_ns;	   /* ... in calls of `waiting` for its calls of `function`, the most */
	uint32_t waiting, function;
};

/* Find it in the whole run.  Memory: 8 bytes for each rank and for each pair of functions. */
int view_culprit_find(struct view_culprit *culprit, const struct waits *waits, struct error *err);

#endif
