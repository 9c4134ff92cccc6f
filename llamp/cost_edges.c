#include "llamp/cost_builder.h"

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
