#include "critpath/path/least_wait.h"

#include "common/min_heap.h"
#include "common/parallel.h"
#include "critpath/path/path_writer.h"

#include <string.h>

#define UNREACHED UINT64_MAX

/* What all searches in a graph share. */
struct distances {
	const struct program_graph *graph;
	const struct splits *splits; /* NULL: there is one search, of the whole graph */
	uint64_t *wait_ns;	     /* [vertex]: least known, from the source of its search */
	uint32_t *before;	     /* [vertex]: on its path */
	uint64_t delta_ns;
	uint64_t *steps; /* [part]: edges that were looked at */
};

/* A search in a part of the graph. */
struct search {
	const struct distances *distances;
	uint32_t part, source;
	uint64_t steps;
	struct min_heap open; /* vertices by their interval of delta */
	struct error *err;
};

static uint64_t interval_of(const struct search *search, uint64_t wait_ns)
{
	const uint64_t delta_ns = search->distances->delta_ns;

	return delta_ns ? wait_ns / delta_ns : wait_ns;
}

/* Least known wait of a vertex.  A source has another one, in the part that it ends. */
static uint64_t wait_known(const struct search *search, uint32_t vertex)
{
	return vertex == search->source ? 0 : search->distances->wait_ns[vertex];
}

static bool is_elsewhere(const struct search *search, uint32_t vertex)
{
	const struct splits *splits = search->distances->splits;

	return splits && splits->part_of[vertex] != search->part;
}

/* Look at the edges of a vertex: the light ones, with a wait of up to delta, or the others. */
static int relax(struct search *search, uint32_t vertex, bool light)
{
	const struct distances *distances = search->distances;
	const struct program_graph *graph = distances->graph;

	for (uint64_t i = graph->first_edge[vertex]; i < graph->first_edge[vertex + 1]; i++) {
		const struct program_edge *edge = &graph->edges[i];
		const uint64_t sum = wait_known(search, vertex) + edge->wait_ns;

		if ((edge->wait_ns <= distances->delta_ns) != light ||
		    is_elsewhere(search, edge->to))
			continue;
		search->steps++;
		if (sum >= distances->wait_ns[edge->to])
			continue;
		distances->wait_ns[edge->to] = sum;
		distances->before[edge->to] = vertex;
		TRY(min_heap_push(&search->open, interval_of(search, sum), edge->to, search->err));
	}
	return 0;
}

/* Vertices of an interval that have been taken, whose other edges are still to be looked at. */
struct taken {
	ARRAY(uint32_t) list;
};

static int empty_interval(struct search *search, uint64_t interval, struct taken *taken)
{
	taken->list.count = 0;
	while (search->open.entries.count && search->open.entries.items[0].key == interval) {
		const uint32_t vertex = min_heap_pop(&search->open);

		/* It may have come nearer since it was added. */
		if (interval_of(search, wait_known(search, vertex)) != interval)
			continue;
		TRY(array_push(&taken->list, vertex, search->err));
		TRY(relax(search, vertex, true));
	}
	for (size_t i = 0; i < taken->list.count; i++)
		TRY(relax(search, taken->list.items[i], false));
	return 0;
}

static int run_search(struct search *search)
{
	struct taken taken = {0};
	int result = min_heap_push(&search->open, 0, search->source, search->err);

	while (result == 0 && search->open.entries.count)
		result = empty_interval(search, search->open.entries.items[0].key, &taken);
	array_release(&taken.list);
	min_heap_release(&search->open);
	return result;
}

/* Search a part: from the source of the graph, or from the split before the part. */
static int search_part(void *shared, void *state, uint32_t part, struct error *err)
{
	const struct distances *distances = shared;
	struct search search = {
		.distances = distances,
		.part = part,
		.source = part ? distances->splits->hubs.items[part - 1] : distances->graph->source,
		.err = err,
	};

	(void)state;
	TRY(run_search(&search));
	distances->steps[part] = search.steps;
	return 0;
}

