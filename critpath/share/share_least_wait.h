/*
 * The path with the least wait (critpath/path/least_wait.h) of a run whose ranks are shared among
 * processes, by parts of the graph (critpath/parts/least_wait_part.h).  No process has the whole graph.
 */
#ifndef CRITPATH_SHARE_LEAST_WAIT_H
#define CRITPATH_SHARE_LEAST_WAIT_H

#include "critpath/path/walk.h"
#include "critpath/share/exchange.h"

/* What the search took: the same on all processes. */
struct share_search {
	uint64_t wait_ns;      /* of the path */
	uint64_t rounds;       /* in which processes told each other of steps */
	uint64_t steps, edges; /* told, and looked at, by all processes */
	uint64_t most_edges;   /* that one process has */
};

/*
 * Search the path; with delta_ns 0 by Dijkstra's algorithm, all vertices of one distance at a time.
 * Collective.  Process 0 gets all of the path, the others the segments of own ranks.  Of several paths
 * with the least wait, another number of processes may find another one.  End with walk_release.
 */
int share_least_wait(struct walk *walk, const struct waits *waits, uint64_t delta_ns,
		     struct exchange *exchange, struct share_search *found, struct error *err);

#endif
