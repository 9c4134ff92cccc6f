#include "test/unit/lib/check/minimum_wait_parts.h"

#include "critpath/graph/subgraph_search.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/must.h"

enum { MOST_PARTS = 8 };

struct parts {
	uint32_t count;
	dist_vertex first[MOST_PARTS + 1];
	struct subgraph of[MOST_PARTS];
	struct minimum_wait_search searches[MOST_PARTS];
};

static int compare(const void *a, const void *b)
{
	const dist_vertex x = *(const dist_vertex *)a, y = *(const dist_vertex *)b;

	return x < y ? -1 : x > y;
}

/* Give each part the edges into its vertices. */
static void begin(struct parts *parts, const struct program_graph *graph, uint64_t delta_ns)
{
	ARRAY(struct dist_raw_edge) edges = {0};
	struct error err;

	for (uint32_t p = 0; p < parts->count; p++) {
		struct subgraph *part = &parts->of[p];

		edges.count = 0;
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			for (uint64_t e = graph->first_edge[v]; e < graph->first_edge[v + 1]; e++) {
				const struct dist_raw_edge edge = {
					.from = v,
					.to = graph->edges[e].to,
					.wait_ns = graph->edges[e].wait_ns,
				};

				if (edge.to >= parts->first[p] && edge.to < parts->first[p + 1])
					MUST(array_push(&edges, edge, &err));
			}
		part->number = p;
		part->count = parts->count;
		part->first = parts->first;
		part->delta_ns = delta_ns;
		MUST(subgraph_begin(part, edges.items, edges.count, &err));
		parts->searches[p].subgraph = part;
		parts->searches[p].out = calloc(parts->count, sizeof *parts->searches[p].out);
		assert_non_null(parts->searches[p].out);
		if (minimum_wait_owns(part, graph->sink))
			MUST(minimum_wait_start(&parts->searches[p], graph->sink, &err));
	}
	array_release(&edges);
}

static void exchange(struct parts *parts)
{
	struct error err;

	for (uint32_t from = 0; from < parts->count; from++)
		for (uint32_t to = 0; to < parts->count; to++) {
			struct minimum_wait_steps *steps = &parts->searches[from].out[to];

			MUST(minimum_wait_take(&parts->searches[to], steps->list.items,
					       steps->list.count, &err));
			steps->list.count = 0;
		}
}

static uint64_t first_interval(struct parts *parts)
{
	uint64_t least = DIST_UNREACHED;

	for (uint32_t p = 0; p < parts->count; p++) {
		const uint64_t interval = minimum_wait_interval(&parts->searches[p]);

		least = interval < least ? interval : least;
	}
	return least;
}

static void search(struct parts *parts)
{
	uint64_t interval;
	struct error err;

	while ((interval = first_interval(parts)) != DIST_UNREACHED) {
		do {
			for (uint32_t p = 0; p < parts->count; p++)
				MUST(minimum_wait_go(&parts->searches[p], interval, &err));
			exchange(parts);
		} while (first_interval(parts) == interval);
		for (uint32_t p = 0; p < parts->count; p++)
			MUST(minimum_wait_finish(&parts->searches[p], &err));
		exchange(parts);
	}
}

static const struct subgraph *owner(const struct parts *parts, dist_vertex vertex, uint32_t *own)
{
	const struct subgraph *part =
		&parts->of[dist_vertex_range(parts->first, parts->count, vertex)];

	*own = (uint32_t)(vertex - part->first[part->number]);
	return part;
}

/* Add up the waits of the edges on the path from source to sink. */
static uint64_t follow(const struct parts *parts, const struct program_graph *graph)
{
	dist_vertex at = graph->source;
	uint64_t wait_ns = 0;

	for (uint32_t steps = 0; at != graph->sink; steps++) {
		uint64_t least = UINT64_MAX;
		uint32_t own;
		const struct subgraph *part = owner(parts, at, &own);
		const dist_vertex next = dist_next_vertex(part->next[own]);

		assert_true(steps < graph->vertex_count);
		for (uint64_t e = graph->first_edge[at]; e < graph->first_edge[at + 1]; e++)
			if (graph->edges[e].to == next && graph->edges[e].wait_ns < least)
				least = graph->edges[e].wait_ns;
		assert_true(least != UINT64_MAX);
		wait_ns += least;
		at = next;
	}
	return wait_ns;
}

uint64_t minimum_wait_by_parts(const struct program_graph *graph, uint32_t part_count,
			       uint64_t delta_ns, uint64_t *numbers)
{
	struct parts parts = {.count = part_count};
	uint64_t found;
	uint32_t own;

	for (uint32_t p = 1; p < part_count; p++)
		parts.first[p] = random_below(numbers, graph->vertex_count + 1);
	parts.first[part_count] = graph->vertex_count;
	qsort(parts.first, part_count, sizeof *parts.first, compare);
	begin(&parts, graph, delta_ns);
	search(&parts);
	found = owner(&parts, graph->source, &own)->wait_ns[own];
	assert_int_equal(follow(&parts, graph), found);
	for (uint32_t p = 0; p < part_count; p++) {
		minimum_wait_search_release(&parts.searches[p]);
		subgraph_release(&parts.of[p]);
	}
	return found;
}
