/* Writing a cost graph, vertex by vertex in topological order, each after its in-edges. */
#ifndef LLAMP_COST_WRITER_H
#define LLAMP_COST_WRITER_H

#include "llamp/graph/cost_graph.h"

/* Unfinished graph.  `from` of an edge is a vertex number + 1, or 0 for the beginning. */
struct cost_writer {
	ARRAY(struct cost_edge) edges;
	ARRAY(struct cost_vertex) vertices;
	struct cost_expressions expressions;
};

int cost_writer_init(struct cost_writer *writer, struct error *err);
void cost_writer_release(struct cost_writer *writer);

/* Add an edge into the vertex that is added next. */
int cost_writer_edge(struct cost_writer *writer, uint32_t from, uint64_t ns, uint32_t expression,
		     struct error *err);

/* Add a vertex for the edges since the last vertex, which are at least one. */
int cost_writer_vertex(struct cost_writer *writer, uint32_t event, struct error *err);

/* Turn the written vertices into a graph.  The last one is the end.  Releases the writer. */
int cost_writer_finish(struct cost_writer *writer, struct cost_graph *graph, struct error *err);

#endif
