/*
 * Visiting the events of an execution graph in topological order, without storing the order.
 *
 * Events are visited in the order in which they become ready (first in, first out).  This
 * advances all ranks together, so the visitor holds little data for later events.
 *
 * Memory: 8 bytes per operation during the visit, with the matching.
 */
#ifndef LLAMP_TOPOLOGICAL_ORDER_H
#define LLAMP_TOPOLOGICAL_ORDER_H

#include "common/array.h"
#include "common/progress.h"
#include "llamp/graph/execution_graph.h"

struct order_visitor {
	/*
	 * Called after all edges into the event, and before the edges out of it.  For a match
	 * `sender` is the send of its message.
	 */
	void (*open)(void *context, struct event at, uint32_t sender);
	edge_visitor *edge;
};

/* Operation that is ready to start. */
struct order_entry {
	uint32_t number, rank;
};

#define ORDER_STARTED UINT32_MAX

struct topological_order {
	const struct execution_graph *execution;
	uint32_t *waiting;		/* [operation]: edges to wait for, or ORDER_STARTED */
	struct order_entry *queue;	/* a ring of queue_mask + 1 entries */
	size_t queue_mask, head, tail;
	uint64_t opened;		/* number of events that were visited */
	const struct order_visitor *visitor;
	void *context;
	bool failed;			/* no memory for the queue, see *err */
	struct error *err;
};

/* Queue the operations that wait for none.  End with order_release also on failure. */
int order_init(struct topological_order *order, const struct execution_graph *execution,
	       struct error *err);
void order_release(struct topological_order *order);

/* Call order_init and visit all events, to learn by order_complete whether there is a cycle. */
int order_visit_all(struct topological_order *order, const struct execution_graph *execution,
		    struct error *err);

/* Whether all events were visited; if not, the graph has a cycle. */
bool order_complete(const struct topological_order *order);

int order_grow_(struct topological_order *order);

static inline void order_enqueue(struct topological_order *order, uint32_t number, uint32_t rank)
{
	if (order->tail - order->head > order->queue_mask && order_grow_(order) < 0) {
		order->failed = true;
		return;
	}
	order->queue[order->tail++ & order->queue_mask] = (struct order_entry){number, rank};
}

EXECUTION_INLINE void order_edge_(void *context, const struct edge *edge)
{
	struct topological_order *order = context;

	order->visitor->edge(order->context, edge);
	if (edge->target == TARGET_START && --order->waiting[edge->to] == 0)
		order_enqueue(order, edge->to, edge->rank);
}

static inline const uint8_t *order_record_(const struct topological_order *order, uint32_t rank,
					   uint32_t number)
{
	const struct goal_block *block = &order->execution->goal->ranks[rank];

	return block->ops + (size_t)(number - block->first_op) * GOAL_OP_BYTES;
}

/* Prefetch an operation and its state. */
static inline void order_prefetch_op_(const struct topological_order *order, uint32_t rank,
				      uint32_t number)
{
	const uint8_t *record = order_record_(order, rank, number);

	__builtin_prefetch(record);
	__builtin_prefetch(record + GOAL_OP_BYTES - 1);
	__builtin_prefetch(&order->waiting[number]);
}

/* Prefetch an operation's successors. */
static inline void order_prefetch_successors_(const struct topological_order *order, uint32_t rank,
					      uint32_t number)
{
	const uint8_t *record = order_record_(order, rank, number);

	__builtin_prefetch(order->execution->goal->ranks[rank].successors +
			   4 * (size_t)goal_load32(record + 27));
}

/*
 * Prefetch the operations that come soon, since ranks are scattered in memory.  A record that
 * has been prefetched tells where the next prefetch goes.
 */
static inline void order_prefetch_(const struct topological_order *order)
{
	enum { FAR = 16, MIDDLE = 6 };
	const uint32_t *partner = order->execution->matching.partner;
	struct order_entry entry;

	if (order->tail - order->head <= FAR)
		return;
	entry = order->queue[(order->head + FAR) & order->queue_mask];
	order_prefetch_op_(order, entry.rank, entry.number);
	__builtin_prefetch(&partner[entry.number]);

	entry = order->queue[(order->head + MIDDLE) & order->queue_mask];
	order_prefetch_successors_(order, entry.rank, entry.number);
	if (partner[entry.number] != GOAL_UNMATCHED)
		order_prefetch_op_(order,
				   goal_load32(order_record_(order, entry.rank, entry.number) + 5),
				   partner[entry.number]);

}

EXECUTION_INLINE void order_start_(struct topological_order *order, const struct located *at)
{
	order->waiting[at->number] = ORDER_STARTED;
	order->opened++;
	order->visitor->open(order->context, (struct event){at->number, false}, at->number);
	execution_edges_of_start(order->execution, at, order_edge_, order);
}

/* Visit the match of a message if both of its operations have started. */
EXECUTION_INLINE void order_match_(struct topological_order *order, const struct located *half)
{
	const struct execution_graph *execution = order->execution;
	struct located send, recv;

	if (order->waiting[execution->matching.partner[half->number]] != ORDER_STARTED)
		return;
	execution_message(execution, half, &send, &recv);
	order->opened++;
	order->visitor->open(order->context, (struct event){recv.number, true}, send.number);
	execution_edges_of_match(execution, &send, &recv, order_edge_, order);
}

/* Number of events to visit. */
static inline uint64_t order_events_(const struct topological_order *order)
{
	return (uint64_t)order->execution->goal->op_count +
	       order->execution->matching.message_count;
}

/*
 * Visit all events except the end of the program.  Returns 0 also for a cycle (see
 * order_complete), and -1 if memory is short.  The function is inline so that the functions of
 * a constant visitor are inlined, too.
 */
EXECUTION_INLINE int order_visit(struct topological_order *order,
				 const struct order_visitor *visitor, void *context)
{
	order->visitor = visitor;
	order->context = context;
	while (order->head != order->tail) {
		const struct order_entry entry = order->queue[order->head & order->queue_mask];
		struct located at;

		order_prefetch_(order);
		order->head++;
		/* Show the progress at every 65536th operation. */
		if ((entry.number & 0xffff) == 0)
			progress_show(order->opened, order_events_(order));
		at = execution_locate(order->execution, entry.rank, entry.number);
		order_start_(order, &at);
		if (at.op.kind != GOAL_CALC)
			order_match_(order, &at);
		if (order->failed)
			return -1;
	}
	return 0;
}

#endif
