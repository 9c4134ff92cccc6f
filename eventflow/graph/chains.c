#include "eventflow/graph/chains.h"

#include <string.h>

/* Check whether a node has one node before it and one after it; the first and the last never have. */
static bool is_link(const struct flow_graph *graph, const uint32_t *before, uint32_t node)
{
	return node && node != graph->end && before[node] == 1 &&
	       graph->nodes.items[node].edge_count == 1;
}

static uint32_t next_of(const struct flow_graph *graph, uint32_t node)
{
	return graph->edges.items[graph->nodes.items[node].edges].to;
}

/* Add the chain that begins at a node, unless it is too short. */
static int add_chain(struct flow_chains *chains, const struct flow_graph *graph,
		     const uint32_t *before, uint32_t first, struct error *err)
{
	struct flow_chain chain = {.first = first, .last = first, .length = 1};

	while (is_link(graph, before, next_of(graph, chain.last)) &&
	       next_of(graph, chain.last) != first) {
		chain.last = next_of(graph, chain.last);
		chain.length++;
	}
	if (chain.length < LEAST_CHAIN)
		return 0;
	for (uint32_t node = first, left = chain.length; left; left--, node = next_of(graph, node))
		chains->of[node] = (uint32_t)chains->chains.count;
	chains->nodes -= chain.length - 1;
	chains->edges -= chain.length - 1;
	return array_push(&chains->chains, chain, err);
}

/* Find the nodes before each: their number, and the last of them. */
static int find_before(const struct flow_graph *graph, uint32_t **counts, uint32_t **nodes,
		       struct error *err)
{
	TRY(allocate(counts, graph->nodes.count, sizeof **counts, err));
	TRY(allocate(nodes, graph->nodes.count, sizeof **nodes, err));
	for (size_t e = 0; e < graph->edges.count; e++) {
		(*counts)[graph->edges.items[e].to]++;
		(*nodes)[graph->edges.items[e].to] = graph->edges.items[e].from;
	}
	return 0;
}

int flow_chains_find(struct flow_chains *chains, const struct flow_graph *graph, struct error *err)
{
	uint32_t *before = NULL, *node_before = NULL;
	int result;

	*chains = (struct flow_chains){.nodes = graph->nodes.count, .edges = graph->edges.count};
	TRY(allocate(&chains->of, graph->nodes.count, sizeof *chains->of, err));
	memset(chains->of, 0xff, graph->nodes.count * sizeof *chains->of);
	result = find_before(graph, &before, &node_before, err);
	for (uint32_t n = 0; n < graph->nodes.count && result == 0; n++)
		if (is_link(graph, before, n) && !is_link(graph, before, node_before[n]))
			result = add_chain(chains, graph, before, n, err);
	free(before);
	free(node_before);
	return result;
}

void flow_chains_release(struct flow_chains *chains)
{
	free(chains->of);
	array_release(&chains->chains);
}
