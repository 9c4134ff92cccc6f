/*
 * The program graph (critpath/graph/program_graph.h) of a run whose ranks are shared among processes: each
 * has the vertices of its ranks' calls and some hubs of collectives, with the edges into them.
 *
 * Vertices are numbered through: those of process 0 first, which begin with the source and the sink;
 * those of a process are its calls, rank by rank, then its hubs.
 */
#ifndef CRITPATH_DIST_GRAPH_H
#define CRITPATH_DIST_GRAPH_H

#include "critpath/graph/subgraph_search.h"
#include "critpath/graph/program_edges.h"
#include "critpath/graph/program_graph.h"
#include "dist/dist.h"

struct dist_graph {
	const struct waits *waits;	   /* not owned */
	dist_vertex *first;		   /* [process]; [processes]: number of all vertices */
	dist_vertex *first_hub;		   /* [process] */
	dist_vertex *first_call;	   /* [rank] */
	ARRAY(struct dist_raw_edge) edges; /* into vertices of this process */
	uint64_t left_out;		   /* edges back in time, of this process */
	uint32_t processes;
};

/*
 * Build the graph.  Collective.  Memory: 8 bytes for each rank of the run, 24 for each edge, up to three times that while
 * edges to hubs move, as observed 64 for each member of a collective.  End with dist_graph_release.
 */
int dist_graph_build(struct dist_graph *graph, const struct waits *waits, struct dist *dist,
		     struct error *err);
void dist_graph_release(struct dist_graph *graph);

/* Number the vertices without edges, as of collectives as defined.  Collective.  End with dist_graph_release. */
int dist_graph_number(struct dist_graph *graph, const struct waits *waits, struct dist *dist,
		      struct error *err);

/* Process that has a vertex. */
uint32_t dist_graph_process(const struct dist_graph *graph, dist_vertex vertex);

static inline bool dist_graph_owns(const struct dist_graph *graph, uint32_t process,
				   dist_vertex vertex)
{
	return vertex >= graph->first[process] && vertex < graph->first[process + 1];
}

/* A vertex of this process, or source or sink; the time of hubs, which it does not know, is 0. */
struct program_vertex dist_graph_vertex(const struct dist_graph *graph, dist_vertex vertex);

#endif
