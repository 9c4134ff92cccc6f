/*
 * The program graph of a random program, from what its generator knows and the definitions in
 * doc/critpath.md.  It shares no code with critpath/ and trace/measured/measured_match.h.
 */
#ifndef TEST_CALLS_GRAPH_H
#define TEST_CALLS_GRAPH_H

#include "test/unit/lib/make/random_calls.h"

enum { PATHS = 20000, VERTICES = 2 * RANKS * CALLS + 2 };

/* Vertex: source 0, sink 1, then the start and the end of each call. */
struct edge {
	uint32_t from, to;
	int64_t wait;
	uint32_t rank, call; /* whose activity it is; the call comes after computation */
	bool computes;
	bool if_waited; /* see struct link */
};

struct graph {
	uint32_t vertex_count, edge_count;
	int64_t times[VERTICES];
	struct edge edges[2 * LINKS + 3 * RANKS * CALLS];
	uint32_t order[VERTICES]; /* topological */
	uint32_t first[RANKS];	  /* vertex of each rank's first call */
	int64_t end;
};

/*
 * Make the graph, with collectives as defined or as observed: then a member waits for all that began before
 * it ended, if not for longer.
 */
void calls_graph_make(struct graph *graph, const struct program *program, bool observed);

/* Minimum waiting on any path, by dynamic programming. */
int64_t calls_graph_least(const struct graph *graph);

/*
 * Minimum waiting from a vertex on by following every path, to what was waited before.  Counts the
 * paths, and gives up beyond PATHS.
 */
int64_t calls_graph_least_of_all(const struct graph *graph, uint32_t vertex, int64_t waited,
				 uint32_t *paths);

/*
 * Longest path if computation takes its time and all else none: the run on an ideal network.  An edge that is only there
 * if a call waited is taken if that call's wait is for it.
 */
int64_t calls_graph_ideal(const struct graph *graph, const struct program *program);

/* Whether the walk is a path from source to sink that never waits. */
bool calls_graph_has_walk(const struct graph *graph, const struct walk *walk,
			  const struct program *program);

#endif
