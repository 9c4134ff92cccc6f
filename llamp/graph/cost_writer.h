/* Writing a cost graph, vertex by vertex in topological order, each after its in-edges. */
#ifndef LLAMP_COST_WRITER_H
#define LLAMP_COST_WRITER_H

#include "llamp/graph/cost_graph.h"

/*
 * Unfinished graph.  Vertices have numbers from 1 on.  Mostly the number of a vertex is the count of
 * vertices with it, but numbers may be left out.  The place of an edge's source is the difference of the
 * two numbers, or 0 for the beginning of the program.
 */
struct cost_writer {
	struct cost_edges edges;
	uint32_t vertex_count;
	ARRAY(uint32_t) events; /* [vertex] */
	bool without_events;	/* events are not to be written */
	struct cost_expressions expressions;
};

int cost_writer_init(struct cost_writer *writer, struct error *err);
void cost_writer_release(struct cost_writer *writer);

/* A place up to this one is of a value that takes its slot for so long at most. */
enum { COST_NEAR = COST_WIDE / 2 };

/* Add an edge from source `from` into the vertex that is added next, and has a number. */
static inline int cost_writer_edge_into(struct cost_writer *writer, uint32_t number, uint32_t from,
					uint64_t ns, uint32_t expression, struct error *err)
{
	const struct cost_edge edge = {ns, from ? number - from : 0, expression};

	TRY(array_reserve(&writer->edges.list, 1, err));
	writer->edges.list.items[writer->edges.list.count] = 0;
	if (edge.from <= COST_NEAR && cost_edge_fits(&edge))
		writer->edges.list.items[writer->edges.list.count] = cost_pack_(&edge);
	else
		TRY(cost_edges_set_wide_(&writer->edges, writer->edges.list.count, &edge, err));
	writer->edges.list.count++;
	return 0;
}

/* The same without numbers that are left out. */
static inline int cost_writer_edge(struct cost_writer *writer, uint32_t from, uint64_t ns,
				   uint32_t expression, struct error *err)
{
	return cost_writer_edge_into(writer, writer->vertex_count + 1, from, ns, expression, err);
}

/* An edge into vertex `number`.  `from` is the number of its source, or 0. */
static inline struct cost_edge cost_writer_edge_at(const struct cost_edges *edges, uint64_t index,
						   uint32_t number)
{
	struct cost_edge edge = cost_edges_at(edges, index);

	edge.from = edge.from ? number - edge.from : 0;
	return edge;
}

/* Add a vertex for the edges since the last vertex, which are at least one. */
int cost_writer_vertex(struct cost_writer *writer, uint32_t event, struct error *err);

/*
 * Turn the written vertices into a graph.  The last one is the end.  No number was left out.
 * Releases the writer.
 */
int cost_writer_finish(struct cost_writer *writer, struct cost_graph *graph, struct error *err);

#endif
