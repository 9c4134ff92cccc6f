#include "goal/builder.h"

void goal_builder_clear(struct goal_builder *builder)
{
	builder->ops.count = 0;
	builder->cpu = 0;
	builder->sends = builder->sent_bytes = 0;
	builder->dependencies.count = 0;
	goal_calls_rank_clear(&builder->calls);
}

void goal_builder_release(struct goal_builder *builder)
{
	array_release(&builder->ops);
	array_release(&builder->dependencies);
	array_release(&builder->bytes);
	array_release(&builder->links);
	array_release(&builder->successors);
	goal_calls_rank_release(&builder->calls);
}

struct goal_extent goal_builder_extent(const struct goal_builder *builder)
{
	return (struct goal_extent){
		.ops = builder->ops.count, .dependencies = builder->dependencies.count
	};
}

void goal_builder_truncate(struct goal_builder *builder, struct goal_extent extent)
{
	builder->ops.count = extent.ops;
	builder->dependencies.count = extent.dependencies;
}

int goal_builder_add(struct goal_builder *builder, const struct goal_new_op *new_op, uint32_t *op,
		     struct error *err)
{
	if (builder->ops.count >= UINT32_MAX - 1)
		return error_set(err, STATUS_LIMIT, "a rank has more than %u operations",
				 UINT32_MAX - 1);
	if (op)
		*op = (uint32_t)builder->ops.count;
	TRY(array_push(&builder->ops, *new_op, err));
	if (!new_op->cpu)
		builder->ops.items[builder->ops.count - 1].cpu = builder->cpu;
	if (new_op->kind == GOAL_SEND) {
		builder->sends++;
		builder->sent_bytes += new_op->size;
	}
	return 0;
}

int goal_builder_get(struct goal_builder *builder, uint32_t op, struct goal_new_op *found,
		     struct error *err)
{
	(void)err;
	*found = builder->ops.items[op];
	return 0;
}

int goal_builder_replace(struct goal_builder *builder, uint32_t op,
			 const struct goal_new_op *new_op, struct error *err)
{
	(void)err;
	builder->ops.items[op] = *new_op;
	return 0;
}

int goal_builder_each(struct goal_builder *builder, goal_builder_see *see, void *data,
		      struct error *err)
{
	for (size_t i = 0; i < builder->ops.count; i++)
		if (see(data, &builder->ops.items[i], err) < 0)
			return -1;
	return 0;
}

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

static int add_dependency(struct goal_builder *builder, uint32_t after, uint32_t before,
			  bool irequires, struct error *err)
{
	const struct goal_dependency dependency = {after, before, irequires};

	if (after >= builder->ops.count || before >= builder->ops.count)
		return error_set(err, STATUS_DATA, "there is no operation %u to depend on or from",
				 after >= builder->ops.count ? after : before);
	if (after == before)
		return error_set(err, STATUS_DATA, "operation %u depends on itself", after);
	if (builder->dependencies.count >= UINT32_MAX - 1)
		return error_set(err, STATUS_LIMIT, "a rank has more than %u dependencies",
				 UINT32_MAX - 1);
	return array_push(&builder->dependencies, dependency, err);
}

int goal_builder_requires(struct goal_builder *builder, uint32_t after, uint32_t before,
			  struct error *err)
{
	return add_dependency(builder, after, before, false, err);
}

int goal_builder_irequires(struct goal_builder *builder, uint32_t after, uint32_t before,
			   struct error *err)
{
	return add_dependency(builder, after, before, true, err);
}

int goal_builder_call(struct goal_builder *builder, const struct goal_call *call,
		      struct error *err)
{
	const uint32_t op_count = (uint32_t)builder->ops.count - builder->calls.op_count;

	return op_count ? goal_calls_rank_add(&builder->calls, call, op_count, err) : 0;
}
