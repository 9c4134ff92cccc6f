#include "llamp/graph/cost_graph.h"

void cost_graph_release(struct cost_graph *graph)
{
	cost_edges_release(&graph->edges);
	free(graph->slots);
	free(graph->events);
	cost_expressions_release(&graph->expressions);
	*graph = (struct cost_graph){0};
}

int cost_graph_sources(const struct cost_graph *graph, uint32_t **sources, struct error *err)
{
	uint32_t *owner; /* [slot] */
	uint64_t i = 0;

	TRY(allocate(&owner, graph->slot_count, sizeof *owner, err));
	if (allocate(sources, graph->edge_count, sizeof **sources, err) < 0) {
		free(owner);
		return -1;
	}
	owner[0] = UINT32_MAX;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		do
			(*sources)[i] = owner[cost_graph_edge(graph, i).from];
		while (!cost_graph_is_last(graph, i++));
		owner[graph->slots[v]] = v;
	}
	free(owner);
	return 0;
}
