/*
 * The program graph of a measured run: its calls, and how they depend on each other.
 *
 * Each call has two vertices, its begin and its end; the source is the start of the run and the
 * sink its end.  The time between the ends of an edge is activity and wait:
 *
 *	t(to) - t(from) = activity + wait,	activity >= 0, wait >= 0
 *
 * so that the critical path, which has the most activity, is the path from source to sink with
 * the minimum wait (doc/critpath.md).  Edges, with their waits:
 *
 *	program		end of a call -> begin of the next one of its thread	0
 *	call		begin -> end						its wait (critpath/path/waits.h)
 *	message		begin of the send -> end of the receive			until the receive begins
 *	late receiver	begin of the receive -> end of a send that waited for it	0
 *	collective	begin of each member -> hub -> end of each member	until the last begins
 *
 * A hub is a vertex at the time when the last member, or the root, has begun.  The hub of a scan has no
 * edges: each member that waited has one from the member that it waited for.  Of collectives as observed
 * (critpath/path/members.h) there is a hub for each member that is the last one for some, and edges from hub
 * to hub.  Edges back in time are left out: clocks contradict each other there.
 * critpath/graph/program_edges.h makes the edges.
 */
#ifndef CRITPATH_PROGRAM_GRAPH_H
#define CRITPATH_PROGRAM_GRAPH_H

#include "critpath/path/waits.h"

/* Edge to a vertex.  Edges are in the order of the vertices where they begin. */
struct program_edge {
	uint32_t to;
	uint64_t wait_ns;
};

struct program_graph {
	const struct waits *waits; /* not owned */
	uint32_t vertex_count, source, sink;
	uint64_t *first_vertex; /* [rank]: begin of its first call; [rank_count]: first hub */
	uint64_t *hub_ns;	/* [hub]: time of that of an instance, as defined; 0 of others */
	uint64_t *first_edge;	/* [vertex]; [vertex_count]: number of edges */
	struct program_edge *edges;
	uint64_t left_out; /* edges back in time */
};

/*
 * Build the graph of one process.  Memory: 16 bytes for each edge, 8 for each vertex, and 24 more for each edge
 * while it is built.  More than 2^32 vertices are STATUS_LIMIT.  End with program_graph_release.
 */
int program_graph_build(struct program_graph *graph, const struct waits *waits, struct error *err);
void program_graph_release(struct program_graph *graph);

/* A vertex as what it stands for; call is NO_CALL for hubs, source and sink. */
struct program_vertex {
	uint32_t rank, call;
	bool end;	/* of the call, not its begin */
	uint64_t at_ns; /* on the clock of the run */
};

struct program_vertex program_vertex_of(const struct program_graph *graph, uint32_t vertex);

#endif
