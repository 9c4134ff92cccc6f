#include "llamp/graph/subgraph.h"

#include "llamp/graph/edge_merge.h"

struct extraction {
	const struct cost_graph *graph;
	const uint64_t *wanted;
	struct cost_writer writer;
	struct edge_merge merge;
	/* [slot]: edge that replaces its vertex, and whether the subgraph has a path to it. */
	struct in_edge *values;
	bool *alive;
	uint32_t *expressions; /* [expression of the graph]: number + 1 in the subgraph, or 0 */
	bool ended;	       /* a path leads to the end */
	struct error *err;
};

/* Number in the subgraph of an edge's expression, or EXPRESSION_FAILED. */
static uint32_t subgraph_expression(struct extraction *extraction, const struct cost_edge *edge)
{
	const uint32_t expression = cost_edge_expression(edge);
	uint32_t *known = &extraction->expressions[expression];

	if (!*known)
		*known = cost_expressions_copy(&extraction->writer.expressions,
					       &extraction->graph->expressions, expression) +
			 1;
	return *known - 1;
}

/* Add a vertex for the edges from `first` on.  *value becomes an edge from it without cost. */
static int subgraph_add_vertex(struct extraction *extraction, uint32_t event, uint64_t first,
			       struct in_edge *value)
{
	TRY(cost_writer_vertex(&extraction->writer, event, extraction->err));
	*value = (struct in_edge){.source = extraction->writer.vertex_count};
	return edge_merge_add_source(&extraction->merge, &extraction->writer.edges, first);
}

/* End a path that is too long for 64 bits at a vertex of its own. */
static int split_path(struct extraction *extraction, struct in_edge *value)
{
	const uint64_t first = extraction->writer.edges.list.count;

	TRY(cost_writer_edge(&extraction->writer, value->source, value->ns, value->expression,
			     extraction->err));
	return subgraph_add_vertex(extraction, COST_EVENT_END, first, value);
}

static int take_edge(struct extraction *extraction, const struct cost_edge *edge)
{
	struct in_edge *value = &extraction->values[edge->from], sum;
	const uint32_t expression = subgraph_expression(extraction, edge);

	if (!edge_merge_extend(&extraction->merge, value, edge->ns, expression, &sum)) {
		if (extraction->writer.expressions.failed)
			return -1;
		TRY(split_path(extraction, value));
		sum = (struct in_edge){edge->ns, value->source, expression, 0};
	}
	edge_merge_take(&extraction->merge, sum.ns, sum.source, sum.expression);
	return 0;
}

static int take_vertex(struct extraction *extraction, uint32_t vertex, uint64_t first, uint64_t end)
{
	const struct cost_graph *graph = extraction->graph;
	const bool last = end == graph->edge_count;
	const uint32_t slot = graph->slots[vertex];
	struct in_edge *value = &extraction->values[slot];
	uint64_t written;

	extraction->merge.open.count = 0;
	for (uint64_t i = first; i < end; i++) {
		const struct cost_edge edge = cost_graph_edge(graph, i);

		if ((extraction->wanted[i / 64] >> i % 64 & 1) && extraction->alive[edge.from])
			TRY(take_edge(extraction, &edge));
	}
	extraction->alive[slot] = extraction->merge.open.count > 0;
	if (extraction->merge.open.count == 0)
		return 0;
	extraction->ended = last;
	TRY(edge_merge_close(&extraction->merge, &extraction->writer.edges));
	if (extraction->merge.open.count == 1 && !last) {
		*value = extraction->merge.open.items[0];
		return 0;
	}
	written = extraction->writer.edges.list.count;
	TRY(edge_merge_write(&extraction->merge, &extraction->writer));
	return subgraph_add_vertex(extraction, graph->events ? graph->events[vertex] : 0, written,
				   value);
}

/* Take all vertices.  Most of them have no wanted edge. */
static int take_all(struct extraction *extraction)
{
	const struct cost_graph *graph = extraction->graph;
	const uint64_t *wanted = extraction->wanted;
	bool *alive = extraction->alive;
	uint64_t i = 0;

	alive[0] = true;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const uint64_t first = i;
		uint64_t any = 0;

		do
			any |= wanted[i / 64] >> i % 64;
		while (!cost_graph_is_last(graph, i++));
		if (any & 1)
			TRY(take_vertex(extraction, v, first, i));
		else
			alive[graph->slots[v]] = false;
	}
	return 0;
}

static int subgraph_take(struct extraction *extraction)
{
	const struct cost_graph *graph = extraction->graph;

	TRY(cost_writer_init(&extraction->writer, extraction->err));
	extraction->writer.without_events = !graph->events;
	TRY(edge_merge_init(&extraction->merge, &extraction->writer.expressions, extraction->err));
	TRY(allocate(&extraction->values, graph->slot_count, sizeof *extraction->values,
		     extraction->err));
	TRY(allocate(&extraction->alive, graph->slot_count, sizeof *extraction->alive,
		     extraction->err));
	TRY(allocate(&extraction->expressions, graph->expressions.list.count,
		     sizeof *extraction->expressions, extraction->err));
	return take_all(extraction);
}

int subgraph_build(struct cost_graph *subgraph, const struct cost_graph *graph,
		   const uint64_t *wanted, struct error *err)
{
	struct extraction extraction = {.graph = graph, .wanted = wanted, .err = err};
	const int result = subgraph_take(&extraction);

	edge_merge_release(&extraction.merge);
	free(extraction.values);
	free(extraction.alive);
	free(extraction.expressions);
	*subgraph = (struct cost_graph){0};
	if (result < 0 || !extraction.ended) {
		cost_writer_release(&extraction.writer);
		return result;
	}
	TRY(cost_writer_finish(&extraction.writer, subgraph, err));
	subgraph->op_count = graph->op_count;
	subgraph->message_count = graph->message_count;
	return 0;
}
