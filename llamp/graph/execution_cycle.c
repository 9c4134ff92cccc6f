#include "llamp/graph/execution_walk.h"

#include "common/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPERATIONS_NAMED = 8 };

/* Instants as numbers: the start of v is 2 v, the meeting of what v receives 2 v + 1. */
static uint32_t number_of(struct instant instant)
{
	return 2 * instant.op + instant.meeting;
}

static struct instant instant_of(uint32_t number)
{
	return (struct instant){number / 2, number % 2 != 0};
}

struct cycle {
	const struct walk *walk;
	uint32_t *before;	/* an instant that was not visited, and waits for which */
	ARRAY(uint32_t) instants;	/* of the cycle, from the last to the first */
	/* While edges are looked at: those from `from` to `to`. */
	uint32_t from, to;
	uint32_t op;		/* of the edge */
	bool sends_wait;
};

static bool was_visited(const struct walk *walk, struct instant instant)
{
	return walk->waiting[instant.op] == WALK_STARTED &&
	       (!instant.meeting ||
		walk->waiting[walk->execution->matching.partner[instant.op]] == WALK_STARTED);
}

static void note_before(void *context, const struct edge *edge)
{
	struct cycle *cycle = context;

	if (edge->target != TARGET_END)
		cycle->before[number_of(execution_target(cycle->walk->execution, edge))] =
			cycle->from;
}

/*
 * Every instant that was not visited has one before it that was not: walking
 * back must come to an instant a second time, and then stands on a cycle.
 */
static int find_cycle(struct cycle *cycle, struct error *err)
{
	const struct walk *walk = cycle->walk;
	const struct execution *execution = walk->execution;
	const struct goal *goal = execution->goal;
	uint32_t at = UINT32_MAX, first;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const uint32_t op = goal->ranks[rank].first_op + i;
			const bool recv = goal_op(&goal->ranks[rank], i).kind == GOAL_RECV;

			for (int meeting = 0; meeting <= recv; meeting++) {
				const struct instant from = {op, meeting != 0};

				if (was_visited(walk, from))
					continue;
				at = cycle->from = number_of(from);
				execution_edges(execution, from, note_before, cycle);
			}
		}
	for (uint64_t steps = 0; steps < 2 * (uint64_t)goal->op_count; steps++)
		at = cycle->before[at];
	first = at;
	do {
		TRY(array_push(&cycle->instants, at, err));
		at = cycle->before[at];
	} while (at != first);
	return 0;
}

/* Where several edges connect two instants, one that is not a send's is kept. */
static void note_edge(void *context, const struct edge *edge)
{
	struct cycle *cycle = context;
	const struct execution *execution = cycle->walk->execution;

	if (edge->target == TARGET_END ||
	    number_of(execution_target(execution, edge)) != cycle->to)
		return;
	if (cycle->op == UINT32_MAX ||
	    execution_find(execution, edge->op).op.kind != GOAL_SEND)
		cycle->op = edge->op;
}

/* The operation whose edge leaves place `i` of the cycle, counted from its first instant. */
static uint32_t operation_at(struct cycle *cycle, size_t i)
{
	const size_t count = cycle->instants.count;
	const struct execution *execution = cycle->walk->execution;

	cycle->from = cycle->instants.items[count - 1 - i];
	cycle->to = cycle->instants.items[i + 1 < count ? count - 2 - i : count - 1];
	cycle->op = UINT32_MAX;
	execution_edges(execution, instant_of(cycle->from), note_edge, cycle);
	/*
	 * A send that waits for its receiver shows as an edge of the send's out of
	 * the instant at which message and receiver meet.
	 */
	if (instant_of(cycle->from).meeting &&
	    execution_find(execution, cycle->op).op.kind == GOAL_SEND)
		cycle->sends_wait = true;
	return cycle->op;
}

/* List the operations in the direction of the edges, each once in a row. */
static void list_operations(struct cycle *cycle, char *text, size_t room)
{
	const struct goal *goal = cycle->walk->execution->goal;
	const size_t count = cycle->instants.count;
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

int walk_cycle_error(const struct walk *walk, struct error *err)
{
	const struct execution *execution = walk->execution;
	struct cycle cycle = {.walk = walk};
	char operations[sizeof err->text - 160];
	int result;

	TRY(allocate(&cycle.before, 2 * (size_t)execution->goal->op_count, sizeof *cycle.before,
		     err));
	result = find_cycle(&cycle, err);
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
	array_release(&cycle.instants);
	return -1;
}

int execution_cycle_error(const struct execution *execution, struct error *err)
{
	struct walk walk;

	if (walk_all(&walk, execution, err) == 0)
		walk_cycle_error(&walk, err);
	walk_release(&walk);
	return -1;
}
