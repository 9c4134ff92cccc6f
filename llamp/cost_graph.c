#include "llamp/cost_builder.h"

#include "goal/dag.h"

#include <inttypes.h>

static bool is_rendezvous(const struct loggps *loggps, uint64_t bytes)
{
	return bytes > loggps->S;
}

/* s - 1, the bytes that B = (s - 1) G charges. */
static uint64_t charged(uint64_t bytes)
{
	return bytes ? bytes - 1 : 0;
}

/* From s(u) to m(v) for a message of `bytes` from u to v. */
static struct cost message_cost(const struct loggps *loggps, uint64_t bytes)
{
	if (!is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return (struct cost){.overheads = 1, .latencies = 1, .bytes = charged(bytes)};
	if (loggps->rendezvous == RENDEZVOUS_READ)
		return (struct cost){.overheads = 1, .latencies = 1};
	return (struct cost){.latencies = 1};
}

/* From m(v) to e(v), or to e(u) if the message is a rendezvous. */
static struct cost end_cost(const struct loggps *loggps, uint64_t bytes, enum goal_kind kind)
{
	const uint8_t send = kind == GOAL_SEND;

	if (!is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return (struct cost){.overheads = 1};
	if (loggps->rendezvous == RENDEZVOUS_READ)
		return (struct cost){.overheads = 1, .latencies = 2 + send,
				     .bytes = charged(bytes)};
	return (struct cost){.overheads = 2 + send, .latencies = 3, .bytes = charged(bytes)};
}

/* What `irequires` waits for after s(u). */
static struct cost busy_cost(const struct goal_op *op)
{
	if (op->kind == GOAL_CALC)
		return (struct cost){.ns = op->size};
	return (struct cost){.overheads = op->kind == GOAL_SEND};
}

/*
 * When operation `number` ends.  `bytes` is the size of its message as sent,
 * `match` the vertex m of its message, `start` the vertex of its start.
 */
static struct cost_end end_of(const struct loggps *loggps, const struct goal_op *op,
			      uint64_t bytes, uint32_t start, uint32_t match)
{
	if (op->kind == GOAL_RECV ||
	    (op->kind == GOAL_SEND && is_rendezvous(loggps, bytes)))
		return (struct cost_end){match, end_cost(loggps, bytes, op->kind)};
	return (struct cost_end){start, busy_cost(op)};
}

/* The size of the message of a send or receive: what the sender says. */
static uint64_t message_bytes(const struct cost_builder *builder, const struct goal_op *op,
			      uint32_t number)
{
	const struct goal_block *sender;

	if (op->kind != GOAL_RECV)
		return op->size;
	sender = &builder->goal->ranks[op->peer];
	return goal_op(sender, builder->matching.partner[number] - sender->first_op).size;
}

/* The edges that operation `i` of a rank causes. */
static void visit_op(const struct cost_builder *builder, const struct goal_block *block,
		     uint32_t i, edge_visitor *visit, void *context)
{
	const struct goal_op op = goal_op(block, i);
	const uint32_t number = block->first_op + i;
	const uint64_t bytes = message_bytes(builder, &op, number);
	const uint32_t match = builder->match_vertex[number];
	const struct cost_end end = end_of(builder->loggps, &op, bytes, number, match);
	const struct cost busy = busy_cost(&op), none = {0};
	const struct cost message = message_cost(builder->loggps, bytes);

	for (uint32_t k = 0; k < op.requires_count; k++)
		visit(context, end.vertex,
		      block->first_op + goal_successor(block, op.requires_first + k), number,
		      &end.cost);
	for (uint32_t k = 0; k < op.irequires_count; k++)
		visit(context, number,
		      block->first_op + goal_successor(block, op.irequires_first + k), number,
		      &busy);
	if (op.kind == GOAL_SEND)
		visit(context, number, match, number, &message);
	if (op.kind == GOAL_RECV)
		visit(context, number, match, number, &none);
	if (op.requires_count == 0)
		visit(context, end.vertex, builder->vertex_count - 1, number, &end.cost);
}

void cost_builder_edges(const struct cost_builder *builder, edge_visitor *visit, void *context)
{
	const struct goal *goal = builder->goal;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++)
			visit_op(builder, &goal->ranks[rank], i, visit, context);
	for (size_t i = 0; i < builder->gaps.list.count; i++) {
		const struct gap_pair *pair = &builder->gaps.list.items[i];
		const struct goal_block *block = &goal->ranks[goal_rank_of(goal, pair->first)];
		const struct cost gap = {.gaps = 1};
		const struct cost transfer = {
			.bytes = goal_op(block, pair->first - block->first_op).size,
		};

		visit(context, pair->first, pair->second, pair->first, &gap);
		visit(context, pair->first, pair->second, pair->first, &transfer);
	}
}

static void count_edge(void *context, uint32_t from, uint32_t to, uint32_t op,
		       const struct cost *cost)
{
	uint64_t *count = context;

	(void)to, (void)op, (void)cost;
	count[from]++;
}

static void fill_successor(void *context, uint32_t from, uint32_t to, uint32_t op,
			   const struct cost *cost)
{
	struct cost_builder *builder = context;

	(void)op, (void)cost;
	builder->successor[--builder->first[from]] = to;
}

/* Turn counts of the vertices 0 ... count - 1 into where each one's share ends. */
static void add_up(uint64_t *counts, uint32_t count)
{
	for (uint32_t v = 1; v < count; v++)
		counts[v] += counts[v - 1];
	counts[count] = count ? counts[count - 1] : 0;
}

/* Set the topological order; 0, -1, or 1 if there is a cycle, as dag_order says. */
static int order_vertices(struct cost_builder *builder, uint32_t **cycle, uint32_t *cycle_count,
			  struct error *err)
{
	struct dag dag = {.vertex_count = builder->vertex_count};

