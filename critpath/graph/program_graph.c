#include "critpath/graph/program_graph.h"

#include "common/ranges.h"
#include "critpath/graph/dist_graph.h"

/* Number the vertices as the graph of one process does. */
static int number_vertices(struct program_graph *graph, const struct dist_graph *all,
			   struct error *err)
{
	const struct measured_run *run = graph->waits->run;

	if (all->first[1] > UINT32_MAX - 8)
		return error_set(err, STATUS_LIMIT, "the run has too many calls");
	TRY(allocate(&graph->first_vertex, (size_t)run->rank_count + 1, sizeof *graph->first_vertex,
		     err));
	for (uint32_t r = 0; r < run->rank_count; r++)
		graph->first_vertex[r] = all->first_call[r];
	graph->first_vertex[run->rank_count] = all->first_hub[0];
	graph->source = PROGRAM_SOURCE;
	graph->sink = PROGRAM_SINK;
	graph->vertex_count = (uint32_t)all->first[1];
	graph->left_out = all->left_out;
	return 0;
}

/* Note the times of the hubs. */
static int time_hubs(struct program_graph *graph, const struct dist_graph *all, struct error *err)
{
	const struct measured_run *run = graph->waits->run;

	TRY(allocate(&graph->hub_ns, all->first[1] - all->first_hub[0], sizeof *graph->hub_ns,
		     err));
	for (size_t i = 0; i < run->instances.count; i++)
		graph->hub_ns[i] = program_hub_ns(&run->instances.items[i]);
	return 0;
}

/* Put the edges into the order of the vertices where they begin. */
static int sort_edges(struct program_graph *graph, const struct dist_graph *all, struct error *err)
{
	TRY(allocate(&graph->first_edge, (size_t)graph->vertex_count + 1, sizeof *graph->first_edge,
		     err));
	TRY(allocate(&graph->edges, all->edges.count, sizeof *graph->edges, err));
	for (size_t i = 0; i < all->edges.count; i++)
		graph->first_edge[all->edges.items[i].from]++;
	for (uint32_t v = 1; v <= graph->vertex_count; v++)
		graph->first_edge[v] += graph->first_edge[v - 1];
	for (size_t i = all->edges.count; i-- > 0;) {
		const struct dist_raw_edge *edge = &all->edges.items[i];

		graph->edges[--graph->first_edge[edge->from]] =
			(struct program_edge){(uint32_t)edge->to, edge->wait_ns};
	}
	return 0;
}

int program_graph_build(struct program_graph *graph, const struct waits *waits, struct error *err)
{
	struct dist_graph all;
	int result;

	*graph = (struct program_graph){.waits = waits};
	TRY(dist_graph_build(&all, waits, dist_alone(), err));
	result = number_vertices(graph, &all, err);
	if (result == 0)
		result = time_hubs(graph, &all, err);
	if (result == 0)
		result = sort_edges(graph, &all, err);
	dist_graph_release(&all);
	if (result < 0)
		program_graph_release(graph);
	return result;
}

void program_graph_release(struct program_graph *graph)
{
	free(graph->first_vertex);
	free(graph->hub_ns);
	free(graph->first_edge);
	free(graph->edges);
}

struct program_vertex program_vertex_of(const struct program_graph *graph, uint32_t vertex)
{
	const struct measured_run *run = graph->waits->run;
	const uint64_t *first = graph->first_vertex;
	struct program_vertex found = {.call = NO_CALL};
	const struct measured_call *call;

	if (vertex == graph->source || vertex == graph->sink) {
		found.at_ns = vertex == graph->source ? run->begin_ns : run->end_ns;
		return found;
	}
	if (vertex >= first[run->rank_count]) {
		found.at_ns = graph->hub_ns[vertex - first[run->rank_count]];
		return found;
	}
	found.rank = range_of(first, run->rank_count, vertex);
	found.call = (uint32_t)(vertex - first[found.rank]) / 2;
	found.end = (vertex - first[found.rank]) % 2;
	call = &run->ranks[found.rank].calls.items[found.call];
	found.at_ns = found.end ? call->leave_ns : call->enter_ns;
	return found;
}
