#include "llamp/graph/topological_order.h"

int order_grow_(struct topological_order *order)
{
	const size_t count = order->tail - order->head;
	struct order_entry *queue;

	TRY(allocate(&queue, 2 * (order->queue_mask + 1), sizeof *queue, order->err));
	for (size_t i = 0; i < count; i++)
		queue[i] = order->queue[(order->head + i) & order->queue_mask];
	free(order->queue);
	order->queue = queue;
	order->queue_mask = 2 * order->queue_mask + 1;
	order->head = 0;
	order->tail = count;
	return 0;
}

/* Let the later sends of gaps wait for two edges more per gap. */
static void wait_for_gaps(struct topological_order *order)
{
	const struct execution_graph *execution = order->execution;

	for (uint32_t i = 0; i < execution->gap_first[execution->goal->op_count]; i++)
		order->waiting[execution->gap_later[i]] += 2;
}

int order_init(struct topological_order *order, const struct execution_graph *execution,
	       struct error *err)
{
	const struct goal *goal = execution->goal;

	*order = (struct topological_order){.execution = execution, .queue_mask = 1023, .err = err};
	TRY(allocate(&order->waiting, goal->op_count, sizeof *order->waiting, err));
	TRY(allocate(&order->queue, order->queue_mask + 1, sizeof *order->queue, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			order->waiting[block->first_op + i] = goal_op(block, i).dependencies;
	}
	if (execution->gap_first)
		wait_for_gaps(order);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->root_count; i++) {
			const uint32_t root = block->first_op +
					      goal_load32(block->roots + 4 * (size_t)i);

			if (order->waiting[root] == 0)
				order_enqueue(order, root, rank);
		}
	}
	return order->failed ? -1 : 0;
}

void order_release(struct topological_order *order)
{
	free(order->waiting);
	free(order->queue);
	*order = (struct topological_order){0};
}

bool order_complete(const struct topological_order *order)
{
	return order->opened == order_events_(order);
}

static void open_nothing(void *context, struct event at, uint32_t sender)
{
	(void)context, (void)at, (void)sender;
}

static void pass_by(void *context, const struct edge *edge)
{
	(void)context, (void)edge;
}

int order_visit_all(struct topological_order *order, const struct execution_graph *execution,
		    struct error *err)
{
	static const struct order_visitor visitor = {open_nothing, pass_by};

	TRY(order_init(order, execution, err));
	return order_visit(order, &visitor, NULL);
}
