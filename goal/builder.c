#include "goal/calls_format.h"
#include "goal/image.h"

_Static_assert(sizeof(struct goal_new_op) == 32, "old operations take 32 bytes in a file");
_Static_assert(sizeof(struct goal_dependency) == 12, "old dependencies take 12 bytes in a file");

void goal_builder_clear(struct goal_builder *builder)
{
	builder->ops.count = builder->dependencies.count = 0;
	builder->first_op = 0;
	goal_spill_clear(&builder->old_ops);
	goal_spill_clear(&builder->old_dependencies);
	goal_spill_clear(&builder->encoded);
	builder->dependency_count = builder->root_count = 0;
	builder->cpu = 0;
	builder->sends = builder->sent_bytes = 0;
	builder->closed = false;
	builder->not_kept = 0;
	goal_calls_rank_clear(&builder->calls);
}

void goal_builder_release(struct goal_builder *builder)
{
	array_release(&builder->ops);
	array_release(&builder->dependencies);
	array_release(&builder->bytes);
	array_release(&builder->work);
	goal_spill_release(&builder->old_ops);
	goal_spill_release(&builder->old_dependencies);
	goal_spill_release(&builder->encoded);
	goal_calls_rank_release(&builder->calls);
}

void goal_builder_spill(struct goal_builder *builder, const struct goal_writer *writer)
{
	builder->beside = &writer->output;
}

void goal_builder_close(struct goal_builder *builder)
{
	builder->closed = true;
}

uint32_t goal_builder_keep(const struct goal_builder *builder)
{
	return builder->keep ? builder->keep : GOAL_KEEP_OPS;
}

/* ------------------------------------------------------------------ operations */

/* Whether an array with room for `count` items has all the memory that it gets. */
static bool is_full(const struct goal_builder *builder, size_t count)
{
	return builder->beside && count >= 2 * (size_t)goal_builder_keep(builder);
}

/* Make room for an operation: put the oldest ones into the file, or take more memory. */
static int builder_make_room(struct goal_builder *builder, struct error *err)
{
	const uint32_t keep = goal_builder_keep(builder);
	struct goal_new_op *ops = builder->ops.items;

	if (!is_full(builder, builder->ops.count))
		return array_reserve(&builder->ops, 1, err);
	TRY(goal_spill_append(&builder->old_ops, builder->beside, ops, keep * sizeof *ops, err));
	builder->ops.count -= keep;
	memmove(ops, ops + keep, builder->ops.count * sizeof *ops);
	builder->first_op += keep;
	return 0;
}

int goal_builder_add(struct goal_builder *builder, const struct goal_new_op *new_op, uint32_t *op,
		     struct error *err)
{
	const uint32_t number = goal_builder_op_count(builder) + builder->not_kept;
	struct goal_new_op *added;

	if (number >= UINT32_MAX - 1)
		return error_set(err, STATUS_LIMIT, "a rank has more than %u operations",
				 UINT32_MAX - 1);
	if (op)
		*op = number;
	if (builder->closed) {
		builder->not_kept++;
		return 0;
	}
	if (builder->ops.count == builder->ops.capacity)
		TRY(builder_make_room(builder, err));
	added = &builder->ops.items[builder->ops.count++];
	*added = *new_op;
	added->links = (struct goal_links){0};
	if (!added->cpu)
		added->cpu = builder->cpu;
	builder->root_count++;
	if (added->kind == GOAL_SEND) {
		builder->sends++;
		builder->sent_bytes += added->size;
	}
	return 0;
}

static uint64_t builder_place(uint32_t op)
{
	return (uint64_t)op * sizeof(struct goal_new_op);
}

int goal_builder_get(struct goal_builder *builder, uint32_t op, struct goal_new_op *found,
		     struct error *err)
{
	if (op < builder->first_op)
		return goal_spill_read(&builder->old_ops, builder_place(op), found, sizeof *found,
				       err);
	*found = builder->ops.items[op - builder->first_op];
	return 0;
}

static int builder_put(struct goal_builder *builder, uint32_t op, const struct goal_new_op *changed,
		       struct error *err)
{
	if (op < builder->first_op)
		return goal_spill_write(&builder->old_ops, builder_place(op), changed,
					sizeof *changed, err);
	builder->ops.items[op - builder->first_op] = *changed;
	return 0;
}

int goal_builder_replace(struct goal_builder *builder, uint32_t op,
			 const struct goal_new_op *new_op, struct error *err)
{
	struct goal_new_op changed = *new_op, old;

	if (op >= goal_builder_op_count(builder))
		return 0;
	TRY(goal_builder_get(builder, op, &old, err));
	changed.links = old.links;
	return builder_put(builder, op, &changed, err);
}

/* Call see() for an operation and restore its links. */
static int see_op(struct goal_new_op *op, goal_builder_see *see, void *data, struct error *err)
{
	const struct goal_links links = op->links;
	const int result = see(data, op, err);

	op->links = links;
	return result;
}

/* Piece of the old operations. It is written back if it has been changed. */
static int see_piece(struct goal_builder *builder, uint64_t at, struct goal_new_op *ops,
		     size_t count, goal_builder_see *see, void *data, struct error *err)
{
	bool changed = false;

	TRY(goal_spill_read(&builder->old_ops, at, ops, count * sizeof *ops, err));
	for (size_t i = 0; i < count; i++) {
		const int result = see_op(&ops[i], see, data, err);

		if (result < 0)
			return -1;
		changed |= result > 0;
	}
	if (!changed)
		return 0;
	return goal_spill_write(&builder->old_ops, at, ops, count * sizeof *ops, err);
}

int goal_builder_each(struct goal_builder *builder, goal_builder_see *see, void *data,
		      struct error *err)
{
	struct goal_new_op piece[512];
	const uint32_t most = sizeof piece / sizeof *piece;

