#include "test/unit/lib/check/minimum_wait_subgraphs.h"

#include "common/ranges.h"
#include "critpath/graph/subgraph_search.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/must.h"

enum { MOST_SUBGRAPHS = 8 };

struct subgraphs {
	uint32_t count;
	dist_vertex first[MOST_SUBGRAPHS + 1];
	struct subgraph of[MOST_SUBGRAPHS];
	struct minimum_wait_search searches[MOST_SUBGRAPHS];
};

static int compare(const void *a, const void *b)
{
	const dist_vertex x = *(const dist_vertex *)a, y = *(const dist_vertex *)b;

	return x < y ? -1 : x > y;
}

/* Give each subgraph the edges into its vertices. */
static void begin(struct subgraphs *subgraphs, const struct program_graph *graph, uint64_t delta_ns)
{
	ARRAY(struct dist_raw_edge) edges = {0};
	struct error err;

	for (uint32_t p = 0; p < subgraphs->count; p++) {
		struct subgraph *subgraph = &subgraphs->of[p];

		edges.count = 0;
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			for (uint64_t e = graph->first_edge[v]; e < graph->first_edge[v + 1]; e++) {
				const struct dist_raw_edge edge = {
					.from = v,
					.to = graph->edges[e].to,
					.wait_ns = graph->edges[e].wait_ns,
				};

				if (edge.to >= subgraphs->first[p] &&
				    edge.to < subgraphs->first[p + 1])
					MUST(array_push(&edges, edge, &err));
			}
		subgraph->number = p;
		subgraph->count = subgraphs->count;
		subgraph->first = subgraphs->first;
		subgraph->delta_ns = delta_ns;
		MUST(subgraph_begin(subgraph, edges.items, edges.count, &err));
		subgraphs->searches[p].subgraph = subgraph;
		subgraphs->searches[p].out = calloc(subgraphs->count,
						    sizeof *subgraphs->searches[p].out);
		assert_non_null(subgraphs->searches[p].out);
		if (minimum_wait_owns(subgraph, graph->sink))
			MUST(minimum_wait_start(&subgraphs->searches[p], graph->sink, &err));
	}
	array_release(&edges);
}

static void exchange(struct subgraphs *subgraphs)
{
	struct error err;

	for (uint32_t from = 0; from < subgraphs->count; from++)
		for (uint32_t to = 0; to < subgraphs->count; to++) {
			struct minimum_wait_steps *steps = &subgraphs->searches[from].out[to];

			MUST(minimum_wait_take(&subgraphs->searches[to], steps->list.items,
					       steps->list.count, &err));
			steps->list.count = 0;
		}
}

static uint64_t first_interval(struct subgraphs *subgraphs)
{
	uint64_t least = DIST_UNREACHED;

	for (uint32_t p = 0; p < subgraphs->count; p++) {
		const uint64_t interval = minimum_wait_interval(&subgraphs->searches[p]);

		least = interval < least ? interval : least;
	}
	return least;
}

static void search(struct subgraphs *subgraphs)
{
	uint64_t interval;
	struct error err;

	while ((interval = first_interval(subgraphs)) != DIST_UNREACHED) {
		do {
			for (uint32_t p = 0; p < subgraphs->count; p++)
				MUST(minimum_wait_go(&subgraphs->searches[p], interval, &err));
			exchange(subgraphs);
		} while (first_interval(subgraphs) == interval);
		for (uint32_t p = 0; p < subgraphs->count; p++)
			MUST(minimum_wait_finish(&subgraphs->searches[p], &err));
		exchange(subgraphs);
	}
}

static const struct subgraph *owner(const struct subgraphs *subgraphs, dist_vertex vertex,
				    uint32_t *own)
{
	const struct subgraph *subgraph =
		&subgraphs->of[range_of(subgraphs->first, subgraphs->count, vertex)];

	*own = (uint32_t)(vertex - subgraph->first[subgraph->number]);
	return subgraph;
}

/* Add up the waits of the edges on the path from source to sink. */
static uint64_t follow(const struct subgraphs *subgraphs, const struct program_graph *graph)
{
	dist_vertex at = graph->source;
	uint64_t wait_ns = 0;

	for (uint32_t steps = 0; at != graph->sink; steps++) {
		uint64_t least = UINT64_MAX;
		uint32_t own;
		const struct subgraph *subgraph = owner(subgraphs, at, &own);
		const dist_vertex next = dist_next_vertex(subgraph->next[own]);

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

uint64_t minimum_wait_by_subgraphs(const struct program_graph *graph, uint32_t count,
				   uint64_t delta_ns, uint64_t *numbers)
{
	struct subgraphs subgraphs = {.count = count};
	uint64_t found;
	uint32_t own;

	for (uint32_t p = 1; p < count; p++)
		subgraphs.first[p] = random_below(numbers, graph->vertex_count + 1);
	subgraphs.first[count] = graph->vertex_count;
	qsort(subgraphs.first, count, sizeof *subgraphs.first, compare);
	begin(&subgraphs, graph, delta_ns);
	search(&subgraphs);
	found = owner(&subgraphs, graph->source, &own)->wait_ns[own];
	assert_int_equal(follow(&subgraphs, graph), found);
	for (uint32_t p = 0; p < count; p++) {
		minimum_wait_search_release(&subgraphs.searches[p]);
		subgraph_release(&subgraphs.of[p]);
	}
	return found;
}
