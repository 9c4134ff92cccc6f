#include "goal/traversal/check.h"

#include "common/array.h"
#include "goal/dag.h"
#include "goal/match.h"
#include "goal/traversal/computation.h"

#include <stdio.h>

/*
 * An operation can start once those that it irequires have started and those that it requires
 * have ended.  Sends and calcs end by themselves, a receive when its message has been sent.
 * Edges lead from every operation to its dependents, and from every send to the operations
 * that require its receive.
 */
struct edges {
	uint64_t *first;
	uint32_t *successor;
};

/* Operations that require the receive of a send: a slice of the receiver's successors. */
static uint32_t receivers(const struct goal *goal, const struct goal_matching *matching,
			  uint32_t send, const struct goal_block **block, uint32_t *first)
{
	uint32_t recv = matching->partner[send];
	struct goal_op op;

	*block = &goal->ranks[goal_rank_of(goal, recv)];
	op = goal_op(*block, recv - (*block)->first_op);
	*first = op.requires_first;
	return op.requires_count;
}

static uint64_t count_edges(const struct goal *goal)
{
	uint64_t count = goal->successor_count;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			struct goal_op op = goal_op(&goal->ranks[rank], i);

			if (op.kind == GOAL_RECV)
				count += op.requires_count;
		}
	}
	return count;
}

static void add_edges(struct edges *edges, uint64_t *used, const struct goal_block *block,
		      uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		edges->successor[(*used)++] = block->first_op + goal_successor(block, i);
}

static int list_edges(struct edges *edges, const struct goal *goal,
		      const struct goal_matching *matching, struct error *err)
{
	uint64_t used = 0;

	TRY(allocate(&edges->first, (size_t)goal->op_count + 1, sizeof *edges->first, err));
	TRY(allocate(&edges->successor, count_edges(goal), sizeof *edges->successor, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);
			const struct goal_block *receiver;
			uint32_t first, count;

			edges->first[block->first_op + i] = used;
			add_edges(edges, &used, block, op.requires_first,
				  op.requires_count + op.irequires_count);
			if (op.kind != GOAL_SEND)
				continue;
			count = receivers(goal, matching, block->first_op + i, &receiver, &first);
			add_edges(edges, &used, receiver, first, count);
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
	return error_set(err, STATUS_DATA,
			 "the graph is cyclic: %u operations wait for each other"
			 " in a circle: %s%s",
			 count, list, count > MOST_LISTED ? ", ..." : "");
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

/* Say why a graph cannot end. */
static int explain(const struct goal *goal, struct error *err)
{
	struct goal_matching matching;
	int result;

	TRY(goal_match(&matching, goal, err));
	result = check_acyclic(goal, &matching, err);
	goal_matching_release(&matching);
	return result == 0 ? error_set(err, STATUS_DATA, "the graph cannot end") : -1;
}

static int find_computation(struct computation *computation, const struct goal *goal,
			    struct error *err)
{
	const int result = computation_find(computation, goal, err);

	return result > 0 ? explain(goal, err) : result;
}

int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err)
{
	struct computation computation;

	TRY(find_computation(&computation, goal, err));
	if (message_count)
		*message_count = computation.message_count;
	return 0;
}

int goal_find_computation(uint64_t *path_ns, const struct goal *goal, struct error *err)
{
	struct computation computation;

	TRY(find_computation(&computation, goal, err));
	*path_ns = computation.path_ns;
	return computation.too_long
		       ? error_set(err, STATUS_LIMIT, "the computation takes 2^64 ns or more")
		       : 0;
}