	free(builder->successor);
	builder->successor = NULL;
	memset(builder->first, 0, ((size_t)builder->vertex_count + 1) * sizeof *builder->first);
	cost_builder_edges(builder, count_edge, builder->first);
	add_up(builder->first, builder->vertex_count);
	TRY(allocate(&builder->successor, builder->first[builder->vertex_count],
		     sizeof *builder->successor, err));
	cost_builder_edges(builder, fill_successor, builder);
	dag.first = builder->first;
	dag.successor = builder->successor;
	return dag_order(&dag, builder->order, cycle, cycle_count, err);
}

/*
 * Direct every gap from the send with the shorter longest chain of edges before
 * it to the other one (in file order where they are equal).  Every edge then
 * leads to a longer chain, or to a later send, so that there is no cycle.  The
 * vertices must stand in the order of the graph without the gaps.
 */
static int direct_gaps(const struct cost_builder *builder, struct gap_pairs *gaps,
		       struct error *err)
{
	uint32_t *depth;

	TRY(allocate(&depth, builder->vertex_count, sizeof *depth, err));
	for (uint32_t i = 0; i < builder->vertex_count; i++) {
		uint32_t v = builder->order[i];

		for (uint64_t k = builder->first[v]; k < builder->first[v + 1]; k++)
			if (depth[builder->successor[k]] <= depth[v])
				depth[builder->successor[k]] = depth[v] + 1;
	}
	for (size_t i = 0; i < gaps->list.count; i++) {
		struct gap_pair *pair = &gaps->list.items[i];

		if (depth[pair->second] < depth[pair->first])
			*pair = (struct gap_pair){pair->second, pair->first};
	}
	free(depth);
	return 0;
}

/* Add the gaps to a graph that is acyclic without them, and order it again. */
static int add_gaps(struct cost_builder *builder, struct error *err)
{
	struct gap_pairs gaps;
	uint32_t *cycle = NULL, cycle_count;
	int status;

	TRY(gap_pairs_find(&builder->gaps, builder->goal, err));
	status = order_vertices(builder, &cycle, &cycle_count, err);
	free(cycle);
	if (status <= 0)
		return status;
	gaps = builder->gaps;
	builder->gaps = (struct gap_pairs){0};
	status = order_vertices(builder, &cycle, &cycle_count, err);
	if (status == 0)
		status = direct_gaps(builder, &gaps, err);
	builder->gaps = gaps;
	if (status == 0)
		status = order_vertices(builder, &cycle, &cycle_count, err);
	return status;
}

static int order_graph(struct cost_builder *builder, struct error *err)
{
	uint32_t *cycle = NULL, cycle_count = 0;
	int status;

	TRY(allocate(&builder->first, (size_t)builder->vertex_count + 1, sizeof *builder->first,
		     err));
	TRY(allocate(&builder->order, builder->vertex_count, sizeof *builder->order, err));
	status = order_vertices(builder, &cycle, &cycle_count, err);
	if (status > 0)
		status = cost_cycle_error(builder, cycle, cycle_count, err);
	else if (status == 0 && builder->loggps->g > 0)
		status = add_gaps(builder, err);
	free(cycle);
	return status;
}

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

static void count_incoming(void *context, uint32_t from, uint32_t to, uint32_t op,
			   const struct cost *cost)
{
	struct target *target = context;

	(void)from, (void)op, (void)cost;
	target->graph->first_edge[target->place[to]]++;
}

static void fill_edge(void *context, uint32_t from, uint32_t to, uint32_t op,
		      const struct cost *cost)
{
	struct target *target = context;
	struct cost_graph *graph = target->graph;

	graph->edges[--graph->first_edge[target->place[to]]] =
		(struct cost_edge){.from = target->place[from], .op = op, .cost = *cost};
}

static int fill_edges(struct cost_graph *graph, const struct cost_builder *builder,
		      const uint32_t *place, struct error *err)
{
	struct target target = {graph, place};

	TRY(allocate(&graph->first_edge, (size_t)graph->vertex_count + 1,
		     sizeof *graph->first_edge, err));
	cost_builder_edges(builder, count_incoming, &target);
	add_up(graph->first_edge, graph->vertex_count);
	graph->edge_count = graph->first_edge[graph->vertex_count];
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
	TRY(order_graph(builder, err));
	free(builder->successor);
	free(builder->first);
	builder->successor = NULL;
	builder->first = NULL;
	graph->vertex_count = builder->vertex_count;
	graph->op_count = builder->goal->op_count;
	graph->message_count = builder->matching.message_count;
	TRY(allocate(&place, graph->vertex_count, sizeof *place, err));
	status = fill_vertices(graph, builder, place, err);
	if (status == 0)
		status = fill_edges(graph, builder, place, err);
	free(place);
	if (status == 0)
		sum_bounds(graph);
	return status;
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
	*graph = (struct cost_graph){0};
}

static struct goal_op op_of(const struct goal *goal, uint32_t number)
{
	const struct goal_block *block = &goal->ranks[goal_rank_of(goal, number)];

	return goal_op(block, number - block->first_op);
}

struct cost_end cost_graph_end(const struct cost_graph *graph, const struct goal *goal,
			       const struct loggps *loggps, uint32_t number)
{
	const struct goal_op op = op_of(goal, number);
	const uint32_t match = graph->match_vertex[number];
	uint64_t bytes = op.size;

	/* The send is found as the operation of the other edge into the meeting. */
	if (op.kind == GOAL_RECV)
		for (uint64_t i = graph->first_edge[match]; i < graph->first_edge[match + 1]; i++)
			if (graph->edges[i].op != number)
				bytes = op_of(goal, graph->edges[i].op).size;
	return end_of(loggps, &op, bytes, graph->start_vertex[number], match);
}
