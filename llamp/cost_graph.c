#include "llamp/cost_builder.h"

#include <inttypes.h>

/* Number the vertices by kind. */
static int number_vertices(struct cost_builder *builder, struct error *err)
{
	const struct goal *goal = builder->goal;
	const uint64_t count = (uint64_t)goal->op_count + builder->matching.message_count + 1;
	uint32_t next = goal->op_count;

	if (count > UINT32_MAX)
		return error_set(err, STATUS_LIMIT,
				 "the graph is too large: %" PRIu64 " vertices, at most %" PRIu32,
				 count, UINT32_MAX);
	builder->vertex_count = (uint32_t)count;
	TRY(allocate(&builder->match_vertex, goal->op_count, sizeof *builder->match_vertex, err));
	memset(builder->match_vertex, 0xff, (size_t)goal->op_count * sizeof *builder->match_vertex);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			uint32_t number = block->first_op + i;

			if (goal_op(block, i).kind != GOAL_RECV)
				continue;
			builder->match_vertex[number] = next;
			builder->match_vertex[builder->matching.partner[number]] = next++;
		}
	}
	return 0;
}

/* Where the edges of the graph go. */
struct target {
	struct cost_graph *graph;
	const uint32_t *place;	/* the new number of every vertex */
};

static void fill_edge(void *context, uint32_t from, uint32_t to, uint32_t op,
		      const struct cost *cost)
{
	struct target *target = context;
	struct cost_graph *graph = target->graph;

	graph->edges[--graph->first_edge[target->place[to]]] =
		(struct cost_edge){.from = target->place[from], .op = op, .cost = *cost};
}

static int fill_edges(struct cost_graph *graph, struct cost_builder *builder,
		      const uint32_t *place, struct error *err)
{
	struct target target = {graph, place};

	graph->edge_count = builder->first[builder->vertex_count];
	TRY(allocate(&graph->first_edge, (size_t)graph->vertex_count + 1,
		     sizeof *graph->first_edge, err));
	for (uint64_t i = 0; i < graph->edge_count; i++)
		graph->first_edge[place[builder->successor[i]]]++;
	cost_builder_add_up(graph->first_edge, graph->vertex_count);
	/* Make room for the edges, by far the largest array. */
	free(builder->successor);
	builder->successor = NULL;
	TRY(allocate(&graph->edges, graph->edge_count, sizeof *graph->edges, err));
	cost_builder_edges(builder, fill_edge, &target);
	return 0;
}

/* Renumber the vertices in topological order. */
static int fill_vertices(struct cost_graph *graph, const struct cost_builder *builder,
			 uint32_t *place, struct error *err)
{
	for (uint32_t i = 0; i < builder->vertex_count; i++)
		place[builder->order[i]] = i;
	TRY(allocate(&graph->vertex_op, graph->vertex_count, sizeof *graph->vertex_op, err));
	TRY(allocate(&graph->start_vertex, graph->op_count, sizeof *graph->start_vertex, err));
	TRY(allocate(&graph->match_vertex, graph->op_count, sizeof *graph->match_vertex, err));
	graph->vertex_op[graph->vertex_count - 1] = UINT32_MAX;
	for (uint32_t rank = 0; rank < builder->goal->rank_count; rank++) {
		const struct goal_block *block = &builder->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			uint32_t number = block->first_op + i;
			uint32_t match = builder->match_vertex[number];

			graph->start_vertex[number] = place[number];
			graph->vertex_op[place[number]] = number;
			graph->match_vertex[number] = match == UINT32_MAX ? match : place[match];
			if (goal_op(block, i).kind == GOAL_RECV)
				graph->vertex_op[place[match]] = number;
		}
	}
	return 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void sum_bounds(struct cost_graph *graph)
{
	struct cost_bound *sum = &graph->most;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		uint64_t ns = 0, bytes = 0, latencies = 0, overheads = 0, gaps = 0;

		for (uint64_t i = graph->first_edge[v]; i < graph->first_edge[v + 1]; i++) {
			const struct cost *cost = &graph->edges[i].cost;

			ns = larger(ns, cost->ns);
			bytes = larger(bytes, cost->bytes);
			latencies = larger(latencies, cost->latencies);
			overheads = larger(overheads, cost->overheads);
			gaps = larger(gaps, cost->gaps);
		}
		sum->ns += (double)ns;
		sum->bytes += (double)bytes;
		sum->latencies += (double)latencies;
		sum->overheads += (double)overheads;
		sum->gaps += (double)gaps;
	}
}

static int build(struct cost_graph *graph, struct cost_builder *builder, struct error *err)
{
	uint32_t *place;
	int status;

	TRY(goal_match(&builder->matching, builder->goal, err));
	TRY(number_vertices(builder, err));
	TRY(cost_builder_order(builder, err));
	graph->vertex_count = builder->vertex_count;
	graph->op_count = builder->goal->op_count;
	graph->message_count = builder->matching.message_count;
	TRY(allocate(&place, graph->vertex_count, sizeof *place, err));
	status = fill_vertices(graph, builder, place, err);
	if (status == 0)
		status = fill_edges(graph, builder, place, err);
	free(place);
	if (status < 0)
		return -1;
	sum_bounds(graph);
	return allocate(&graph->scratch, graph->vertex_count, 2 * sizeof *graph->scratch, err);
}

int cost_graph_build(struct cost_graph *graph, const struct goal *goal,
		     const struct loggps *loggps, struct error *err)
{
	struct cost_builder builder = {.goal = goal, .loggps = loggps};
	int status;

	*graph = (struct cost_graph){0};
	status = build(graph, &builder, err);
	goal_matching_release(&builder.matching);
	free(builder.match_vertex);
	array_release(&builder.gaps.list);
	free(builder.first);
	free(builder.successor);
	free(builder.order);
	if (status < 0)
		cost_graph_release(graph);
	return status;
}

void cost_graph_release(struct cost_graph *graph)
{
	free(graph->first_edge);
	free(graph->edges);
	free(graph->vertex_op);
	free(graph->start_vertex);
	free(graph->match_vertex);
	free(graph->scratch);
	*graph = (struct cost_graph){0};
}
