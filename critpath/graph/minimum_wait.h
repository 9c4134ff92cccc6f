/*
 * The path with the minimum wait through the program graph, by algorithms for shortest paths: "Finding
 * Bottlenecks in Message Passing Interface Programs by Scalable Critical Path Analysis", Algorithms
 * 16(11), 2023, sections 4.1 to 4.4.  They confirm the walk back from the end (critpath/path/walk.h),
 * which is faster.  The ranks of the run may be shared among processes: then no process has the whole
 * graph (critpath/graph/subgraph_search.h).
 */
#ifndef CRITPATH_MINIMUM_WAIT_H
#define CRITPATH_MINIMUM_WAIT_H

#include "critpath/path/walk.h"
#include "dist/dist.h"

/*
 * How the blocks between synchronization points (critpath/graph/sync_points.h) are searched.  All processes
 * search a block together.  A process alone searches it by one thread.
 */
enum sync_point_use {
	SYNC_POINTS_OFF, /* the run is one block */
	SYNC_POINTS_AT_ONCE, /* all blocks at once: by processes in the same rounds, alone by all threads */
	SYNC_POINTS_IN_TURN, /* one block after the other */
};

struct minimum_wait_options {
	/*
	 * Vertices whose distances are within the same delta are taken together, first along edges
	 * with a wait of up to delta_ns, until none of them changes any more, then along the others.
	 * With 0 it is Dijkstra's algorithm, with UINT64_MAX that of Bellman and Ford.
	 */
	uint64_t delta_ns;
	enum sync_point_use sync_points;
};

/* What the search took: the same on all processes. */
struct minimum_wait_found {
	uint64_t wait_ns;      /* of the path; T - wait_ns is its activity */
	uint64_t blocks;       /* between synchronization points */
	uint64_t rounds;       /* in which processes told each other of steps */
	uint64_t steps, edges; /* told, and looked at, by all processes */
	uint64_t most_edges;   /* that one process has */
};

/*
 * Search the path.  Waits on it are WALK_UNKNOWN.  Collective.  Process 0 gets the whole path, the
 * others get the segments of own ranks.  Of several paths with the minimum wait the result is that of the
 * lowest ranks at each step, for any number of processes.  Of several collectives that a call begins,
 * the path goes on in the first.  End with walk_release.
 */
int minimum_wait_path(struct walk *walk, const struct waits *waits,
		      const struct minimum_wait_options *options, struct dist *dist,
		      struct minimum_wait_found *found, struct error *err);

#endif
