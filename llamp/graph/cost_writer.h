/* Making a cost graph, edge by edge and vertex by vertex in topological order. */
#ifndef LLAMP_COST_WRITER_H
#define LLAMP_COST_WRITER_H

#include "llamp/graph/cost_graph.h"

/* A graph while it is made: edges come from vertex number + 1, 0 being the beginning. */
struct cost_writer {
	ARRAY(struct cost_edge) edges;
	ARRAY(struct cost_vertex) vertices;
	struct cost_expressions expressions;
};

int cost_writer_init(struct cost_writer *writer, struct error *err);
void cost_writer_release(struct cost_writer *writer);

/* An edge into the vertex that is added next. */
int cost_writer_edge(struct cost_writer *writer, uint32_t from, uint64_t ns, uint32_t expression,
		     struct error *err);

/* Add a vertex for the edges since the last vertex, at least one; its number is one more. */
int cost_writer_vertex(struct cost_writer *writer, uint32_t event, struct error *err);

/* Make the graph of the written vertices, of which the last is the end; the writer is released. */
int cost_writer_finish(struct cost_writer *writer, struct cost_graph *graph, struct error *err);

#endif
