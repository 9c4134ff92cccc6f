/*
 * Longest path through each operation.
 *
 * The backward pass to llamp/graph/event_times.h: tail(x) is the length of the longest path from event
 * x to the end of the program, found for all events in the reverse of a topological order.  The
 * longest path through x has the length time(x) + tail(x), in the weights of the times.
 *
 * A path goes through operation v if it contains
 *	s(v), or
 *	the match m of its message, if v is a receive, or
 *	m and then e(v), if v is a send by rendezvous: the end of the receive is not its end.
 *
 * If T is the length of the longest path, T minus that of the longest one through v is the slack
 * of v (doc/model.md).
 *
 * Memory: 16 bytes per operation for the result, 16 more while it is found.
 */
#ifndef LLAMP_PATH_THROUGH_H
#define LLAMP_PATH_THROUGH_H

#include "llamp/graph/event_times.h"

/*
 * Find through[v], the length of the longest path through operation v, in linear time.  *times
 * must have its order (event_times_find_in_order).  Free *through with free.
 */
int path_through(__int128 **through, const struct event_times *times, struct error *err);

#endif
