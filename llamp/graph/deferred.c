#include "llamp/graph/deferred.h"

#include "goal/builder.h"

#include <stdlib.h>

/* Successor `i` of an operation, of those that require it and then those that irequire it. */
static uint32_t later_op(const struct goal_block *block, const struct goal_op *op, uint32_t i)
{
	return goal_successor(block, i < op->requires_count
					     ? op->requires_first + i
					     : op->irequires_first + i - op->requires_count);
}

static int deferred_by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort the numbers from `first` on, and keep each once. */
static void keep_each_once(struct goal_deferred *deferred, size_t first)
{
	uint32_t *ops = deferred->ops.items;
	size_t kept = first;

	if (deferred->ops.count > first)
		qsort(ops + first, deferred->ops.count - first, sizeof *ops, deferred_by_number);
	for (size_t i = first; i < deferred->ops.count; i++)
		if (kept == first || ops[kept - 1] != ops[i])
			ops[kept++] = ops[i];
	deferred->ops.count = kept;
}

static int find_in_rank(struct goal_deferred *deferred, const struct goal_block *block,
			struct error *err)
{
	const size_t first = deferred->ops.count;

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		for (uint32_t k = 0; k < op.requires_count + op.irequires_count; k++) {
			const uint32_t after = later_op(block, &op, k);

			if (after < i && goal_op(block, after).kind != GOAL_CALC)
				TRY(array_push(&deferred->ops, block->first_op + after, err));
		}
	}
	keep_each_once(deferred, first);
	return 0;
}

int goal_deferred_find(struct goal_deferred *deferred, const struct goal *goal, struct error *err)
{
	*deferred = (struct goal_deferred){0};
	if (!goal->depends_backward)
		return 0;
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		if (find_in_rank(deferred, &goal->ranks[rank], err) == 0)
			continue;
		goal_deferred_release(deferred);
		return -1;
	}
	return 0;
}

void goal_deferred_release(struct goal_deferred *deferred)
{
	array_release(&deferred->ops);
}

/* ----------------------------------------------------------------------------- copies */

#define NO_GAP UINT32_MAX

/* Copy in progress. */
struct undeferring {
	const struct goal_deferred *deferred;
	const bool *undefer;
	struct goal_writer writer;
	struct goal_builder builder;
};

static bool is_undeferred(const struct undeferring *copy, uint32_t number)
{
	const uint32_t *found = NULL;

	if (copy->deferred->ops.count)
		found = bsearch(&number, copy->deferred->ops.items, copy->deferred->ops.count,
				sizeof number, deferred_by_number);
	return found && (!copy->undefer || copy->undefer[found - copy->deferred->ops.items]);
}

static int copy_op(struct undeferring *copy, const struct goal_op *op, struct error *err)
{
	const struct goal_new_op same = {.size = op->size,
					 .peer = op->peer,
					 .tag = op->tag,
					 .kind = (uint8_t)op->kind,
					 .cpu = op->cpu,
					 .nic = op->nic};

	return goal_builder_add(&copy->builder, &same, NULL, err);
}

/* Copy the dependencies on operation `i`. */
static int copy_dependencies(struct undeferring *copy, const struct goal_block *block, uint32_t i,
			     struct error *err)
{
	const struct goal_op op = goal_op(block, i);

	for (uint32_t k = 0; k < op.requires_count + op.irequires_count; k++) {
		const uint32_t after = later_op(block, &op, k);

		if (after < i && is_undeferred(copy, block->first_op + after))
			continue;
		if (k < op.requires_count)
			TRY(goal_builder_requires(&copy->builder, after, i, err));
		else
			TRY(goal_builder_irequires(&copy->builder, after, i, err));
	}
	return 0;
}

/*
 * Find the calc by which a deferred receive also waits after its announcement `i`, an empty message that
 * is received just before it; NO_GAP if `i` is no announcement of a receive that is undeferred.
 */
static uint32_t find_gap(const struct undeferring *copy, const struct goal_block *block, uint32_t i)
{
	const struct goal_op op = goal_op(block, i);
	struct goal_op gap;
	uint32_t after, receive;

	if (op.kind != GOAL_RECV || op.size || op.requires_count != 1 || op.irequires_count)
		return NO_GAP;
	after = goal_successor(block, op.requires_first);
	gap = goal_op(block, after);
	if (gap.kind != GOAL_CALC || gap.dependencies != 1 || gap.requires_count != 1 ||
	    gap.irequires_count)
		return NO_GAP;
	receive = goal_successor(block, gap.requires_first);
	if ((receive != i + 1 && receive != i + 2) ||
	    !is_undeferred(copy, block->first_op + receive))
		return NO_GAP;
	return after;
}

/* Let nothing take time after announcements, since no receive waits for it. */
static int close_gaps(struct undeferring *copy, const struct goal_block *block, struct error *err)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		const uint32_t gap = find_gap(copy, block, i);
		struct goal_new_op calc;

		if (gap == NO_GAP)
			continue;
		TRY(goal_builder_get(&copy->builder, gap, &calc, err));
		calc.size = 0;
		TRY(goal_builder_replace(&copy->builder, gap, &calc, err));
	}
	return 0;
}

static int copy_rank(struct undeferring *copy, const struct goal_block *block, struct error *err)
{
	goal_builder_clear(&copy->builder);
	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		TRY(copy_op(copy, &op, err));
	}
	TRY(close_gaps(copy, block, err));
	for (uint32_t i = 0; i < block->op_count; i++)
		TRY(copy_dependencies(copy, block, i, err));
	return goal_writer_rank(&copy->writer, &copy->builder, err);
}

int goal_undefer(struct goal *copy, const struct goal *goal, const struct goal_deferred *deferred,
		 const bool *undefer, struct error *err)
{
	struct undeferring undeferring = {.deferred = deferred, .undefer = undefer};
	struct input image;
	int result = goal_writer_open_memory(&undeferring.writer, goal->rank_count, err);

	TRY(result);
	for (uint32_t rank = 0; rank < goal->rank_count && result == 0; rank++)
		result = copy_rank(&undeferring, &goal->ranks[rank], err);
	goal_builder_release(&undeferring.builder);
	if (result < 0) {
		goal_writer_discard(&undeferring.writer);
		return -1;
	}
	TRY(goal_writer_finish(&undeferring.writer, &image, err));
	return goal_from_image(copy, &image, "graph without deferred receives", err);
}
