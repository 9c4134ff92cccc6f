#include "llamp/graph/execution.h"

#include "llamp/graph/execution_gaps.h"

#include <inttypes.h>
#include <stdlib.h>

struct located execution_find(const struct execution *execution, uint32_t number)
{
	return execution_locate(execution, goal_rank_of(execution->goal, number), number);
}

void execution_edges(const struct execution *execution, struct instant from, edge_visitor *visit,
		     void *context)
{
	const struct located at = execution_find(execution, from.op);
	struct located send, recv;

	if (!from.meeting) {
		execution_edges_of_start(execution, &at, visit, context);
		return;
	}
	execution_message(execution, &at, &send, &recv);
	execution_edges_of_meeting(execution, &send, &recv, visit, context);
}

struct instant execution_target(const struct execution *execution, const struct edge *edge)
{
	struct located at;

	if (edge->target == TARGET_START)
		return (struct instant){edge->to, false};
	at = execution_locate(execution, edge->rank, edge->to);
	return (struct instant){at.op.kind == GOAL_RECV ? edge->to
							: execution->matching.partner[edge->to],
				true};
}

int execution_init(struct execution *execution, const struct goal *goal,
		   const struct loggps *loggps, struct error *err)
{
	*execution = (struct execution){.goal = goal, .loggps = loggps};
	if (goal->op_count >= EXECUTION_MOST_OPS)
		return error_set(err, STATUS_LIMIT,
				 "the graph is too large: %" PRIu32 " operations, at most %" PRIu32,
				 goal->op_count, EXECUTION_MOST_OPS - 1);
	TRY(goal_match(&execution->matching, goal, err));
	if (loggps->g <= 0 || execution_find_gaps(execution, err) == 0)
		return 0;
	execution_release(execution);
	return -1;
}

void execution_release(struct execution *execution)
{
	goal_matching_release(&execution->matching);
	free(execution->gap_first);
	free(execution->gap_later);
	*execution = (struct execution){0};
}
