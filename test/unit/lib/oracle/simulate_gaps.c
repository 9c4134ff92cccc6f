#include "test/unit/lib/oracle/simulate_program.h"

/* Whether dependencies of the rank lead from one operation to another. */
static bool leads_to(const struct program *program, uint32_t from, uint32_t to, bool *seen)
{
	const struct goal_block *block = &program->goal->ranks[program->ops[from].rank];
	const struct goal_op *op = &program->ops[from].op;

	if (from == to)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	for (uint32_t i = 0; i < op->requires_count + op->irequires_count; i++)
		if (leads_to(program,
			     block->first_op + goal_successor(block, op->requires_first + i), to,
			     seen))
			return true;
	return false;
}

static bool are_connected(const struct program *program, uint32_t a, uint32_t b)
{
	bool *seen = zeroed(program->op_count, sizeof *seen), *back;
	bool connected;

	back = zeroed(program->op_count, sizeof *back);
	connected = leads_to(program, a, b, seen) || leads_to(program, b, a, back);
	free(seen);
	free(back);
	return connected;
}

void simulate_add_gaps(struct program *program)
{
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < program->op_count; i++) {
		if (program->ops[i].op.kind != GOAL_SEND)
			continue;
		if (last != UINT32_MAX && program->ops[last].rank == program->ops[i].rank &&
		    !are_connected(program, last, i))
			PUSH(&program->gaps, ((struct gap){last, i}));
		last = i;
	}
}

/* Raise the depth of an event to one more than that of an event before it. */
static bool deepen(uint32_t *depth, uint32_t before)
{
	if (*depth > before)
		return false;
	*depth = before + 1;
	return true;
}

static bool deepen_successors(struct program *program, uint32_t number)
{
	const struct op *u = &program->ops[number];
	const struct goal_block *block = &program->goal->ranks[u->rank];
	const bool ends_at_match = u->op.kind == GOAL_RECV || u->rendezvous;
	bool changed = false;

	for (uint32_t i = 0; i < u->op.requires_count; i++)
		changed |= deepen(&program->ops[block->first_op +
						goal_successor(block, u->op.requires_first + i)]
					   .depth,
				  ends_at_match ? u->match_depth : u->depth);
	for (uint32_t i = 0; i < u->op.irequires_count; i++)
		changed |= deepen(&program->ops[block->first_op +
						goal_successor(block, u->op.irequires_first + i)]
					   .depth,
				  u->depth);
	return changed;
}

/* Compute the depths in the execution graph without gaps, which is acyclic. */
static void find_depths(struct program *program)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < program->op_count; i++) {
			struct op *u = &program->ops[i], *partner = &program->ops[u->partner];

			if (u->op.kind != GOAL_CALC) {
				changed |= deepen(&u->match_depth, u->depth);
				changed |= deepen(&u->match_depth, partner->depth);
			}
			changed |= deepen_successors(program, i);
		}
	}
}

void simulate_turn_gaps(struct program *program)
{
	find_depths(program);
	for (size_t i = 0; i < program->gaps.count; i++) {
		struct gap *gap = &program->gaps.items[i];

		if (program->ops[gap->after].depth < program->ops[gap->before].depth)
			*gap = (struct gap){gap->after, gap->before};
	}
}
