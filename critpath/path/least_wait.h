/*
 * The path with the least wait through the program graph, by two algorithms for shortest paths:
 * "Finding Bottlenecks in Message Passing Interface Programs by Scalable Critical Path Analysis",
 * Algorithms 16(11), 2023, sections 4.1 and 4.2.  They confirm the walk back from the end
 * (critpath/path/walk.h), which is faster: both find the same least wait.
 */
#ifndef CRITPATH_LEAST_WAIT_H
#define CRITPATH_LEAST_WAIT_H

#include "critpath/path/splits.h"
#include "critpath/path/walk.h"

struct least_wait {
	uint64_t wait_ns;		/* of the path; T - wait_ns is its activity */
	ARRAY(uint32_t) vertices;	/* from source to sink */
	uint64_t steps;			/* edges that were looked at */
};

/* Dijkstra's algorithm.  End with least_wait_release. */
int least_wait_dijkstra(struct least_wait *path, const struct program_graph *graph,
			struct error *err);

/*
 * Delta-stepping: all vertices whose distance is within the same `delta_ns` are taken together,
 * first along edges with a wait of up to delta_ns, until none of them changes any more, then along
 * the others.  With 0 it is Dijkstra's algorithm, with UINT64_MAX that of Bellman and Ford.
 */
int least_wait_delta(struct least_wait *path, const struct program_graph *graph, uint64_t delta_ns,
		     struct error *err);

/*
 * The same, with a search of its own from each split to the next, by at most `threads` threads at
 * once.  The result does not depend on the number of threads.
 */
int least_wait_by_splits(struct least_wait *path, const struct splits *splits, uint64_t delta_ns,
			 unsigned threads, struct error *err);

void least_wait_release(struct least_wait *path);

/* Write the path as segments; waits on it are WALK_UNKNOWN.  End with walk_release. */
int least_wait_segments(struct walk *walk, const struct least_wait *path,
			const struct program_graph *graph, struct error *err);

#endif
