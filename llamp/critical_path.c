#include "llamp/critical_path.h"

#include "common/units.h"

#include <stdbool.h>

const char *path_category_name(enum path_category category)
{
	static const char *const names[] = {
		[PATH_COMPUTE] = "compute", [PATH_OVERHEAD] = "overhead", [PATH_LATENCY] = "latency",
		[PATH_BANDWIDTH] = "bandwidth", [PATH_GAP] = "gap",
	};

	return names[category];
}

/* An operation, as segments name it. */
struct place {
	uint32_t rank, operation;
	enum goal_kind kind;
};

static struct place place_of(const struct goal *goal, uint32_t op)
{
	uint32_t rank = goal_rank_of(goal, op);
	const struct goal_block *block = &goal->ranks[rank];
	uint32_t operation = op - block->first_op;

	return (struct place){rank, operation, goal_op(block, operation).kind};
}

static int add_segment(struct critical_path *path, enum path_category category, int128 length_as,
		       const struct place *place, struct error *err)
{
	struct path_segment segment = {
		.start_as = path->runtime_as,
		.end_as = path->runtime_as + length_as,
		.rank = place->rank,
		.operation = place->operation,
		.category = (uint8_t)category,
		.kind = (uint8_t)place->kind,
	};

	path->runtime_as = segment.end_as;
	return length_as > 0 ? array_push(&path->segments, segment, err) : 0;
}

/* Cut the edge into `to` into segments. */
static int add_edge(struct critical_path *path, const struct model *model,
		    const struct cost_edge *edge, uint32_t to, struct error *err)
{
	const struct cost_graph *graph = &model->graph;
	const struct loggps *loggps = &model->loggps;
	const struct cost *cost = &edge->cost;
	const uint32_t op = graph->vertex_op[edge->from];
	const struct place from = place_of(&model->goal, op);
	const bool from_start = edge->from == graph->start_vertex[op];
	const bool message = from_start && from.kind == GOAL_SEND && to == graph->match_vertex[op];
	/* Bytes without a message are those of a send that holds up the next one. */
	const enum path_category bytes = message || !from_start ? PATH_BANDWIDTH : PATH_GAP;
	const struct place transfer =
		message ? place_of(&model->goal, graph->vertex_op[to]) : from;

	/* A rendezvous may have latencies on both sides of the instant of meeting. */
	if (message)
		path->last_message = to;
	if (message || (cost->latencies > 0 && !from_start && edge->from != path->last_message))
		path->message_count++;
	TRY(add_segment(path, PATH_COMPUTE, (int128)cost->ns * AS_PER_NS, &from, err));
	TRY(add_segment(path, PATH_OVERHEAD, (int128)cost->overheads * loggps->o, &from, err));
	TRY(add_segment(path, PATH_LATENCY, (int128)cost->latencies * loggps->L, &transfer, err));
	TRY(add_segment(path, bytes, (int128)cost->bytes * loggps->G, &transfer, err));
	return add_segment(path, PATH_GAP, (int128)cost->gaps * loggps->g, &from, err);
}

/* The edges of the critical path from its end to its beginning. */
struct edge_list {
	ARRAY(uint64_t) edges;
};

static int trace_back(struct edge_list *list, const struct model *model, struct error *err)
{
	const struct cost_graph *graph = &model->graph;
	uint32_t vertex = graph->vertex_count - 1;
	struct line line;
	uint64_t *tight;
	int result;

	TRY(allocate(&tight, graph->vertex_count, sizeof *tight, err));
	result = path_evaluate(graph, &model->loggps, PARAMETER_L, rational_from(model->loggps.L),
			       SIDE_RIGHT, &line, tight, err);
	while (result == 0 && tight[vertex] != UINT64_MAX) {
		result = array_push(&list->edges, tight[vertex], err);
		vertex = graph->edges[tight[vertex]].from;
	}
	free(tight);
	return result;
}

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err)
{
	const struct cost_graph *graph = &model->graph;
	struct edge_list list = {0};
	int result;

	*path = (struct critical_path){.last_message = UINT32_MAX};
	result = trace_back(&list, model, err);
	for (size_t i = list.edges.count; i-- > 0 && result == 0;) {
		uint32_t to = i == 0 ? graph->vertex_count - 1
				     : graph->edges[list.edges.items[i - 1]].from;

		result = add_edge(path, model, &graph->edges[list.edges.items[i]], to, err);
	}
	array_release(&list.edges);
	if (result < 0)
		critical_path_release(path);
	return result;
}

void critical_path_release(struct critical_path *path)
{
	array_release(&path->segments);
}
