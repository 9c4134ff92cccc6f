#include "eventflow/graph/flow_sums.h"

#include "eventflow/graph/print_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_sum(struct flow_sums *sums, const char *name, unsigned side, uint64_t visits,
		   uint64_t time_ns, struct error *err)
{
	uint32_t number;

	TRY(string_table_add(&sums->names, name, strlen(name), &number, err));
	if (number == sums->sums.count)
		TRY(array_push(&sums->sums, (struct flow_sum){0}, err));
	sums->sums.items[number].visits[side] += visits;
	sums->sums.items[number].time_ns[side] += time_ns;
	return 0;
}

static int flow_sums_add_edges(struct flow_sums *edges, const struct flow_graph *graph,
		     const struct graph_times *times, char *const *labels, unsigned side,
		     struct error *err)
{
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];
		char *name;
		int result;

		if (asprintf(&name, "%s -> %s", labels[edge->from], labels[edge->to]) < 0)
			return error_set_memory(err, 1);
		result = add_sum(edges, name, side, edge->count * times->threads, times->edges[e],
				 err);
		free(name);
		TRY(result);
	}
	return 0;
}

static int add_labelled(struct flow_sums *nodes, struct flow_sums *edges, const struct flow *flow,
			const struct flow_graph *graph, const struct graph_times *times,
			char **labels, unsigned side, struct error *err)
{
	for (size_t n = 0; n < graph->nodes.count; n++) {
		const struct flow_node *node = &graph->nodes.items[n];

		labels[n] = flow_label_text(flow, node->signature, err);
		if (!labels[n])
			return -1;
		TRY(add_sum(nodes, labels[n], side, node->visits * times->threads, times->nodes[n],
			    err));
	}
	return flow_sums_add_edges(edges, graph, times, labels, side, err);
}

int flow_sums_add(struct flow_sums *nodes, struct flow_sums *edges, const struct flow *flow,
		  uint32_t only_rank, unsigned side, uint64_t *total_ns, struct error *err)
{
	struct graph_times *times;
	int result = 0;

	*total_ns = 0;
	TRY(graph_times_find(&times, flow, only_rank, err));
	for (size_t g = 0; g < flow->graphs.count && result == 0; g++) {
		const struct flow_graph *graph = &flow->graphs.items[g];
		char **labels;

		if (!times[g].threads)
			continue;
		*total_ns += times[g].total;
		result = allocate(&labels, graph->nodes.count, sizeof *labels, err);
		if (result < 0)
			break;
		result = add_labelled(nodes, edges, flow, graph, &times[g], labels, side, err);
		for (size_t n = 0; n < graph->nodes.count; n++)
			free(labels[n]);
		free(labels);
	}
	graph_times_release(times, flow);
	return result;
}

void flow_sums_release(struct flow_sums *sums)
{
	string_table_release(&sums->names);
	array_release(&sums->sums);
}

uint64_t flow_sums_common(const struct flow_sums *sums)
{
	return sums->sums.count - flow_sums_only(sums, 0) - flow_sums_only(sums, 1);
}

uint64_t flow_sums_only(const struct flow_sums *sums, unsigned side)
{
	uint64_t count = 0;

	for (size_t i = 0; i < sums->sums.count; i++)
		count += sums->sums.items[i].visits[side] && !sums->sums.items[i].visits[!side];
	return count;
}
