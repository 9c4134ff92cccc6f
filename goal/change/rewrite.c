#include "goal/change/rewrite.h"

#include "goal/image.h"

/* ---------------------------------------------------------------------- causes */

/* Visit the dependencies of all operations, in the order of those that others depend on. */
static void visit_links(const struct goal_block *block,
			void (*visit)(struct goal_causes *causes, uint32_t after, uint32_t before,
				      bool irequires),
			struct goal_causes *causes)
{
	for (uint32_t op = 0; op < block->op_count; op++) {
		const struct goal_op from = goal_op(block, op);

		for (uint32_t i = 0; i < from.requires_count; i++)
			visit(causes, goal_successor(block, from.requires_first + i), op, false);
		for (uint32_t i = 0; i < from.irequires_count; i++)
			visit(causes, goal_successor(block, from.irequires_first + i), op, true);
	}
}

static void count_cause(struct goal_causes *causes, uint32_t after, uint32_t before, bool irequires)
{
	(void)before;
	(void)irequires;
	causes->first[after + 2]++;
}

static void put_cause(struct goal_causes *causes, uint32_t after, uint32_t before, bool irequires)
{
	causes->causes[causes->first[after + 1]++] = (struct goal_cause){before, irequires};
}

int goal_causes_find(struct goal_causes *causes, const struct goal_block *block, struct error *err)
{
	*causes = (struct goal_causes){0};
	TRY(allocate(&causes->first, (size_t)block->op_count + 2, sizeof *causes->first, err));
	TRY(allocate(&causes->causes, (size_t)block->successor_count + 1, sizeof *causes->causes,
		     err));
	visit_links(block, count_cause, causes);
	for (uint32_t op = 0; op < block->op_count; op++)
		causes->first[op + 2] += causes->first[op + 1];
	visit_links(block, put_cause, causes);
	return 0;
}

void goal_causes_release(struct goal_causes *causes)
{
	free(causes->first);
	free(causes->causes);
}

/* ------------------------------------------------------------------ operations */

static int add_op(struct goal_rewrite *rewrite, uint32_t op, struct error *err)
{
	const struct goal_op is = goal_op(&rewrite->block, op);
	const struct goal_new_op added = {.size = is.size,
					  .peer = is.peer,
					  .tag = is.tag,
					  .kind = (uint8_t)is.kind,
					  .cpu = is.cpu,
					  .nic = is.nic};

	return goal_builder_add(rewrite->builder, &added, &rewrite->number[op], err);
}

/* Add a computation, which is before the call. */
static int add_inserted(struct goal_rewrite *rewrite, uint32_t number, const struct goal_call *call,
			struct error *err)
{
	const struct goal_inserted *is = &rewrite->inserted->items[number];
	const struct goal_new_op added = {.kind = GOAL_CALC,
					  .size = is->ns,
					  .cpu = goal_op(&rewrite->block, is->op).cpu};
	struct goal_call before = *call;

	before.before = true;
	TRY(goal_builder_add(rewrite->builder, &added,
			     &rewrite->number[rewrite->block.op_count + number], err));
	return goal_builder_call(rewrite->builder, &before, err);
}

/* A rank that is rewritten: what gives its operations their dependencies. */
struct rewriting {
	struct goal_rewrite *rewrite;
	goal_rewrite_op *depend;
	void *data;
	ARRAY(uint32_t) late; /* operations that depend on later ones */
};

static bool is_late(const struct goal_causes *causes, uint32_t op)
{
	for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++)
		if (causes->causes[i].op > op)
			return true;
	return false;
}

/* Add operations.  The builder has those that they depend on still in memory, mostly. */
static int add_ops(struct rewriting *rewriting, uint32_t first, uint32_t end, struct error *err)
{
	for (uint32_t op = first; op < end; op++) {
		TRY(add_op(rewriting->rewrite, op, err));
		if (is_late(rewriting->rewrite->causes, op))
			TRY(array_push(&rewriting->late, op, err));
		else
			TRY(rewriting->depend(rewriting->data, rewriting->rewrite, op, err));
	}
	return 0;
}

