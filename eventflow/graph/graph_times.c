#include "eventflow/graph/graph_times.h"

#include "trace/flow/recover/flow_times.h"

#include <stdlib.h>

static int graph_times_add(struct graph_times *times, const struct flow *flow,
			   const struct flow_thread *thread, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];
	struct flow_stat *nodes, *edges = NULL;
	int result = allocate(&nodes, graph->nodes.count, sizeof *nodes, err);

	if (result == 0)
		result = allocate(&edges, graph->edges.count, sizeof *edges, err);
	if (result == 0)
		result = flow_thread_stats(flow, thread, nodes, edges, err);
	for (size_t n = 0; n < graph->nodes.count && result == 0; n++) {
		times->nodes[n] += nodes[n].sum;
		times->total += nodes[n].sum;
	}
	for (size_t e = 0; e < graph->edges.count && result == 0; e++) {
		times->edges[e] += edges[e].sum;
		times->total += edges[e].sum;
	}
	free(nodes);
	free(edges);
	return result;
}

static int add_rank(struct graph_times *times, const struct flow *flow, uint32_t rank,
		    struct error *err)
{
	for (size_t t = 0; t < flow->ranks[rank].threads.count; t++) {
		const struct flow_thread *thread = &flow->ranks[rank].threads.items[t];
		const struct flow_graph *graph = &flow->graphs.items[thread->graph];
		struct graph_times *own = &times[thread->graph];

		if (!own->threads++) {
			own->rank = rank;
			TRY(allocate(&own->nodes, graph->nodes.count, sizeof *own->nodes, err));
			TRY(allocate(&own->edges, graph->edges.count, sizeof *own->edges, err));
		}
		if (graph_times_add(own, flow, thread, err) < 0)
			return error_prefix(err, "rank %u", rank);
	}
	return 0;
}

int graph_times_find(struct graph_times **times, const struct flow *flow, uint32_t only_rank,
		     struct error *err)
{
	TRY(allocate(times, flow->graphs.count, sizeof **times, err));
	for (uint32_t rank = 0; rank < flow->world.rank_count; rank++)
		if ((only_rank == UINT32_MAX || rank == only_rank) &&
		    add_rank(*times, flow, rank, err) < 0) {
			graph_times_release(*times, flow);
			return -1;
		}
	return 0;
}

void graph_times_release(struct graph_times *times, const struct flow *flow)
{
	for (size_t g = 0; times && g < flow->graphs.count; g++) {
		free(times[g].nodes);
		free(times[g].edges);
	}
	free(times);
}
