#include "llamp/graph/execution_graph.h"

#include <stdlib.h>

struct located execution_find(const struct execution_graph *execution, uint32_t number)
{
	return execution_locate(execution, goal_rank_of(execution->goal, number), number);
}

void execution_edges(const struct execution_graph *execution, struct event from,
		     edge_visitor *visit, void *context)
{
	const struct located at = execution_find(execution, from.op);
	struct located send, recv;

	if (!from.match) {
		execution_edges_of_start(execution, &at, visit, context);
		return;
	}
	execution_message(execution, &at, &send, &recv);
	execution_edges_of_match(execution, &send, &recv, visit, context);
}

struct event execution_target(const struct execution_graph *execution, const struct edge *edge)
{
	struct located at;

	if (edge->target == TARGET_START)
		return (struct event){edge->to, false};
	at = execution_locate(execution, edge->rank, edge->to);
	return (struct event){at.op.kind == GOAL_RECV ? edge->to
							: execution->matching.partner[edge->to],
			      true};
}

void execution_graph_release(struct execution_graph *execution)
{
	goal_matching_release(&execution->matching);
	message_classes_release(&execution->classes);
	message_routes_release(&execution->routes);
	free(execution->gap_first);
	free(execution->gap_later);
	*execution = (struct execution_graph){0};
}
