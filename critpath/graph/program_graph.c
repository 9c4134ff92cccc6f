#include "critpath/graph/program_graph.h"

#include "critpath/graph/program_edges.h"

struct raw_edge {
	uint32_t from, to;
	uint64_t wait_ns;
};

struct builder {
	struct program_graph *graph;
	const struct measured_run *run;
	struct program_edges edges;
	uint64_t *first_call; /* [rank]; [rank_count]: first hub */
	ARRAY(struct raw_edge) list;
	uint64_t hubs;
	struct error *err;
};

/* -------------------------------------------------------------------- vertices */

static int number_vertices(struct builder *builder)
{
	const struct measured_run *run = builder->run;
	struct program_graph *graph = builder->graph;
	uint64_t next = PROGRAM_FIRST_CALL;

	TRY(allocate(&graph->first_vertex, (size_t)run->rank_count + 1, sizeof *graph->first_vertex,
		     builder->err));
	TRY(allocate(&builder->first_call, (size_t)run->rank_count + 1, sizeof *builder->first_call,
		     builder->err));
	for (uint32_t r = 0; r <= run->rank_count; r++) {
		graph->first_vertex[r] = (uint32_t)next;
		builder->first_call[r] = next;
		if (r < run->rank_count)
			next += 2 * run->ranks[r].calls.count;
		if (next + run->instances.count > UINT32_MAX - 8)
			return error_set(builder->err, STATUS_LIMIT, "the run has too many calls");
	}
	graph->source = PROGRAM_SOURCE;
	graph->sink = PROGRAM_SINK;
	builder->hubs = run->instances.count;
	return 0;
}

/* ----------------------------------------------------------------------- edges */

static int take_edge(void *data, uint64_t from, uint64_t to, uint32_t order, uint64_t wait_ns,
		     struct error *err)
{
	struct builder *builder = data;

	(void)order;
	return array_push(&builder->list,
			  ((struct raw_edge){(uint32_t)from, (uint32_t)to, wait_ns}), err);
}

static int add_as_observed(struct builder *builder, const struct members *members)
{
	const uint32_t first_hub = builder->graph->first_vertex[builder->run->rank_count];
	struct member_hubs hubs;
	int result = 0;

	TRY(member_hubs_find(&hubs, members, builder->err));
	if (first_hub + builder->hubs + hubs.more > UINT32_MAX - 8)
		result = error_set(builder->err, STATUS_LIMIT, "the run has too many calls");
	if (result == 0)
		result = program_edges_of_members(&builder->edges, &hubs, 0,
						  first_hub + builder->hubs);
	if (result == 0)
		result = allocate(&builder->graph->hub_ns, builder->hubs + hubs.more,
				  sizeof *builder->graph->hub_ns, builder->err);
	if (result == 0)
		member_hubs_times(&hubs, builder->graph->hub_ns, builder->hubs);
	builder->hubs += hubs.more;
	member_hubs_release(&hubs);
	return result;
}

static int add_observed(struct builder *builder)
{
	struct members members;
	int result;

	TRY(members_list(&members, builder->run, true, builder->err));
	members_sort(&members);
	result = add_as_observed(builder, &members);
	members_release(&members);
	return result;
}

static int add_all(struct builder *builder)
{
	TRY(number_vertices(builder));
	builder->edges.first_call = builder->first_call;
	builder->edges.first_hub = &builder->first_call[builder->run->rank_count];
	TRY(program_edges_of_ranks(&builder->edges));
	if (builder->edges.waits->observed)
		return add_observed(builder);
	TRY(allocate(&builder->graph->hub_ns, builder->hubs, sizeof *builder->graph->hub_ns,
		     builder->err));
	for (size_t i = 0; i < builder->run->instances.count; i++)
		builder->graph->hub_ns[i] = program_hub_ns(&builder->run->instances.items[i]);
	return 0;
}

/* ----------------------------------------------------------------------- graph */

/* Put the edges into the order of the vertices where they begin. */
static int sort_edges(struct builder *builder)
{
	struct program_graph *graph = builder->graph;

	graph->vertex_count = graph->first_vertex[builder->run->rank_count] +
			      (uint32_t)builder->hubs;
	graph->left_out = builder->edges.left_out;
	TRY(allocate(&graph->first_edge, (size_t)graph->vertex_count + 1, sizeof *graph->first_edge,
		     builder->err));
	TRY(allocate(&graph->edges, builder->list.count, sizeof *graph->edges, builder->err));
	for (size_t i = 0; i < builder->list.count; i++)
		graph->first_edge[builder->list.items[i].from]++;
	for (uint32_t v = 1; v <= graph->vertex_count; v++)
		graph->first_edge[v] += graph->first_edge[v - 1];
	for (size_t i = builder->list.count; i-- > 0;) {
		const struct raw_edge *edge = &builder->list.items[i];

		graph->edges[--graph->first_edge[edge->from]] =
			(struct program_edge){edge->to, edge->wait_ns};
	}
	return 0;
}

int program_graph_build(struct program_graph *graph, const struct waits *waits, struct error *err)
{
	struct builder builder = {.graph = graph, .run = waits->run, .err = err};
	int result;

	*graph = (struct program_graph){.waits = waits};
	builder.edges = (struct program_edges){.waits = waits,
					       .take = take_edge,
					       .data = &builder,
					       .err = err};
	result = add_all(&builder);
	if (result == 0)
		result = sort_edges(&builder);
	array_release(&builder.list);
	free(builder.first_call);
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
	const uint32_t *first = graph->first_vertex;
	struct program_vertex found = {.call = NO_CALL};
	const struct measured_call *call;
	uint32_t low = 0, high = run->rank_count;

	if (vertex == graph->source || vertex == graph->sink) {
		found.at_ns = vertex == graph->source ? run->begin_ns : run->end_ns;
		return found;
	}
	if (vertex >= first[run->rank_count]) {
		found.at_ns = graph->hub_ns[vertex - first[run->rank_count]];
		return found;
	}
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (first[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	found.rank = low;
	found.call = (vertex - first[low]) / 2;
	found.end = (vertex - first[low]) % 2;
	call = &run->ranks[low].calls.items[found.call];
	found.at_ns = found.end ? call->leave_ns : call->enter_ns;
	return found;
}
