#include "test/unit/lib/check/edges_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#define NO_VERTEX UINT32_MAX

struct check {
	const struct program_graph *graph;
	const struct graph *expected;
	bool *found; /* [edge of expected] */
	uint64_t seed;
};

static bool is_hub(const struct program_graph *graph, uint32_t vertex)
{
	return vertex >= graph->first_vertex[graph->waits->run->rank_count];
}

/* The vertex that stands for the same in the expected graph: NO_VERTEX for hubs and MPI_Init. */
static uint32_t expected_vertex(const struct check *check, uint32_t vertex)
{
	const struct program_vertex at = program_vertex_of(check->graph, vertex);

	if (vertex == check->graph->source || vertex == check->graph->sink)
		return vertex == check->graph->sink;
	if (at.call == NO_CALL || at.call == 0)
		return NO_VERTEX;
	return check->expected->first[at.rank] + 2 * (at.call - 1) + at.end;
}

/* Whether the graph may have an edge: the call at its end waits for the one at its start, if it has to. */
static bool may_be(const struct graph *expected, const struct edge *edge)
{
	return !edge->if_waited || expected->times[edge->from] > expected->times[edge->to - 1];
}

/* Find the expected edges that are a way between calls. */
static void find_way(struct check *check, uint32_t from, uint32_t to, uint64_t wait_ns)
{
	bool found = false;

	for (uint32_t e = 0; e < check->expected->edge_count; e++) {
		const struct edge *edge = &check->expected->edges[e];

		if (edge->from == from && edge->to == to && edge->wait == (int64_t)wait_ns &&
		    may_be(check->expected, edge))
			found = check->found[e] = true;
	}
	if (!found)
		fail_msg("seed %lu: an edge from vertex %u to %u with wait %lu", check->seed, from,
			 to, wait_ns);
}

/* Take all ways from a call, or from a hub that it is before, to the next calls. */
static void take_ways(struct check *check, uint32_t from, uint32_t at, uint64_t wait_ns)
{
	const struct program_graph *graph = check->graph;

	for (uint64_t i = graph->first_edge[at]; i < graph->first_edge[at + 1]; i++) {
		const struct program_edge *edge = &graph->edges[i];

		if (is_hub(graph, edge->to))
			take_ways(check, from, edge->to, wait_ns + edge->wait_ns);
		else
			find_way(check, from, expected_vertex(check, edge->to),
				 wait_ns + edge->wait_ns);
	}
}

/* Check that an edge waits no longer than it is long, and one to a hub all the time. */
static void check_times(const struct check *check, uint32_t from, const struct program_edge *edge)
{
	const uint64_t from_ns = program_vertex_of(check->graph, from).at_ns;
	const uint64_t to_ns = program_vertex_of(check->graph, edge->to).at_ns;

	if (to_ns < from_ns || edge->wait_ns > to_ns - from_ns ||
	    (is_hub(check->graph, edge->to) && edge->wait_ns != to_ns - from_ns))
		fail_msg("seed %lu: an edge from %lu to %lu with wait %lu", check->seed, from_ns,
			 to_ns, edge->wait_ns);
}

/* Whether the graph has an edge to the same call from one that began no earlier. */
static bool is_implied(const struct check *check, const struct edge *edge)
{
	const struct graph *expected = check->expected;

	for (uint32_t e = 0; e < expected->edge_count; e++)
		if (check->found[e] && expected->edges[e].to == edge->to &&
		    expected->times[expected->edges[e].from] >= expected->times[edge->from])
			return true;
	return false;
}

void edges_check(const struct program_graph *graph, const struct graph *expected, uint64_t seed)
{
	struct check check = {graph, expected, .seed = seed};

	check.found = calloc(expected->edge_count, sizeof *check.found);
	assert_non_null(check.found);
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		if (!is_hub(graph, v))
			take_ways(&check, expected_vertex(&check, v), v, 0);
		for (uint64_t i = graph->first_edge[v];
		     !graph->waits->observed && i < graph->first_edge[v + 1]; i++)
			check_times(&check, v, &graph->edges[i]);
	}
	for (uint32_t e = 0; e < expected->edge_count; e++) {
		const struct edge *edge = &expected->edges[e];

		if (!check.found[e] && !(edge->if_waited && is_implied(&check, edge)))
			fail_msg("seed %lu: no edge from vertex %u to %u with wait %ld", seed,
				 edge->from, edge->to, edge->wait);
	}
	assert_int_equal(graph->left_out, 0);
	free(check.found);
}
