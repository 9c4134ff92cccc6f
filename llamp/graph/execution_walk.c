#include "llamp/graph/execution_walk.h"

int walk_grow_(struct walk *walk)
{
	const size_t count = walk->tail - walk->head;
	struct walk_entry *queue;

	TRY(allocate(&queue, 2 * (walk->queue_mask + 1), sizeof *queue, walk->err));
	for (size_t i = 0; i < count; i++)
		queue[i] = walk->queue[(walk->head + i) & walk->queue_mask];
	free(walk->queue);
	walk->queue = queue;
	walk->queue_mask = 2 * walk->queue_mask + 1;
	walk->head = 0;
	walk->tail = count;
	return 0;
}

/* What the gaps add to what operations wait for: two edges each. */
static void wait_for_gaps(struct walk *walk)
{
	const struct execution *execution = walk->execution;

	for (uint32_t i = 0; i < execution->gap_first[execution->goal->op_count]; i++)
		walk->waiting[execution->gap_later[i]] += 2;
}

int walk_init(struct walk *walk, const struct execution *execution, struct error *err)
{
	const struct goal *goal = execution->goal;

	*walk = (struct walk){.execution = execution, .queue_mask = 1023, .err = err};
	TRY(allocate(&walk->waiting, goal->op_count, sizeof *walk->waiting, err));
	TRY(allocate(&walk->queue, walk->queue_mask + 1, sizeof *walk->queue, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			walk->waiting[block->first_op + i] = goal_op(block, i).dependencies;
	}
	if (execution->gap_first)
		wait_for_gaps(walk);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->root_count; i++) {
			const uint32_t root = block->first_op +
					      goal_load32(block->roots + 4 * (size_t)i);

			if (walk->waiting[root] == 0)
				walk_enqueue(walk, root, rank);
		}
	}
	return walk->failed ? -1 : 0;
}

void walk_release(struct walk *walk)
{
	free(walk->waiting);
	free(walk->queue);
	*walk = (struct walk){0};
}

bool walk_complete(const struct walk *walk)
{
	return walk->opened == walk_instants_(walk);
}

static void open_nothing(void *context, struct instant at, uint32_t sender)
{
	(void)context, (void)at, (void)sender;
}

static void pass_by(void *context, const struct edge *edge)
{
	(void)context, (void)edge;
}

int walk_all(struct walk *walk, const struct execution *execution, struct error *err)
{
	static const struct walk_visitor visitor = {open_nothing, pass_by};

	TRY(walk_init(walk, execution, err));
	return walk_run(walk, &visitor, NULL);
}
