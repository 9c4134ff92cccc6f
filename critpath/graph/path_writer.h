/*
 * Segments of a path through the program graph, written vertex by vertex from the source to the sink.
 * Waits on it are WALK_UNKNOWN.  Several writers can write one path after another, each the vertices of
 * some ranks: the state is what they hand over.  walk_add_up adds up the segments.
 */
#ifndef CRITPATH_PATH_WRITER_H
#define CRITPATH_PATH_WRITER_H

#include "critpath/graph/program_graph.h"
#include "critpath/path/walk.h"

/* What segments say of their call besides its number. */
struct path_call {
	uint32_t function, site;
};

struct path_writer_state {
	struct program_vertex from; /* the last vertex; the source has `end` set */
	uint64_t at_ns;		    /* up to where segments are written */
	struct path_call call;	    /* of the last vertex */
};

struct path_writer {
	struct walk *walk;
	const struct waits *waits;
	struct error *err;
	struct path_writer_state state;
};

/* Begin at the source. */
void path_writer_begin(struct path_writer *writer);

/* Go on to a vertex of a call of an own rank, or to a hub. */
int path_write_to(struct path_writer *writer, const struct program_vertex *to);

/* Go on to the sink, from a vertex of an own rank. */
int path_write_end(struct path_writer *writer);

#endif
