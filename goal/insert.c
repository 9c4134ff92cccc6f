#include "goal/insert.h"

enum { NO_CALL = UINT32_MAX };

/* A rank while it is written. */
struct insertion {
	struct goal_builder *builder;
	const struct goal_block *block;
	const struct goal_inserted *inserted;
	size_t count;
	uint32_t *number; /* [operation]: its number in the builder */
	uint32_t *call; /* [operation]: which computation is put in front of its call, or NO_CALL */
	uint32_t *calc; /* [computation]: its number in the builder */
	bool *waits; /* [operation]: it depends on one of its call, or on its computation already */
};

bool goal_call_is_awaited(const struct goal_block *block, uint32_t first_op, uint32_t end_op)
{
	for (uint32_t op = first_op; op < end_op; op++) {
		const struct goal_op from = goal_op(block, op);

		for (uint32_t i = 0; i < from.requires_count; i++)
			if (goal_successor(block, from.requires_first + i) == end_op)
				return true;
		for (uint32_t i = 0; i < from.irequires_count; i++)
			if (goal_successor(block, from.irequires_first + i) == end_op)
				return true;
	}
	return end_op == block->op_count;
}

/* ------------------------------------------------------------------ operations */

static int add_op(struct insertion *insertion, uint32_t op, struct error *err)
{
	const struct goal_op is = goal_op(insertion->block, op);
	const struct goal_new_op added = {.size = is.size,
					  .peer = is.peer,
					  .tag = is.tag,
					  .kind = (uint8_t)is.kind,
					  .cpu = is.cpu,
					  .nic = is.nic};

	return goal_builder_add(insertion->builder, &added, &insertion->number[op], err);
}

/* Add a computation, which is that before the call. */
static int add_calc(struct insertion *insertion, uint32_t number, const struct goal_call *call,
		    struct error *err)
{
	const struct goal_inserted *is = &insertion->inserted[number];
	const struct goal_new_op added = {.kind = GOAL_CALC,
					  .size = is->ns,
					  .cpu = goal_op(insertion->block, is->op).cpu};
	struct goal_call before = *call;

	before.before = true;
	TRY(goal_builder_add(insertion->builder, &added, &insertion->calc[number], err));
	return goal_builder_call(insertion->builder, &before, err);
}

static int add_ops(struct insertion *insertion, uint32_t first, uint32_t end, uint32_t number,
		   struct error *err)
{
	for (uint32_t op = first; op < end; op++) {
		insertion->call[op] = number;
		TRY(add_op(insertion, op, err));
	}
	return 0;
}

/* Add all operations, and note their calls. */
static int add_calls(struct insertion *insertion, struct goal_calls_cursor *cursor,
		     struct error *err)
{
	uint32_t next = 0, current = NO_CALL, op = 0;
	struct goal_call call;
	uint64_t last = 0;
	int found;

	for (; (found = goal_calls_find(cursor, op, &call, err)) == 0; op = cursor->end_op) {
		/* The entries of one call follow each other. */
		if (call.number != last || call.before)
			current = NO_CALL;
		last = call.number;
		if (next < insertion->count && insertion->inserted[next].op == cursor->first_op) {
			TRY(add_calc(insertion, next, &call, err));
			current = next++;
		}
		TRY(add_ops(insertion, cursor->first_op, cursor->end_op, current, err));
		TRY(goal_builder_call(insertion->builder, &call, err));
	}
	TRY(found);
	return add_ops(insertion, op, insertion->block->op_count, NO_CALL, err);
}

/* ---------------------------------------------------------------- dependencies */

typedef int add_link(struct goal_builder *builder, uint32_t after, uint32_t before,
		     struct error *err);

/* Let an operation wait for the computation before its call. */
static int wait_for_calc(struct insertion *insertion, uint32_t op, struct error *err)
{
	if (insertion->waits[op])
		return 0;
	insertion->waits[op] = true;
	return goal_builder_requires(insertion->builder, insertion->number[op],
				     insertion->calc[insertion->call[op]], err);
}

/* Add the dependency of `after` on an operation, by way of the computation where one is put between them. */
static int add_dependency(struct insertion *insertion, add_link *add, uint32_t after,
			  uint32_t before, struct error *err)
{
	const uint32_t call = insertion->call[after];

	if (call == NO_CALL || before >= insertion->inserted[call].op) {
		if (call != NO_CALL && insertion->call[before] == call)
			insertion->waits[after] = true;
		return add(insertion->builder, insertion->number[after], insertion->number[before],
			   err);
	}
	TRY(add(insertion->builder, insertion->calc[call], insertion->number[before], err));
	return wait_for_calc(insertion, after, err);
}

static int add_dependencies(struct insertion *insertion, struct error *err)
{
	const struct goal_block *block = insertion->block;

	for (uint32_t op = 0; op < block->op_count; op++) {
		const struct goal_op from = goal_op(block, op);

		for (uint32_t i = 0; i < from.requires_count; i++)
			TRY(add_dependency(insertion, goal_builder_requires,
					   goal_successor(block, from.requires_first + i), op,
					   err));
		for (uint32_t i = 0; i < from.irequires_count; i++)
			TRY(add_dependency(insertion, goal_builder_irequires,
					   goal_successor(block, from.irequires_first + i), op,
					   err));
	}
	for (uint32_t op = 0; op < block->op_count; op++)
		if (insertion->call[op] != NO_CALL)
			TRY(wait_for_calc(insertion, op, err));
	return 0;
}

/* ------------------------------------------------------------------------ rank */

static int make_room(struct insertion *insertion, struct error *err)
{
	const size_t ops = insertion->block->op_count;

	TRY(allocate(&insertion->number, ops, sizeof *insertion->number, err));
	TRY(allocate(&insertion->call, ops, sizeof *insertion->call, err));
	TRY(allocate(&insertion->waits, ops, sizeof *insertion->waits, err));
	return allocate(&insertion->calc, insertion->count, sizeof *insertion->calc, err);
}

static int insert(struct insertion *insertion, const struct goal_calls *calls, uint32_t rank,
		  struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	int result;

	TRY(make_room(insertion, err));
	goal_calls_cursor_start(&cursor, calls, rank);
	result = add_calls(insertion, &cursor, err);
	/* The builder knows names by their addresses, which are those of the calls. */
	goal_calls_cursor_release(&cursor);
	return result == 0 ? add_dependencies(insertion, err) : -1;
}

int goal_write_inserted(struct goal_writer *writer, struct goal_builder *builder,
			const struct goal_block *block, const struct goal_calls *calls,
			uint32_t rank, const struct goal_inserted *inserted, size_t count,
			struct error *err)
{
	struct insertion insertion = {.builder = builder,
				      .block = block,
				      .inserted = inserted,
				      .count = count};
	int result;

	goal_builder_clear(builder);
	result = insert(&insertion, calls, rank, err);
	free(insertion.number);
	free(insertion.call);
	free(insertion.waits);
	free(insertion.calc);
	return result == 0 ? goal_writer_rank(writer, builder, err) : -1;
}
