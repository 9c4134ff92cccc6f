#include "goal/builder.h"

#include "goal/calls_format.h"
#include "goal/image.h"

void goal_builder_clear(struct goal_builder *builder)
{
	builder->ops.count = 0;
	builder->dependencies.count = 0;
	goal_calls_rank_clear(&builder->calls);
}

void goal_builder_release(struct goal_builder *builder)
{
	array_release(&builder->ops);
	array_release(&builder->dependencies);
	array_release(&builder->bytes);
	goal_calls_rank_release(&builder->calls);
}

int goal_builder_add(struct goal_builder *builder, const struct goal_new_op *new_op, uint32_t *op,
		     struct error *err)
{
	if (builder->ops.count >= UINT32_MAX - 1)
		return error_set(err, STATUS_LIMIT, "a rank has more than %u operations",
				 UINT32_MAX - 1);
	if (op)
		*op = (uint32_t)builder->ops.count;
	return array_push(&builder->ops, *new_op, err);
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

static void increment(uint8_t *field)
{
	goal_store32(field, goal_load32(field) + 1);
}

static void encode_op(uint8_t *record, const struct goal_new_op *op)
{
	memset(record, 0, GOAL_OP_BYTES);
	record[GOAL_AT_KIND] = op->kind;
	goal_store32(record + GOAL_AT_PEER, op->peer);
	goal_store64(record + GOAL_AT_SIZE, op->size);
	goal_store32(record + GOAL_AT_TAG, op->tag);
	record[GOAL_AT_CPU] = op->cpu;
	record[GOAL_AT_NIC] = op->nic;
}

/*
 * A counting sort of the dependencies by the operation depended on.  The
 * records themselves hold the counters: first how many there are, then where
 * the next one goes.
 */
static void encode_successors(struct goal_builder *builder, uint8_t *ops, uint8_t *successors)
{
	uint32_t used = 0;

	for (size_t i = 0; i < builder->dependencies.count; i++) {
		const struct goal_dependency *d = &builder->dependencies.items[i];

		increment(ops + (size_t)d->after * GOAL_OP_BYTES + GOAL_AT_DEPENDENCIES);
		increment(ops + (size_t)d->before * GOAL_OP_BYTES +
			  (d->irequires ? GOAL_AT_IREQUIRES_COUNT : GOAL_AT_REQUIRES_COUNT));
	}
	for (size_t i = 0; i < builder->ops.count; i++) {
		uint8_t *record = ops + i * GOAL_OP_BYTES;

		goal_store32(record + GOAL_AT_REQUIRES_FIRST, used);
		used += goal_load32(record + GOAL_AT_REQUIRES_COUNT);
		goal_store32(record + GOAL_AT_IREQUIRES_FIRST, used);
		used += goal_load32(record + GOAL_AT_IREQUIRES_COUNT);
	}
	for (size_t i = 0; i < builder->dependencies.count; i++) {
		const struct goal_dependency *d = &builder->dependencies.items[i];
		uint8_t *next = ops + (size_t)d->before * GOAL_OP_BYTES +
				(d->irequires ? GOAL_AT_IREQUIRES_FIRST : GOAL_AT_REQUIRES_FIRST);

		goal_store32(successors + (size_t)goal_load32(next) * 4, d->after);
		increment(next);
	}
	for (size_t i = 0; i < builder->ops.count; i++) {
		uint8_t *record = ops + i * GOAL_OP_BYTES;

		goal_store32(record + GOAL_AT_REQUIRES_FIRST,
			     goal_load32(record + GOAL_AT_REQUIRES_FIRST) -
			     goal_load32(record + GOAL_AT_REQUIRES_COUNT));
		goal_store32(record + GOAL_AT_IREQUIRES_FIRST,
			     goal_load32(record + GOAL_AT_IREQUIRES_FIRST) -
			     goal_load32(record + GOAL_AT_IREQUIRES_COUNT));
	}
}

int goal_builder_encode(struct goal_builder *builder, struct goal_block *block, struct error *err)
{
	size_t op_bytes = builder->ops.count * GOAL_OP_BYTES;
	size_t successor_bytes = builder->dependencies.count * 4;
	uint8_t *bytes, *ops, *end;
	uint32_t roots = 0;

	/* Room for all operations to be roots, then the roots are made to close up. */
	builder->bytes.count = 0;
	TRY(array_reserve(&builder->bytes, GOAL_BLOCK_BYTES + builder->ops.count * 4 + op_bytes +
			  successor_bytes, err));
	bytes = builder->bytes.items;
	ops = bytes + GOAL_BLOCK_BYTES + builder->ops.count * 4;
	end = ops + op_bytes + successor_bytes;
	for (size_t i = 0; i < builder->ops.count; i++)
		encode_op(ops + i * GOAL_OP_BYTES, &builder->ops.items[i]);
	encode_successors(builder, ops, ops + op_bytes);
	for (uint32_t i = 0; i < builder->ops.count; i++) {
		if (goal_load32(ops + (size_t)i * GOAL_OP_BYTES + GOAL_AT_DEPENDENCIES) > 0)
			continue;
		goal_store32(bytes + GOAL_BLOCK_BYTES + (size_t)roots * 4, i);
		roots++;
	}
	goal_store32(bytes, (uint32_t)builder->ops.count);
	goal_store32(bytes + 4, roots);
	memmove(bytes + GOAL_BLOCK_BYTES + (size_t)roots * 4, ops, (size_t)(end - ops));
	builder->bytes.count = GOAL_BLOCK_BYTES + (size_t)roots * 4 + op_bytes + successor_bytes;
	*block = (struct goal_block){
		.roots = bytes + GOAL_BLOCK_BYTES,
		.ops = bytes + GOAL_BLOCK_BYTES + (size_t)roots * 4,
		.successors = bytes + builder->bytes.count - successor_bytes,
		.op_count = (uint32_t)builder->ops.count,
		.root_count = roots,
		.successor_count = (uint32_t)builder->dependencies.count,
	};
	return 0;
}

int goal_builder_finish(struct goal_builder *builder, struct error *err)
{
	TRY(goal_builder_encode(builder, &builder->finished, err));
	if (builder->calls.op_count)
		builder->calls.hash = goal_calls_hash(&builder->finished);
	return 0;
}
