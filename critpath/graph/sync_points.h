/*
 * Synchronization points of a program graph: collectives that every path from the source to the sink
 * goes through.  A path with the minimum wait is one with the minimum wait from each of them to the next,
 * so the blocks between them can be searched on their own.
 *
 * A collective is a synchronization point if all ranks take part in it and each waits for all others, no
 * member left before the last one came, and no other edge leads past it: no message or request is under way
 * and no further thread runs.
 */
#ifndef CRITPATH_SYNC_POINTS_H
#define CRITPATH_SYNC_POINTS_H

#include "critpath/graph/dist_graph.h"

struct sync_points {
	ARRAY(dist_vertex)
	hubs; /* in the order in which paths meet them; the same on all processes */
};

/*
 * Find all synchronization points, and take the edges out of the graph that are beside them: from the
 * start to the end of the calls of their members, which wait no less than the way through the hub.
 * Collective.  Linear in the edges; memory: 4 bytes for each own vertex, 12 for each edge, 32 for
 * each collective over all ranks.  End with sync_points_release.
 */
int sync_points_find(struct sync_points *points, struct dist_graph *graph, struct dist *dist,
		     struct error *err);
void sync_points_release(struct sync_points *points);

#endif
