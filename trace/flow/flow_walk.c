#include "trace/flow/flow_walk.h"

int flow_walk_begin(struct flow_walk *walk, const struct flow_graph *graph, struct error *err)
{
	*walk = (struct flow_walk){.graph = graph, .edge = FLOW_NO_EDGE};
	if (allocate(&walk->visits, graph->nodes.count, sizeof *walk->visits, err) < 0 ||
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

/* Find the edge that is followed after a visit of a node. */
static int find_edge(struct flow_walk *walk, const struct flow_node *node, uint64_t visit,
		     struct error *err)
{
	uint32_t *heap = walk->heaps + node->edges;

	if (node->edge_count && walk->runs[heap[0]].last < visit) {
		flow_run_next(&walk->runs[heap[0]]);
		sift_down(walk->runs, heap, node->edge_count);
	}
	if (!node->edge_count || walk->runs[heap[0]].begin > visit ||
	    walk->runs[heap[0]].last < visit)
		return error_set(err, STATUS_DATA, "damaged: node %u: no edge has visit %llu",
				 walk->node, (unsigned long long)visit);
	/* Later runs begin later, so that of another edge would begin here or before. */
	for (uint32_t child = 1; child <= 2 && child < node->edge_count; child++)
		if (walk->runs[heap[child]].begin <= visit)
			return error_set(err, STATUS_DATA,
					 "damaged: node %u: two edges have visit %llu", walk->node,
					 (unsigned long long)visit);
	walk->edge = heap[0];
	return 0;
}

int flow_walk_next(struct flow_walk *walk, struct error *err)
{
	const struct flow_graph *graph = walk->graph;

	if (walk->events == graph->events)
		return 0;
	if (walk->events) {
		TRY(find_edge(walk, &graph->nodes.items[walk->node], walk->visit, err));
		walk->node = graph->edges.items[walk->edge].to;
	}
	walk->visit = walk->visits[walk->node]++;
	walk->events++;
	return 1;
}

void flow_walk_release(struct flow_walk *walk)
{
	free(walk->visits);
	free(walk->runs);
	free(walk->heaps);
}