/* List the vertices back from the sink, and add up the waits of the parts. */
static int list_path(struct least_wait *path, const struct distances *distances, uint32_t part,
		     struct error *err)
{
	const struct program_graph *graph = distances->graph;
	uint32_t vertex = graph->sink, end = vertex;

	for (;;) {
		TRY(array_push(&path->vertices, vertex, err));
		if (vertex == graph->source)
			return 0;
		if (vertex == end) {
			if (distances->wait_ns[vertex] == UNREACHED)
				return error_set(err, STATUS_DATA,
						 "no path leads to the end of the run");
			path->wait_ns += distances->wait_ns[vertex];
			path->steps += distances->steps[part];
			end = part ? distances->splits->hubs.items[--part] : graph->source;
		}
		vertex = distances->before[vertex];
	}
}

static void reverse(struct least_wait *path)
{
	for (size_t i = 0, k = path->vertices.count; i + 1 < k; i++, k--) {
		const uint32_t other = path->vertices.items[i];

		path->vertices.items[i] = path->vertices.items[k - 1];
		path->vertices.items[k - 1] = other;
	}
}

static int search_all(struct least_wait *path, struct distances *distances, unsigned threads,
		      struct error *err)
{
	const struct parallel_work work = {.make = search_part, .shared = distances};
	const uint32_t parts = distances->splits ? (uint32_t)distances->splits->hubs.count + 1 : 1;
	const uint32_t vertices = distances->graph->vertex_count;

	TRY(allocate(&distances->wait_ns, vertices, sizeof *distances->wait_ns, err));
	TRY(allocate(&distances->before, vertices, sizeof *distances->before, err));
	TRY(allocate(&distances->steps, parts, sizeof *distances->steps, err));
	memset(distances->wait_ns, 0xff, vertices * sizeof *distances->wait_ns);
	TRY(parallel_run(&work, parts, threads, err));
	TRY(list_path(path, distances, parts - 1, err));
	reverse(path);
	return 0;
}

static int find_path(struct least_wait *path, struct distances *distances, unsigned threads,
		     struct error *err)
{
	int result;

	*path = (struct least_wait){0};
	result = search_all(path, distances, threads, err);
	free(distances->wait_ns);
	free(distances->before);
	free(distances->steps);
	if (result < 0)
		least_wait_release(path);
	return result;
}

int least_wait_by_splits(struct least_wait *path, const struct splits *splits, uint64_t delta_ns,
			 unsigned threads, struct error *err)
{
	struct distances distances = {.graph = splits->graph,
				      .splits = splits,
				      .delta_ns = delta_ns};

	return find_path(path, &distances, threads, err);
}

int least_wait_delta(struct least_wait *path, const struct program_graph *graph, uint64_t delta_ns,
		     struct error *err)
{
	struct distances distances = {.graph = graph, .delta_ns = delta_ns};

	return find_path(path, &distances, 1, err);
}

int least_wait_dijkstra(struct least_wait *path, const struct program_graph *graph,
			struct error *err)
{
	return least_wait_delta(path, graph, 0, err);
}

/* -------------------------------------------------------------------- segments */

static int write_vertices(struct path_writer *writer, const struct least_wait *path,
			  const struct program_graph *graph)
{
	path_writer_begin(writer);
	for (size_t i = 1; i + 1 < path->vertices.count; i++) {
		const struct program_vertex to = program_vertex_of(graph, path->vertices.items[i]);

		TRY(path_write_to(writer, &to));
	}
	return path_write_end(writer);
}

int least_wait_segments(struct walk *walk, const struct least_wait *path,
			const struct program_graph *graph, struct error *err)
{
	const struct measured_run *run = graph->waits->run;
	struct path_writer writer = {.walk = walk, .waits = graph->waits, .err = err};

	*walk = (struct walk){.length_ns = run->end_ns - run->begin_ns};
	if (write_vertices(&writer, path, graph) < 0) {
		walk_release(walk);
		return -1;
	}
	walk_add_up(walk);
	return 0;
}

void least_wait_release(struct least_wait *path)
{
	array_release(&path->vertices);
}
