#include "llamp/simulate/build.h"

#include "common/memory.h"
#include "common/progress.h"
#include "llamp/graph/contract_joined.h"
#include "llamp/graph/gaps.h"
#include "llamp/simulate/simulation.h"

#include <inttypes.h>
#include <stdio.h>

/* Upper bounds of the memory that halo exchanges and collectives need (bench/analysis). */
#define BYTES_PER_OP UINT64_C(64)
#define BYTES_PER_OP_SERVED UINT64_C(90)
#define BYTES_PER_RANK UINT64_C(64)
#define BYTES_PER_ENTRY UINT64_C(48)

int execution_graph_build(struct execution_graph *execution, const struct goal *goal,
			  const struct loggps *loggps, struct error *err)
{
	*execution = (struct execution_graph){.goal = goal, .loggps = loggps};
	if (goal->op_count >= EXECUTION_MOST_OPS)
		return error_set(err, STATUS_LIMIT,
				 "the graph is too large: %" PRIu32 " operations, at most %" PRIu32,
				 goal->op_count, EXECUTION_MOST_OPS - 1);
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

int graphs_build(struct execution_graph *execution, struct cost_graph *graph,
		 const struct goal *goal, const struct loggps *loggps, struct error *err)
{
	struct sim_result simulation;
	char what[80];

	*graph = (struct cost_graph){0};
	snprintf(what, sizeof what, "the analysis of %u operations", (unsigned)goal->op_count);
	TRY(memory_require(goal->op_count * (loggps->resources ? BYTES_PER_OP_SERVED
							       : BYTES_PER_OP) +
				   goal->rank_count * BYTES_PER_RANK,
			   what, err));
	TRY(execution_graph_build(execution, goal, loggps, err));
	progress_phase("contracting the graph");
	if (require_entries(execution, what, err) == 0 &&
	    (loggps->resources ? sim_run(&simulation, execution, NULL, graph, NULL, err)
			       : contract_joined(graph, execution, err)) == 0)
		return 0;
	execution_graph_release(execution);
	return -1;
}

int cost_graph_build(struct cost_graph *graph, const struct goal *goal,
		     const struct loggps *loggps, struct error *err)
{
	struct execution_graph execution;

	TRY(graphs_build(&execution, graph, goal, loggps, err));
	execution_graph_release(&execution);
	return 0;
}
