/* Graphs as bytes. */
#include "trace/flow/flow_parts.h"

int flow_graph_put(const struct flow_graph *graph, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, graph->nodes.count, err));
	TRY(flow_put(bytes, graph->end, err));
	for (size_t n = 0; n < graph->nodes.count; n++) {
		const struct flow_node *node = &graph->nodes.items[n];

		TRY(flow_put(bytes, node->signature, err));
		TRY(flow_put(bytes, node->edge_count, err));
		for (uint32_t e = node->edges; e < node->edges + node->edge_count; e++) {
			const struct flow_edge *edge = &graph->edges.items[e];

			/* Mostly the next node follows. */
			TRY(flow_put(bytes, flow_fold_sign((int64_t)edge->to - (int64_t)n - 1),
				     err));
			TRY(flow_blocks_put(bytes, graph->blocks.items + edge->blocks,
					    edge->block_count, err));
		}
	}
	return 0;
}

static int get_edge(struct flow_graph *graph, uint32_t from, struct flow_cursor *cursor,
		    struct error *err)
{
	const int64_t to = flow_unfold_sign(flow_get_most(cursor, (uint64_t)UINT32_MAX * 2)) +
			   from + 1;
	struct flow_edge edge = {.from = from,
				 .to = (uint32_t)to,
				 .blocks = (uint32_t)graph->blocks.count};

	if (to < 0 || to > UINT32_MAX)
		cursor->damaged = true;
	TRY(flow_blocks_get(cursor, &graph->blocks, err));
	edge.block_count = (uint32_t)graph->blocks.count - edge.blocks;
	if (!edge.block_count || graph->blocks.count > UINT32_MAX)
		cursor->damaged = true;
	if (!cursor->damaged)
		edge.count = flow_blocks_count(graph->blocks.items + edge.blocks, edge.block_count);
	return array_push(&graph->edges, edge, err);
}

static int get_node(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		    struct error *err)
{
	struct flow_node node = {.edges = (uint32_t)graph->edges.count};

	node.signature = flow_get_below(cursor, flow->signatures.starts.count);
	node.edge_count = (uint32_t)flow_get_most(cursor, flow_left(cursor));
	for (uint32_t e = 0; e < node.edge_count && !cursor->damaged; e++)
		TRY(get_edge(graph, (uint32_t)graph->nodes.count, cursor, err));
	return array_push(&graph->nodes, node, err);
}

/* Count the visits of nodes by the edges that lead to them. */
static bool count_visits(struct flow_graph *graph)
{
	graph->nodes.items[0].visits = 1;
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (edge->to >= graph->nodes.count || edge->count > INT64_MAX / 2)
			return false;
		graph->nodes.items[edge->to].visits += edge->count;
		if (graph->nodes.items[edge->to].visits > INT64_MAX / 2)
			return false;
	}
	return graph->end < graph->nodes.count;
}

/* Check that edges of a node begin one after the other, and none follows after a visit that is not. */
static bool check_node(const struct flow_graph *graph, uint32_t number)
{
	const struct flow_node *node = &graph->nodes.items[number];
	const uint64_t left = node->visits - (number == graph->end);
	uint64_t first = 0, count = 0;

	if (!node->visits)
		return false;
	for (uint32_t e = node->edges; e < node->edges + node->edge_count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];
		const struct flow_block *blocks = &graph->blocks.items[edge->blocks];

		if (e > node->edges && blocks->first <= first)
			return false;
		first = blocks->first;
		count += edge->count;
		if (count > left || flow_blocks_last(blocks, edge->block_count) >= left)
			return false;
	}
	return count == left;
}

int flow_graph_get(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		   struct error *err)
{
	/* A node has two bytes or more. */
	const uint64_t nodes = flow_get_most(cursor, flow_left(cursor) / 2);

	graph->end = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	for (uint64_t n = 0; n < nodes && !cursor->damaged; n++)
		TRY(get_node(flow, graph, cursor, err));
	if (nodes && !cursor->damaged && !count_visits(graph))
		cursor->damaged = true;
	for (uint32_t n = 0; n < nodes && !cursor->damaged; n++) {
		if (!check_node(graph, n) || graph->events > INT64_MAX / 2)
			cursor->damaged = true;
		graph->events += graph->nodes.items[n].visits;
	}
	return cursor->damaged ? error_set(err, STATUS_DATA, "damaged: a graph") : 0;
}

void flow_graph_release(struct flow_graph *graph)
{
	array_release(&graph->nodes);
	array_release(&graph->edges);
	array_release(&graph->blocks);
}
