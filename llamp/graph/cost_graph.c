#include "llamp/graph/cost_graph.h"

#include "common/memory.h"
#include "common/progress.h"
#include "llamp/graph/contract_joined.h"

#include <stdio.h>

/* At most, while the graph of a halo exchange or of collectives is built (bench/analysis). */
#define BYTES_PER_OP UINT64_C(64)
#define BYTES_PER_RANK UINT64_C(64)

int cost_graph_build(struct cost_graph *graph, const struct goal *goal,
		     const struct loggps *loggps, struct error *err)
{
	struct execution_graph execution;
	char what[80];
	int result;

	*graph = (struct cost_graph){0};
	snprintf(what, sizeof what, "the analysis of %u operations", (unsigned)goal->op_count);
	TRY(memory_require(goal->op_count * BYTES_PER_OP + goal->rank_count * BYTES_PER_RANK, what,
			   err));
	TRY(execution_graph_build(&execution, goal, loggps, err));
	progress_phase("reducing the graph");
	result = contract_joined(graph, &execution, err);
	execution_graph_release(&execution);
	return result;
}

void cost_graph_release(struct cost_graph *graph)
{
	free(graph->edges);
	free(graph->vertices);
	cost_expressions_release(&graph->expressions);
	*graph = (struct cost_graph){0};
}

int cost_graph_sources(const struct cost_graph *graph, uint32_t **sources, struct error *err)
{
	uint32_t *owner;	/* of every slot */
	uint64_t i = 0;

	TRY(allocate(&owner, graph->slot_count, sizeof *owner, err));
	if (allocate(sources, graph->edge_count, sizeof **sources, err) < 0) {
		free(owner);
		return -1;
	}
	owner[0] = UINT32_MAX;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		do
			(*sources)[i] = owner[graph->edges[i].from];
		while (!(graph->edges[i++].expression & COST_LAST_EDGE));
		owner[graph->vertices[v].slot] = v;
	}
	free(owner);
	return 0;
}
