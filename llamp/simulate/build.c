#include "llamp/simulate/build.h"

#include "common/memory.h"
#include "common/progress.h"
#include "llamp/graph/cycle.h"
#include "llamp/graph/gaps.h"
#include "llamp/traversal/traversal.h"
#include "llamp/simulate/simulation.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Memory that halo exchanges and collectives need without wide edges.  Of operations in the order of
 * schedgen the traversal takes 6 to 17 bytes each (bench/simulator), as measured with arrays that
 * have grown, so the bound leaves nearly as much again; each rank takes some 1500 bytes in addition,
 * as measured with 10,000 ranks and few operations.  In another order an operation may take 90 bytes
 * or more, which is not required: it would refuse most graphs, which are in this order, on machines
 * that have enough.  Memory for wide edges is required when their array grows
 * (llamp/graph/cost_edges.h).
 */
#define BYTES_PER_OP UINT64_C(30)
#define BYTES_PER_OP_EXECUTED UINT64_C(40)
#define BYTES_PER_OP_SERVED UINT64_C(90)
#define BYTES_PER_RANK UINT64_C(1600)
#define BYTES_PER_ENTRY UINT64_C(48)

static int refuse_large(const struct goal *goal, struct error *err)
{
	if (goal->op_count < EXECUTION_MOST_OPS)
		return 0;
	return error_set(err, STATUS_LIMIT,
			 "the graph is too large: %" PRIu32 " operations, at most %" PRIu32,
			 goal->op_count, EXECUTION_MOST_OPS - 1);
}

int execution_graph_build(struct execution_graph *execution, const struct goal *goal,
			  const struct loggps *loggps, struct error *err)
{
	*execution = (struct execution_graph){.goal = goal, .loggps = loggps};
	TRY(refuse_large(goal, err));
	TRY(goal_match(&execution->matching, goal, err));
	if (message_classes_find(&execution->classes, goal, &execution->matching, loggps, err) ==
		    0 &&
	    (!(loggps->resources & RESOURCE_LINK) ||
	     message_routes_find(&execution->routes, goal, loggps->network, err) == 0) &&
	    (!gaps_are_on(loggps) || gaps_find(execution, err) == 0))
		return 0;
	execution_graph_release(execution);
	return -1;
}

/* Check that there is memory for the entries of messages into limited links. */
static int require_entries(const struct execution_graph *execution, const char *what,
			   struct error *err)
{
	const uint32_t *first = execution->routes.first;

	return first ? memory_require(first[execution->goal->op_count] * BYTES_PER_ENTRY, what, err)
		     : 0;
}

/* Check that there is memory for all. */
static int require_memory(const struct goal *goal, uint64_t bytes_per_op, char what[static 80],
			  struct error *err)
{
	snprintf(what, 80, "the analysis of %u operations", (unsigned)goal->op_count);
	return memory_require(goal->op_count * bytes_per_op + goal->rank_count * BYTES_PER_RANK,
			      what, err);
}

/*
 * The gaps in the order of the file made a cycle, or the program cannot end without gaps either: say
 * why, or direct the gaps otherwise and build both graphs.
 */
static int build_again(struct execution_graph *execution, struct cost_graph *graph,
		       const struct goal *goal, const struct loggps *loggps, struct error *err)
{
	int result = 1;

	TRY(execution_graph_build(execution, goal, loggps, err));
	if (execution->gap_first)
		result = traversal_run(graph, NULL, goal, loggps, execution, err);
	if (result > 0)
		result = cycle_error_of_graph(execution, err);
	if (result < 0)
		execution_graph_release(execution);
	return result;
}

/*
 * Build the cost graph of a model without resources by a traversal of the program.  The execution
 * graph gets the gaps, and if `all` what else it has.
 */
static int build_by_traversal(struct execution_graph *execution, struct cost_graph *graph, bool all,
			      const struct goal *goal, const struct loggps *loggps,
			      struct error *err)
{
	struct goal_matching *matching = all ? &execution->matching : NULL;
	const bool gaps = gaps_are_on(loggps);
	int result;

	*execution = (struct execution_graph){.goal = goal, .loggps = loggps};
	TRY(refuse_large(goal, err));
	if (gaps)
		TRY(gaps_find_in_file_order(execution, err));
	progress_phase("traversing the program");
	result = traversal_run(graph, matching, goal, loggps, gaps ? execution : NULL, err);
	if (result == 0 && all &&
	    message_classes_find(&execution->classes, goal, matching, loggps, err) < 0) {
		cost_graph_release(graph);
		result = -1;
	}
	if (result == 0)
		return 0;
	execution_graph_release(execution);
	return result > 0 ? build_again(execution, graph, goal, loggps, err) : -1;
}

int graphs_build(struct execution_graph *execution, struct cost_graph *graph,
		 const struct goal *goal, const struct loggps *loggps, struct error *err)
{
	struct sim_result simulation;
	char what[80];

	if (loggps->resources)
		return graphs_simulate(execution, graph, &simulation, goal, loggps, err);
	*graph = (struct cost_graph){0};
	TRY(require_memory(goal, BYTES_PER_OP_EXECUTED, what, err));
	return build_by_traversal(execution, graph, true, goal, loggps, err);
}

int graphs_simulate(struct execution_graph *execution, struct cost_graph *graph,
		    struct sim_result *simulation, const struct goal *goal,
		    const struct loggps *loggps, struct error *err)
{
	char what[80];
	int result;

	*graph = (struct cost_graph){0};
	TRY(require_memory(goal, BYTES_PER_OP_SERVED, what, err));
	TRY(execution_graph_build(execution, goal, loggps, err));
	result = require_entries(execution, what, err);
	if (result == 0) {
		progress_phase("contracting the graph");
		result = sim_run(simulation, execution, loggps->asked, graph, NULL, err);
	}
	if (result < 0)
		execution_graph_release(execution);
	return result;
}

int cost_graph_build(struct cost_graph *graph, const struct goal *goal, const struct loggps *loggps,
		     struct error *err)
{
	struct execution_graph execution;
	char what[80];

	*graph = (struct cost_graph){0};
	if (loggps->resources) {
		TRY(graphs_build(&execution, graph, goal, loggps, err));
	} else {
		TRY(require_memory(goal, BYTES_PER_OP, what, err));
		TRY(build_by_traversal(&execution, graph, false, goal, loggps, err));
	}
	execution_graph_release(&execution);
	return 0;
}
