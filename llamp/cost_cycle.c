#include "llamp/cost_builder.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPERATIONS_NAMED = 8 };

/* What is known of the edges on a cycle. */
struct cycle_edges {
	const struct cost_builder *builder;
	uint32_t *place;	/* of every vertex on the cycle, else UINT32_MAX */
	const uint32_t *cycle;
	uint32_t count;
	uint32_t *op;		/* of the edge that leaves each place, UINT32_MAX before it is seen */
};

static enum goal_kind kind_of(const struct goal *goal, uint32_t number)
{
	const struct goal_block *block = &goal->ranks[goal_rank_of(goal, number)];

	return goal_op(block, number - block->first_op).kind;
}

/* Where several edges connect two vertices, one that is not a send's is kept. */
static void note_edge(void *context, uint32_t from, uint32_t to, uint32_t op,
		      const struct cost *cost)
{
	struct cycle_edges *edges = context;
	uint32_t place = edges->place[from];

	(void)cost;
	if (place == UINT32_MAX || edges->cycle[place + 1 < edges->count ? place + 1 : 0] != to)
		return;
	if (edges->op[place] == UINT32_MAX || kind_of(edges->builder->goal, op) != GOAL_SEND)
		edges->op[place] = op;
}

/*
 * A send that waits for its receiver shows as an edge of the send's out of the
 * instant at which message and receiver meet.
 */
static bool sends_wait(const struct cycle_edges *edges)
{
	const struct goal *goal = edges->builder->goal;

	for (uint32_t i = 0; i < edges->count; i++)
		if (edges->cycle[i] >= goal->op_count && kind_of(goal, edges->op[i]) == GOAL_SEND)
			return true;
	return false;
}

/* List the operations in the direction of the edges, each once in a row. */
static void list_operations(const struct cycle_edges *edges, char *text, size_t room)
{
	char described[GOAL_TEXT_BYTES];
	uint32_t named = 0, more = 0, last = edges->op[edges->count - 1];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < edges->count; i++) {
		if (edges->op[i] == last && edges->count > 1)
			continue;
		last = edges->op[i];
		if (named == OPERATIONS_NAMED || used >= room) {
			more++;
			continue;
		}
		used += (size_t)snprintf(text + used, room - used, "%s%s", named ? "; " : "",
					 goal_describe(edges->builder->goal, last, described));
		named++;
	}
	if (more && used < room)
		snprintf(text + used, room - used, "; ... and %" PRIu32 " more", more);
}

int cost_cycle_error(const struct cost_builder *builder, const uint32_t *cycle,
		     uint32_t cycle_count, struct error *err)
{
	struct cycle_edges edges = {.builder = builder, .cycle = cycle, .count = cycle_count};
	char operations[sizeof err->text - 160];

	if (allocate(&edges.place, builder->vertex_count, sizeof *edges.place, err) < 0 ||
	    allocate(&edges.op, cycle_count, sizeof *edges.op, err) < 0) {
		free(edges.place);
		return -1;
	}
	memset(edges.place, 0xff, builder->vertex_count * sizeof *edges.place);
	memset(edges.op, 0xff, cycle_count * sizeof *edges.op);
	for (uint32_t i = 0; i < cycle_count; i++)
		edges.place[cycle[i]] = i;
	cost_builder_edges(builder, note_edge, &edges);
	list_operations(&edges, operations, sizeof operations);
	if (sends_wait(&edges))
		error_set(err, STATUS_DATA,
			  "possible deadlock of the program: with S = %" PRIu64
			  " bytes these operations wait for each other through rendezvous sends: %s",
			  builder->loggps->S, operations);
	else
		error_set(err, STATUS_DATA, "the dependencies are cyclic: %s", operations);
	free(edges.place);
	free(edges.op);
	return -1;
}
