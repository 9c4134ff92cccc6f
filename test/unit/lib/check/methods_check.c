#include "test/unit/lib/check/methods_check.h"

#include "critpath/graph/minimum_wait.h"
#include "critpath/graph/sync_points.h"
#include "test/unit/lib/check/minimum_wait_subgraphs.h"
#include "test/unit/lib/check/dist_methods_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "test/unit/lib/must.h"

/* Seeds of which one is checked with several processes, too. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 20 };
#else
enum { EVERY = 10 };
#endif

/* Check that subgraphs find the same minimum wait together. */
static void check_subgraphs(const struct program_graph *graph, uint64_t delta_ns, uint64_t least,
			    uint64_t seed)
{
	uint64_t numbers = seed;

	for (uint32_t count = 1; count <= 7; count++) {
		const uint64_t found = minimum_wait_by_subgraphs(graph, count, delta_ns, &numbers);

		if (found != least)
			fail_msg(
				"seed %lu: by %u subgraphs, with delta %lu, the minimum wait is %lu,"
				" not %lu",
				seed, count, delta_ns, found, least);
	}
}

static bool has_edge(const struct program_graph *graph, uint32_t from, uint32_t to)
{
	for (uint64_t i = graph->first_edge[from]; i < graph->first_edge[from + 1]; i++)
		if (graph->edges[i].to == to)
			return true;
	return false;
}

/* Whether the sink is reached without a hub, and without the calls that begin and complete it. */
static bool is_passed(const struct program_graph *graph, uint32_t hub)
{
	bool *reached = calloc(graph->vertex_count, sizeof *reached), changed = true;

	assert_non_null(reached);
	reached[graph->source] = true;
	while (changed) {
		changed = false;
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			for (uint64_t i = graph->first_edge[v];
			     reached[v] && v != hub && i < graph->first_edge[v + 1]; i++) {
				const uint32_t to = graph->edges[i].to;

				if (reached[to] || (to == v + 1 && has_edge(graph, v, hub) &&
						    has_edge(graph, hub, to)))
					continue;
				reached[to] = changed = true;
			}
	}
	changed = reached[graph->sink];
	free(reached);
	return changed;
}

static bool is_sync_point(const struct sync_points *points, uint32_t hub)
{
	for (size_t i = 0; i < points->hubs.count; i++)
		if (points->hubs.items[i] == hub)
			return true;
	return false;
}

/*
 * Check that no path passes a synchronization point and, with clocks that are right, that no other such hub
 * is.  Adds their number to *seen.
 */
static void check_sync_points(const struct program_graph *graph, bool clocks_are_right,
			      uint64_t *seen)
{
	const uint32_t ranks = graph->waits->run->rank_count;
	struct dist_graph searched;
	struct sync_points points;
	struct error err;
	size_t found = 0;

	MUST(dist_graph_build(&searched, graph->waits, dist_alone(), &err));
	MUST(sync_points_find(&points, &searched, dist_alone(), &err));
	for (uint32_t hub = (uint32_t)graph->first_vertex[ranks]; hub < graph->vertex_count;
	     hub++) {
		const bool is_found = is_sync_point(&points, hub);

		found += is_found;
		/* A rank may have no calls at all. */
		if (is_found || (clocks_are_right &&
				 graph->first_edge[hub + 1] - graph->first_edge[hub] == ranks))
			assert_int_equal(is_found, !is_passed(graph, hub));
	}
	assert_int_equal(found, points.hubs.count);
	*seen += found;
	sync_points_release(&points);
	dist_graph_release(&searched);
}

/* Check that a search gives the minimum wait, and segments that cover the run. */
static void check_path(const struct made_run *made, const struct walk *path, uint64_t wait_ns)
{
	uint64_t at = 0;

	for (size_t k = 0; k < path->segments.count; k++) {
		assert_int_equal(path->segments.items[k].start_ns, at);
		at = path->segments.items[k].end_ns;
	}
	assert_int_equal(at, path->length_ns);
	if (!made->run.violations.count)
		assert_int_equal(path->unknown_ns[UNKNOWN_CLOCKS], wait_ns);
}

/* Take vertices without an edge from one that is left, until none is left: there is no cycle. */
static void check_no_cycle(const struct program_graph *graph)
{
	uint32_t *into = calloc(graph->vertex_count, sizeof *into);
	uint32_t *taken = calloc(graph->vertex_count, sizeof *taken), count = 0;

	assert_true(into && taken);
	for (uint64_t i = 0; i < graph->first_edge[graph->vertex_count]; i++)
		into[graph->edges[i].to]++;
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		if (!into[v])
			taken[count++] = v;
	for (uint32_t k = 0; k < count; k++)
		for (uint64_t i = graph->first_edge[taken[k]]; i < graph->first_edge[taken[k] + 1];
		     i++)
			if (!--into[graph->edges[i].to])
				taken[count++] = graph->edges[i].to;
	assert_int_equal(count, graph->vertex_count);
	free(into);
	free(taken);
}

static const uint64_t deltas[] = {0, 1, 7, 1000, UINT64_MAX};

enum { DELTAS = sizeof deltas / sizeof *deltas };

/* Search by one process, with each delta.  Returns the minimum wait. */
static uint64_t search(const struct made_run *made, const struct waits *waits,
		       enum sync_point_use sync_points, uint64_t blocks, uint64_t seed)
{
	uint64_t least = 0;

	for (size_t i = 0; i < DELTAS; i++) {
		const struct minimum_wait_options options = {deltas[i], sync_points};
		struct minimum_wait_found found;
		struct walk path;
		struct error err;

		MUST(minimum_wait_path(&path, waits, &options, dist_alone(), &found, &err));
		if (i && found.wait_ns != least)
			fail_msg("seed %lu: with delta %lu the minimum wait is %lu, not %lu", seed,
				 deltas[i], found.wait_ns, least);
		least = found.wait_ns;
		assert_int_equal(found.blocks, sync_points == SYNC_POINTS_OFF ? 1 : blocks);
		check_path(made, &path, least);
		walk_release(&path);
	}
	return least;
}

uint64_t methods_check(const struct made_run *made, const struct waits *waits, uint64_t seed,
		       uint64_t *sync_points_seen)
{
	struct program_graph graph;
	uint64_t least, sync_points = 0;
	struct error err;

	MUST(program_graph_build(&graph, waits, &err));
	check_no_cycle(&graph);
	check_sync_points(&graph, !made->run.violations.count, &sync_points);
	*sync_points_seen += sync_points;
	least = search(made, waits, SYNC_POINTS_OFF, sync_points + 1, seed);
	for (int use = SYNC_POINTS_AT_ONCE; use <= SYNC_POINTS_IN_TURN; use++) {
		const uint64_t by_sync_points = search(made, waits, (enum sync_point_use)use,
						       sync_points + 1, seed);

		if (by_sync_points != least)
			fail_msg(
				"seed %lu: by synchronization points the minimum wait is %lu, not %lu",
				seed, by_sync_points, least);
	}
	if (seed % EVERY == 0)
		dist_methods_check(made, waits, 1 + (uint32_t)(seed / EVERY % 7),
				   deltas[seed / EVERY % DELTAS], least);
	check_subgraphs(&graph, deltas[seed % DELTAS], least, seed);
	program_graph_release(&graph);
	return least;
}
