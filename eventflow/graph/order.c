#include "eventflow/graph/order.h"

/* Edge by which the walk leaves a node for the last time; UINT32_MAX for the last node. */
static uint32_t last_exit(const struct flow_graph *graph, uint32_t number)
{
	const struct flow_node *node = &graph->nodes.items[number];

	if (number == graph->end)
		return UINT32_MAX;
	for (uint32_t e = node->edges; e < node->edges + node->edge_count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (graph->blocks.items[edge->blocks + edge->block_count - 1].last ==
		    node->visits - 1)
			return e;
	}
	return UINT32_MAX;
}

/* Whether the way of last exits from a node leads through another one. */
static bool leads_through(const struct flow_graph *graph, uint32_t from, uint32_t through)
{
	for (size_t steps = 0; steps <= graph->nodes.count; steps++) {
		const uint32_t edge = last_exit(graph, from);

		if (from == through)
			return true;
		if (edge == UINT32_MAX)
			return false;
		from = graph->edges.items[edge].to;
	}
	return false;
}

/* Whether a node leaves a choice: other exits in several orders, or another last exit. */
static bool has_choice(const struct flow_graph *graph, uint32_t number)
{
	const struct flow_node *node = &graph->nodes.items[number];
	const uint32_t last = last_exit(graph, number);
	const struct flow_edge *edges = graph->edges.items + node->edges, *other;

	if (node->edge_count < 2)
		return false;
	if (node->edge_count > 2 || last == UINT32_MAX)
		return true;
	other = &edges[last == node->edges];
	if (graph->edges.items[last].count > 1)
		return true;
	/* The other edge as last exit: several orders of the rest do no harm, as one walk more is enough. */
	return !leads_through(graph, other->to, number);
}

int flow_order_is_fixed(const struct flow_graph *graph, bool *fixed, struct error *err)
{
	(void)err;
	*fixed = true;
	for (uint32_t n = 0; n < graph->nodes.count && *fixed; n++)
		*fixed = !has_choice(graph, n);
	return 0;
}