	for (uint32_t op = 0; op < builder->first_op; op += most) {
		const uint32_t left = builder->first_op - op;

		TRY(see_piece(builder, builder_place(op), piece, left < most ? left : most, see,
			      data, err));
	}
	for (size_t i = 0; i < builder->ops.count; i++)
		if (see_op(&builder->ops.items[i], see, data, err) < 0)
			return -1;
	return 0;
}

/* ---------------------------------------------------------------- dependencies */

/* Note a dependency of the operation. */
static void count_after(struct goal_builder *builder, struct goal_new_op *after)
{
	builder->root_count -= after->links.dependencies++ == 0;
}

/* Note that an operation depends on this one, as which one of its kind. */
static int builder_count_before(struct goal_new_op *before, uint32_t irequires, uint32_t *number,
				struct error *err)
{
	uint32_t *count = irequires ? &before->links.irequires : &before->links.requires;

	if (*count >= INT32_MAX)
		return error_set(err, STATUS_LIMIT,
				 "more than %d operations depend on one operation", INT32_MAX);
	*number = (*count)++;
	return 0;
}

/* Count a dependency if at least one of its operations is in the file. */
static int count_old(struct goal_builder *builder, uint32_t after, uint32_t before,
		     uint32_t irequires, uint32_t *number, struct error *err)
{
	struct goal_new_op op;

	TRY(goal_builder_get(builder, before, &op, err));
	TRY(builder_count_before(&op, irequires, number, err));
	TRY(builder_put(builder, before, &op, err));
	TRY(goal_builder_get(builder, after, &op, err));
	count_after(builder, &op);
	return builder_put(builder, after, &op, err);
}

/* Make room for a dependency: put all dependencies into the file, or take more memory. */
static int make_room_for_dependency(struct goal_builder *builder, struct error *err)
{
	const size_t bytes = builder->dependencies.count * sizeof *builder->dependencies.items;

	if (!is_full(builder, builder->dependencies.count))
		return array_reserve(&builder->dependencies, 1, err);
	TRY(goal_spill_append(&builder->old_dependencies, builder->beside,
			      builder->dependencies.items, bytes, err));
	builder->dependencies.count = 0;
	return 0;
}

static int add_dependency(struct goal_builder *builder, uint32_t after, uint32_t before,
			  uint32_t irequires, struct error *err)
{
	const uint32_t added = goal_builder_op_count(builder) + builder->not_kept;
	const uint32_t first = builder->first_op;
	uint32_t number = 0;

	if (after >= added || before >= added)
		return error_set(err, STATUS_DATA, "there is no operation %u to depend on or from",
				 after >= added ? after : before);
	if (after == before)
		return error_set(err, STATUS_DATA, "operation %u depends on itself", after);
	if (builder->closed)
		return 0;
	if (builder->dependency_count >= UINT32_MAX - 1)
		return error_set(err, STATUS_LIMIT, "a rank has more than %u dependencies",
				 UINT32_MAX - 1);
	if (builder->dependencies.count == builder->dependencies.capacity)
		TRY(make_room_for_dependency(builder, err));
	if (after < first || before < first) {
		TRY(count_old(builder, after, before, irequires, &number, err));
	} else {
		TRY(builder_count_before(&builder->ops.items[before - first], irequires, &number,
					 err));
		count_after(builder, &builder->ops.items[after - first]);
	}
	builder->dependency_count++;
	builder->dependencies.items[builder->dependencies.count++] = (struct goal_dependency){
		.after = after, .before = before, .irequires = irequires, .number = number};
	return 0;
}

int goal_builder_requires(struct goal_builder *builder, uint32_t after, uint32_t before,
			  struct error *err)
{
	return add_dependency(builder, after, before, 0, err);
}

int goal_builder_irequires(struct goal_builder *builder, uint32_t after, uint32_t before,
			   struct error *err)
{
	return add_dependency(builder, after, before, 1, err);
}

/* -------------------------------------------------------------------- the rest */

int goal_builder_calc(struct goal_builder *builder, uint64_t cost_ns, uint32_t *op,
		      struct error *err)
{
	const struct goal_new_op calc = {.kind = GOAL_CALC, .size = cost_ns};

	return goal_builder_add(builder, &calc, op, err);
}

int goal_builder_send(struct goal_builder *builder, uint64_t bytes, uint32_t to, uint32_t tag,
		      uint32_t *op, struct error *err)
{
	const struct goal_new_op send = {
		.kind = GOAL_SEND, .size = bytes, .peer = to, .tag = tag,
	};

	return goal_builder_add(builder, &send, op, err);
}

int goal_builder_recv(struct goal_builder *builder, uint64_t bytes, uint32_t from, uint32_t tag,
		      uint32_t *op, struct error *err)
{
	const struct goal_new_op recv = {
		.kind = GOAL_RECV, .size = bytes, .peer = from, .tag = tag,
	};

	return goal_builder_add(builder, &recv, op, err);
}

void goal_builder_sites(struct goal_builder *builder)
{
	builder->calls.with_sites = true;
}

void goal_builder_repeated(struct goal_builder *builder)
{
	builder->calls.repeated = true;
}

int goal_builder_call(struct goal_builder *builder, const struct goal_call *call,
		      struct error *err)
{
	const uint32_t op_count = goal_builder_op_count(builder) - builder->calls.op_count;

	if (!op_count)
		return 0;
	TRY(goal_calls_rank_add(&builder->calls, call, op_count, err));
	if (!builder->beside)
		return 0;
	return goal_calls_rank_spill(&builder->calls, builder->beside,
				     8 * (size_t)goal_builder_keep(builder), err);
}
