#include "llamp/graph/cycle.h"

#include "common/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPERATIONS_NAMED = 8 };

struct cycle {
	const struct topological_order *order;
	uint32_t *before;	/* [event]: an event before it that was not visited */
	ARRAY(uint32_t) events;	/* of the cycle, from the last to the first */
	/* Of the edges that are being visited: */
	uint32_t from, to;
	uint32_t op;		/* operation of an edge from `from` to `to` */
	bool sends_wait;
};

static bool was_visited(const struct topological_order *order, struct event event)
{
	return order->waiting[event.op] == ORDER_STARTED &&
	       (!event.match ||
		order->waiting[order->execution->matching.partner[event.op]] == ORDER_STARTED);
}

static void note_before(void *context, const struct edge *edge)
{
	struct cycle *cycle = context;

	if (edge->target != TARGET_END)
		cycle->before[event_number(execution_target(cycle->order->execution, edge))] =
			cycle->from;
}

/*
 * Find a cycle.  Each event that was not visited waits for another one that was not visited.
 * Walking back to these reaches some event a second time, and this event is on a cycle.
 */
static int cycle_find(struct cycle *cycle, struct error *err)
{
	const struct topological_order *order = cycle->order;
	const struct execution_graph *execution = order->execution;
	const struct goal *goal = execution->goal;
	uint32_t at = UINT32_MAX, first;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const uint32_t op = goal->ranks[rank].first_op + i;
			const bool recv = goal_op(&goal->ranks[rank], i).kind == GOAL_RECV;

			for (int match = 0; match <= recv; match++) {
				const struct event from = {op, match != 0};

				if (was_visited(order, from))
					continue;
				at = cycle->from = event_number(from);
				execution_edges(execution, from, note_before, cycle);
			}
		}
	for (uint64_t steps = 0; steps < 2 * (uint64_t)goal->op_count; steps++)
		at = cycle->before[at];
	first = at;
	do {
		TRY(array_push(&cycle->events, at, err));
		at = cycle->before[at];
	} while (at != first);
	return 0;
}

/* Note the operation of an edge between two events, of several one that is not a send. */
static void note_edge(void *context, const struct edge *edge)
{
	struct cycle *cycle = context;
	const struct execution_graph *execution = cycle->order->execution;

	if (edge->target == TARGET_END ||
	    event_number(execution_target(execution, edge)) != cycle->to)
		return;
	if (cycle->op == UINT32_MAX ||
	    execution_find(execution, edge->op).op.kind != GOAL_SEND)
		cycle->op = edge->op;
}

/* Operation of the edge that leaves event `i` of the cycle. */
static uint32_t operation_at(struct cycle *cycle, size_t i)
{
	const size_t count = cycle->events.count;
	const struct execution_graph *execution = cycle->order->execution;

	cycle->from = cycle->events.items[count - 1 - i];
	cycle->to = cycle->events.items[i + 1 < count ? count - 2 - i : count - 1];
	cycle->op = UINT32_MAX;
	execution_edges(execution, event_of(cycle->from), note_edge, cycle);
	/*
	 * A send that waits for its receiver has an edge out of the match of its message.
	 */
	if (event_of(cycle->from).match &&
	    execution_find(execution, cycle->op).op.kind == GOAL_SEND)
		cycle->sends_wait = true;
	return cycle->op;
}

/* List the operations in the direction of the edges, without repeats in a row. */
static void list_operations(struct cycle *cycle, char *text, size_t room)
{
	const struct goal *goal = cycle->order->execution->goal;
	const size_t count = cycle->events.count;
	char described[GOAL_TEXT_BYTES];
	uint32_t named = 0, more = 0, last = operation_at(cycle, count - 1);
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const uint32_t op = operation_at(cycle, i);

		if (op == last && count > 1)
			continue;
		last = op;
		if (named == OPERATIONS_NAMED || used >= room) {
			more++;
			continue;
		}
		used += (size_t)snprintf(text + used, room - used, "%s%s", named ? "; " : "",
					 goal_describe(goal, last, described));
		named++;
	}
	if (more && used < room)
		snprintf(text + used, room - used, "; ... and %" PRIu32 " more", more);
}

int cycle_error(const struct topological_order *order, struct error *err)
{
	const struct execution_graph *execution = order->execution;
	struct cycle cycle = {.order = order};
	char operations[sizeof err->text - 160];
	int result;

	TRY(allocate(&cycle.before, 2 * (size_t)execution->goal->op_count, sizeof *cycle.before,
		     err));
	result = cycle_find(&cycle, err);
	if (result == 0) {
		list_operations(&cycle, operations, sizeof operations);
		if (cycle.sends_wait)
			error_set(err, STATUS_DATA,
				  "possible deadlock of the program: with S = %" PRIu64
				  " byte%s these operations wait for each other through rendezvous"
				  " sends: %s", execution->loggps->S, plural(execution->loggps->S),
				  operations);
		else
			error_set(err, STATUS_DATA, "the dependencies are cyclic: %s", operations);
	}
	free(cycle.before);
	array_release(&cycle.events);
	return -1;
}

int cycle_error_of_graph(const struct execution_graph *execution, struct error *err)
{
	struct topological_order order;

	if (order_visit_all(&order, execution, err) == 0)
		cycle_error(&order, err);
	order_release(&order);
	return -1;
}
