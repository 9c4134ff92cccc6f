/*
 * The program graph (critpath/graph/program_graph.h) as the ideal run needs it, of a run whose
 * ranks are shared among processes.  Each has its ranks' calls and some hubs of collectives.
 *
 * A call is one place, whose start and end are known by its thread: these edges are not kept.  Nor
 * are those of source and sink.  All others lead from the start of a call or from a hub to a hub or
 * to the end of a call.  The process of the place where an edge begins has it.
 *
 * Places of a process are the calls of its ranks, rank by rank, then its hubs.
 */
#ifndef CRITPATH_IDEAL_GRAPH_H
#define CRITPATH_IDEAL_GRAPH_H

#include "critpath/graph/dist_graph.h"

#define IDEAL_NO_EDGE UINT32_MAX

/*
 * In place of the next call: MPI_Init and MPI_Finalize are not of the thread; the last call of a
 * thread ends with it, or in MPI_Finalize; the same, but what follows the call is of the next part
 * (critpath/graph/ideal_blocks.h).  Numbers of places are below IDEAL_CALLS.
 */
#define IDEAL_OUTSIDE UINT32_MAX
#define IDEAL_LAST (UINT32_MAX - 1)
#define IDEAL_FINAL (UINT32_MAX - 2)
#define IDEAL_FINAL_APART (UINT32_MAX - 3)
#define IDEAL_CALLS (UINT32_MAX - 16)

struct ideal_place {
	uint64_t at_ns;	  /* end of the call, or the hub, in the ideal run; 0 at first */
	uint32_t pending; /* that it waits for: edges to it, and for a call of a thread its start */
	uint32_t next;	  /* call of the thread, or as above; not of hubs */
	uint32_t part;	  /* NO_PART at first */
	uint32_t edge;	  /* the first from it, or IDEAL_NO_EDGE */
};

struct ideal_edge {
	dist_vertex to; /* a hub, or the end of a call, of any process */
	uint32_t next;	/* edge from the same place, or IDEAL_NO_EDGE */
};

/* The first call of a thread. */
struct ideal_thread {
	uint32_t rank, call, thread;
};

struct ideal_graph {
	const struct waits *waits; /* not owned */
	struct dist_graph numbers; /* of the vertices; it has no edges */
	uint32_t process;
	uint32_t calls, count;	    /* places of calls, and of all */
	struct ideal_place *places; /* [calls ... count - 1]: hubs */
	ARRAY(struct ideal_edge) edges;
	ARRAY(struct ideal_thread) threads; /* rank by rank */
};

/*
 * Build the graph, with collectives as defined.  Collective.  Memory: 24 bytes for each call, 16 for
 * each edge, and while edges between processes move up to 48 for each of these.  More than 2^32 places or
 * edges of a process are STATUS_LIMIT.  End with ideal_graph_release.
 */
int ideal_graph_build(struct ideal_graph *graph, const struct waits *waits, struct dist *dist,
		      struct error *err);
void ideal_graph_release(struct ideal_graph *graph);

static inline bool ideal_owns(const struct ideal_graph *graph, dist_vertex vertex)
{
	return dist_graph_owns(&graph->numbers, graph->process, vertex);
}

/* Place of the first call of an own rank. */
static inline uint32_t ideal_rank_place(const struct ideal_graph *graph, uint32_t rank)
{
	const dist_vertex *first = graph->numbers.first_call;

	return (uint32_t)((first[rank] - first[graph->waits->run->own_first]) / 2);
}

/* Place of an own vertex, which is a hub, or the start or the end of a call. */
static inline uint32_t ideal_place_of(const struct ideal_graph *graph, dist_vertex vertex)
{
	const dist_vertex first_hub = graph->numbers.first_hub[graph->process];

	if (vertex >= first_hub)
		return graph->calls + (uint32_t)(vertex - first_hub);
	return (uint32_t)((vertex - graph->numbers.first_call[graph->waits->run->own_first]) / 2);
}

static inline bool ideal_is_hub(const struct ideal_graph *graph, uint32_t place)
{
	return place >= graph->calls;
}

/* The own rank of the call at a place. */
uint32_t ideal_rank_at(const struct ideal_graph *graph, uint32_t place);

#endif
