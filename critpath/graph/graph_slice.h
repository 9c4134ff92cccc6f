/* A slice of a program graph: what is between two times, so that graphs of large runs stay usable. */
#ifndef CRITPATH_GRAPH_SLICE_H
#define CRITPATH_GRAPH_SLICE_H

#include "critpath/graph/program_graph.h"

enum program_edge_kind {
	EDGE_PROGRAM,	    /* between calls of a thread, or to and from source and sink */
	EDGE_CALL,	    /* from the start of a call to its end */
	EDGE_MESSAGE,	    /* from a send to what completes its receive */
	EDGE_LATE_RECEIVER, /* from a receive to what completes its send */
	EDGE_LOCK,	    /* from the call that gave a lock back to one that waited for it */
	EDGE_COLLECTIVE,    /* to a hub, from one, or between two members */
	EDGE_KINDS,
};

/* Ends with NULL. */
extern const char *const program_edge_kind_names[EDGE_KINDS + 1];

struct sliced_edge {
	uint32_t from, to; /* vertices */
	uint64_t wait_ns, activity_ns;
	enum program_edge_kind kind;
};

struct graph_slice {
	const struct program_graph *graph; /* not owned */
	ARRAY(uint32_t) vertices;	   /* at the ends of the edges, in order */
	ARRAY(struct sliced_edge) edges;   /* by the vertices where they begin */
};

/*
 * Find the edges whose ends are both from `from_ns` to `to_ns`, in ns since the run began.  A slice of
 * the whole run has all edges.  End with graph_slice_release.
 */
int graph_slice_find(struct graph_slice *slice, const struct program_graph *graph, uint64_t from_ns,
		     uint64_t to_ns, struct error *err);
void graph_slice_release(struct graph_slice *slice);

#endif
