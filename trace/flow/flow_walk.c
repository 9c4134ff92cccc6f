#include "trace/flow/flow_walk.h"

int flow_walk_begin(struct flow_walk *walk, const struct flow_graph *graph, struct error *err)
{
	*walk = (struct flow_walk){.graph = graph, .edge = FLOW_NO_EDGE};
	if (allocate(&walk->nodes, graph->nodes.count, sizeof *walk->nodes, err) < 0 ||
	    allocate(&walk->runs, graph->edges.count, sizeof *walk->runs, err) < 0 ||
	    allocate(&walk->heaps, graph->edges.count, sizeof *walk->heaps, err) < 0) {
		flow_walk_release(walk);
		return -1;
	}
	/* Edges of a node are in the order of their first visits: that is a heap. */
	for (uint32_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		walk->heaps[e] = e;
		walk->runs[e] = flow_run_first(graph->blocks.items + edge->blocks,
					       edge->block_count);
	}
	return 0;
}

/* Move the first edge of a heap down to its place. */
static void sift_down(const struct flow_run *runs, uint32_t *heap, uint32_t count)
{
	const uint32_t edge = heap[0];
	uint32_t at = 0;

	for (uint32_t child = 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count && runs[heap[child + 1]].begin < runs[heap[child]].begin)
			child++;
		if (runs[edge].begin <= runs[heap[child]].begin)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = edge;
}

int flow_walk_find_edge(struct flow_walk *walk, struct error *err)
{
	const struct flow_node *node = &walk->graph->nodes.items[walk->node];
	const struct flow_run *runs = walk->runs;
	struct flow_walk_node *from = &walk->nodes[walk->node];
	uint32_t *heap = walk->heaps + node->edges;
	const uint64_t visit = walk->visit;

	if (node->edge_count && runs[heap[0]].last < visit) {
		flow_run_next(&walk->runs[heap[0]]);
		sift_down(runs, heap, node->edge_count);
	}
	if (!node->edge_count || runs[heap[0]].begin > visit || runs[heap[0]].last < visit)
		return error_set(err, STATUS_DATA, "damaged: node %u: no edge has visit %llu",
				 walk->node, (unsigned long long)visit);
	from->until = runs[heap[0]].last + 1;
	/* Later runs begin later, so that of another edge would begin here or before. */
	for (uint32_t child = 1; child <= 2 && child < node->edge_count; child++) {
		const uint64_t begin = runs[heap[child]].begin;

		if (begin <= visit)
			return error_set(err, STATUS_DATA,
					 "damaged: node %u: two edges have visit %llu", walk->node,
					 (unsigned long long)visit);
		from->until = begin < from->until ? begin : from->until;
	}
	from->edge = heap[0];
	from->to = walk->graph->edges.items[from->edge].to;
	return 0;
}

void flow_walk_release(struct flow_walk *walk)
{
	free(walk->nodes);
	free(walk->runs);
	free(walk->heaps);
}
