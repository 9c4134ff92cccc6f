#include "critpath/path/least_wait.h"

#include "common/min_heap.h"
#include "common/parallel.h"

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
static uint64_t wait_until(const struct search *search, uint32_t vertex)
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
		const uint64_t sum = wait_until(search, vertex) + edge->wait_ns;

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
		if (interval_of(search, wait_until(search, vertex)) != interval)
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

struct writer {
	const struct program_graph *graph;
	struct walk *walk;
	uint64_t at_ns; /* up to where segments are written */
	struct error *err;
};

/* Add a segment up to a time.  One in a call may be unknown. */
static int go_on_to(struct writer *writer, uint64_t to_ns, uint32_t rank, uint32_t call,
		    enum walk_category category)
{
	struct walk *walk = writer->walk;
	const struct waits *waits = writer->graph->waits;
	const uint64_t begin_ns = waits->run->begin_ns;
	enum unknown_reason reason = UNKNOWN_CLOCKS;
	struct walk_segment segment = {
		.start_ns = writer->at_ns - begin_ns,
		.end_ns = to_ns - begin_ns,
		.rank = rank,
		.call = call,
		.function = call == NO_CALL ? 0
					    : waits->run->ranks[rank].calls.items[call].function,
	};

	if (to_ns <= writer->at_ns)
		return 0;
	if (category == WALK_CALL)
		category = walk_category_of(waits, rank, call, &reason);
	segment.category = (uint8_t)category;
	segment.reason = category == WALK_UNKNOWN ? (uint8_t)reason : 0;
	writer->at_ns = to_ns;
	return array_push(&walk->segments, segment, writer->err);
}

/* Add what is between the begin of the run, or the end of a call, and a vertex. */
static int write_program(struct writer *writer, const struct program_vertex *from,
			 const struct program_vertex *to)
{
	const struct measured_run *run = writer->graph->waits->run;

	if (from->call == NO_CALL)
		TRY(go_on_to(writer, run->ranks[to->rank].begin_ns, to->rank, NO_CALL, WALK_START));
	return go_on_to(writer, to->at_ns, to->rank, to->call, WALK_COMPUTE);
}

/* Add the computation after the last call of a rank, and the time until the run ends. */
static int write_end(struct writer *writer, const struct program_vertex *from)
{
	const struct measured_run *run = writer->graph->waits->run;
	const struct measured_rank *rank = &run->ranks[from->rank];
	uint32_t next = from->call + 1;

	while (next < rank->calls.count &&
	       rank->calls.items[next].thread != rank->calls.items[from->call].thread)
		next++;
	if (next == rank->calls.count)
		next = NO_CALL;
	TRY(go_on_to(writer, next == NO_CALL ? from->at_ns : rank->end_ns, from->rank, next,
		     WALK_COMPUTE));
	return go_on_to(writer, run->end_ns, from->rank, next, WALK_UNKNOWN);
}

static int write_step(struct writer *writer, uint32_t from_vertex, uint32_t to_vertex)
{
	const struct program_graph *graph = writer->graph;
	const struct program_vertex from = program_vertex_of(graph, from_vertex);
	const struct program_vertex to = program_vertex_of(graph, to_vertex);
	const bool from_end = from_vertex == graph->source || from.end;

	if (to_vertex == graph->sink)
		return write_end(writer, &from);
	if (to.call == NO_CALL)
		return go_on_to(writer, to.at_ns, from.rank, from.call, WALK_UNKNOWN);
	if (from_end && !to.end)
		return write_program(writer, &from, &to);
	/* A call, or a message: until the call begins, or while it waits, nothing is done. */
	if (from.call == NO_CALL || from.rank != to.rank || from.call != to.call)
		TRY(go_on_to(writer,
			     graph->waits->run->ranks[to.rank].calls.items[to.call].enter_ns,
			     to.rank, to.call, WALK_UNKNOWN));
	else
		TRY(go_on_to(writer, from.at_ns + wait_ns(graph->waits, to.rank, to.call), to.rank,
			     to.call, WALK_UNKNOWN));
	return go_on_to(writer, to.at_ns, to.rank, to.call, WALK_CALL);
}

int least_wait_segments(struct walk *walk, const struct least_wait *path,
			const struct program_graph *graph, struct error *err)
{
	const struct measured_run *run = graph->waits->run;
	struct writer writer = {.graph = graph, .walk = walk, .at_ns = run->begin_ns, .err = err};

	*walk = (struct walk){.length_ns = run->end_ns - run->begin_ns};
	for (size_t i = 0; i + 1 < path->vertices.count; i++) {
		if (write_step(&writer, path->vertices.items[i], path->vertices.items[i + 1]) == 0)
			continue;
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