/* Add all operations and their calls. */
static int add_calls(struct rewriting *rewriting, struct goal_calls_cursor *cursor,
		     struct error *err)
{
	struct goal_rewrite *rewrite = rewriting->rewrite;
	uint32_t next = 0, op = 0;
	struct goal_call call;
	int found;

	for (; (found = goal_calls_find(cursor, op, &call, err)) == 0; op = cursor->end_op) {
		while (next < rewrite->inserted->count &&
		       rewrite->inserted->items[next].op == cursor->first_op)
			TRY(add_inserted(rewrite, next++, &call, err));
		TRY(add_ops(rewriting, cursor->first_op, cursor->end_op, err));
		TRY(goal_builder_call(rewrite->builder, &call, err));
	}
	TRY(found);
	TRY(add_ops(rewriting, op, rewrite->block.op_count, err));
	for (size_t i = 0; i < rewriting->late.count; i++)
		TRY(rewriting->depend(rewriting->data, rewrite, rewriting->late.items[i], err));
	return 0;
}

size_t goal_inserted_find(const goal_inserted_list *inserted, uint32_t op)
{
	size_t first = 0, end = inserted->count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (inserted->items[middle].op <= op)
			first = middle + 1;
		else
			end = middle;
	}
	return first ? first - 1 : inserted->count;
}

/* ------------------------------------------------------------------------ rank */

int goal_rewrite_depend(const struct goal_rewrite *rewrite, uint32_t after, uint32_t before,
			bool irequires, struct error *err)
{
	after = rewrite->number[after];
	before = rewrite->number[before];
	return irequires ? goal_builder_irequires(rewrite->builder, after, before, err)
			 : goal_builder_requires(rewrite->builder, after, before, err);
}

int goal_rewrite_rank(struct goal_rewrite *rewrite, struct goal_writer *writer,
		      const struct goal_calls *calls, uint32_t rank, goal_rewrite_op *depend,
		      void *data, struct error *err)
{
	/* The builder knows names by their addresses, which are those of the calls. */
	struct goal_calls_cursor cursor = {0};
	struct rewriting rewriting = {.rewrite = rewrite, .depend = depend, .data = data};
	int result;

	goal_builder_clear(rewrite->builder);
	goal_calls_cursor_start(&cursor, calls, rank);
	result = allocate(&rewrite->number, rewrite->block.op_count + rewrite->inserted->count + 1,
			  sizeof *rewrite->number, err);
	if (result == 0)
		result = add_calls(&rewriting, &cursor, err);
	if (result == 0)
		result = goal_writer_rank(writer, rewrite->builder, err);
	free(rewrite->number);
	array_release(&rewriting.late);
	goal_calls_cursor_release(&cursor);
	return result;
}

int goal_changed_calls(struct goal_writer *writer, const struct goal_calls *calls,
		       struct error *err)
{
	struct goal_calls_origin origin = calls->origin;

	origin.run_ns = 0;
	return goal_writer_calls(writer, &origin, err);
}

int goal_rewrite_begin(struct goal_writer *writer, struct goal_builder *builder,
		       const struct goal_calls *calls, struct error *err)
{
	*builder = (struct goal_builder){.cpu = 0};
	TRY(goal_changed_calls(writer, calls, err));
	goal_builder_spill(builder, writer);
	if (calls->origin.sites)
		goal_builder_sites(builder);
	if (calls->origin.repeated)
		goal_builder_repeated(builder);
	return 0;
}

int goal_block_copy(struct goal_block *block, uint8_t **copy, uint8_t **ops, struct error *err)
{
	const uint8_t *const begin = block->roots - GOAL_BLOCK_BYTES;
	const size_t bytes = (size_t)(block->successors - begin) +
			     (size_t)block->successor_count * 4;

	TRY(allocate(copy, bytes, 1, err));
	memcpy(*copy, begin, bytes);
	block->roots = *copy + GOAL_BLOCK_BYTES;
	*ops = *copy + (block->ops - begin);
	block->ops = *ops;
	block->successors = *copy + (block->successors - begin);
	return 0;
}
