#include "goal/check.h"

#include "common/array.h"
#include "goal/dag.h"
#include "goal/match.h"

#include <stdio.h>

/* The whole graph as a DAG: successors of either kind, and the receive of a send. */
struct edges {
	uint64_t *first;
	uint32_t *successor;
};

static int list_edges(struct edges *edges, const struct goal *goal,
		      const struct goal_matching *matching, struct error *err)
{
	uint64_t used = 0;

	TRY(allocate(&edges->first, (size_t)goal->op_count + 1, sizeof *edges->first, err));
	TRY(allocate(&edges->successor, goal->successor_count + matching->message_count,
		     sizeof *edges->successor, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);
			uint32_t count = op.requires_count + op.irequires_count;

			edges->first[block->first_op + i] = used;
			for (uint32_t k = 0; k < count; k++)
				edges->successor[used++] =
					block->first_op + goal_successor(block, op.requires_first + k);
			if (op.kind == GOAL_SEND)
				edges->successor[used++] = matching->partner[block->first_op + i];
		}
	}
	edges->first[goal->op_count] = used;
	return 0;
}

static int report_cycle(const struct goal *goal, const uint32_t *cycle, uint32_t count,
			struct error *err)
{
	enum { MOST_LISTED = 5 };
	char list[MOST_LISTED * (GOAL_TEXT_BYTES + 2)];
	size_t used = 0;

	for (uint32_t i = 0; i < count && i < MOST_LISTED; i++) {
		char text[GOAL_TEXT_BYTES];

		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
					 goal_describe(goal, cycle[i], text));
	}
	return error_set(err, STATUS_DATA, "the schedule is cyclic: %u operations wait for each other"
			 " in a circle: %s%s", count, list, count > MOST_LISTED ? ", ..." : "");
}

static int check_acyclic(const struct goal *goal, const struct goal_matching *matching,
			 struct error *err)
{
	struct edges edges = {0};
	uint32_t *order = NULL, *cycle = NULL;
	uint32_t cycle_count;
	int result = list_edges(&edges, goal, matching, err);

	if (result == 0)
		result = allocate(&order, goal->op_count, sizeof *order, err);
	if (result == 0) {
		struct dag dag = {goal->op_count, edges.first, edges.successor};

		result = dag_order(&dag, order, &cycle, &cycle_count, err);
		if (result > 0)
			result = report_cycle(goal, cycle, cycle_count, err);
	}
	free(cycle);
	free(order);
	free(edges.first);
	free(edges.successor);
	return result;
}

int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err)
{
	struct goal_matching matching;
	int result;

	TRY(goal_match(&matching, goal, err));
	result = check_acyclic(goal, &matching, err);
	if (message_count)
		*message_count = matching.message_count;
	goal_matching_release(&matching);
	return result;
}
