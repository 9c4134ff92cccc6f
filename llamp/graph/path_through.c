#include "llamp/graph/path_through.h"

#include "common/array.h"
#include "common/progress.h"

/* Longest path to the end among the edges out of an event. */
struct backward {
	const struct event_times *times;
	__int128 *through; /* of operations that have been passed; of a receive also before */
	/*
	 * [operation]: tail of its start when it has been passed.  Between its match and its start
	 * that of the match.
	 */
	__int128 *tail;
	__int128 longest, longest_of_send;
	uint32_t send; /* of the match */
};

/* Length of no path; lengths are not negative. */
#define NO_PATH ((__int128)-1)

static __int128 larger(__int128 a, __int128 b)
{
	return a > b ? a : b;
}

static inline void through_visit_edge(void *context, const struct edge *edge)
{
	struct backward *back = context;
	const __int128 tail = cost_weigh(&back->times->weights, edge->cost) +
			      (edge->target == TARGET_END ? 0 : back->tail[edge->to]);

	back->longest = larger(back->longest, tail);
	if (edge->op == back->send)
		back->longest_of_send = larger(back->longest_of_send, tail);
}

static void pass_match(struct backward *back, const struct located *half)
{
	const struct event_times *times = back->times;
	struct located send, recv;
	__int128 match;

	execution_message(times->execution, half, &send, &recv);
	match = times->latest[times->by_sender[recv.number] ? send.number : recv.number];
	back->longest = back->longest_of_send = NO_PATH;
	back->send = send.number;
	execution_edges_of_match(times->execution, &send, &recv, through_visit_edge, back);
	back->through[recv.number] = match + back->longest;
	back->through[send.number] = back->longest_of_send < 0 ? NO_PATH
							       : match + back->longest_of_send;
	back->tail[send.number] = back->tail[recv.number] = back->longest;
}

static void pass_start(struct backward *back, const struct located *at)
{
	const struct event_times *times = back->times;

	back->longest = NO_PATH;
	back->send = NO_EVENT;
	execution_edges_of_start(times->execution, at, through_visit_edge, back);
	back->through[at->number] = larger(back->through[at->number],
					   event_times_start(times, at) + back->longest);
	back->tail[at->number] = back->longest;
}

/* Prefetch an operation that comes soon, as ranks are scattered in memory. */
static void prefetch(const struct backward *back, uint32_t op)
{
	__builtin_prefetch(&back->times->latest[op]);
	__builtin_prefetch(&back->tail[op]);
	__builtin_prefetch(&back->through[op]);
	__builtin_prefetch(&back->times->execution->matching.partner[op]);
}

static void pass_all(struct backward *back)
{
	enum { AHEAD = 16 };
	const struct execution_graph *execution = back->times->execution;
	const uint32_t *order = back->times->order, *partner = execution->matching.partner;

	for (uint32_t i = execution->goal->op_count; i-- > 0;) {
		const struct located at = execution_find(execution, order[i]);

		if (i >= AHEAD)
			prefetch(back, order[i - AHEAD]);
		if ((i & 0xffff) == 0)
			progress_show(execution->goal->op_count - i, execution->goal->op_count);
		/* The match comes before the later one of its starts, in the order backward. */
		if (at.op.kind != GOAL_CALC &&
		    back->through[at.op.kind == GOAL_RECV ? at.number : partner[at.number]] < 0)
			pass_match(back, &at);
		pass_start(back, &at);
	}
}

int path_through(__int128 **through, const struct event_times *times, struct error *err)
{
	const uint32_t op_count = times->execution->goal->op_count;
	struct backward back = {.times = times};

	if (allocate(&back.tail, op_count, sizeof *back.tail, err) < 0 ||
	    allocate(&back.through, op_count, sizeof *back.through, err) < 0) {
		free(back.tail);
		return -1;
	}
	for (uint32_t i = 0; i < op_count; i++)
		back.through[i] = NO_PATH;
	pass_all(&back);
	free(back.tail);
	*through = back.through;
	return 0;
}
