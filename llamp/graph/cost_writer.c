#include "llamp/graph/cost_writer.h"

#include "common/parallel/parallel.h"
#include "llamp/graph/common_divisor.h"

#include <string.h>

/* Slot of a vertex without a slot. */
#define NO_SLOT UINT32_MAX

enum { MOST_VERTICES = INT32_MAX - 1 };

int cost_writer_init(struct cost_writer *writer, struct error *err)
{
	*writer = (struct cost_writer){0};
	return cost_expressions_init(&writer->expressions, err);
}

void cost_writer_release(struct cost_writer *writer)
{
	cost_edges_release(&writer->edges);
	array_release(&writer->events);
	cost_expressions_release(&writer->expressions);
}

int cost_writer_vertex(struct cost_writer *writer, uint32_t event, struct error *err)
{
	if (writer->vertex_count == MOST_VERTICES)
		return error_set(err, STATUS_LIMIT, "the cost graph has more than %d vertices",
				 MOST_VERTICES);
	cost_edges_end_vertex(&writer->edges);
	writer->vertex_count++;
	return writer->without_events ? 0 : array_push(&writer->events, event, err);
}

/* -------------------------------------------------------------------- visits */

/* Vertices that are visited in one go. */
enum { CHUNK = 1 << 14 };

/* Variables whose coefficients are visited together, in one vector of the processor. */
enum { BLOCK = 4 };

/* Coefficients of the variables of a block. */
struct dense_expression {
	double of[BLOCK];
};

/* Longest paths, each by one coefficient alone. */
struct paths {
	struct dense_expression terms;
	double ns;
};

/*
 * Two visits of all vertices and their in-edges, from the last vertex to the first.  The first
 * visit gives slots, the second finds bounds.  The second visit runs in another thread, a chunk
 * or more behind the first.
 */
struct visits {
	struct cost_graph *graph;
	/* Of the first visit: */
	uint64_t edges;		    /* not visited yet */
	uint32_t taken, most_taken; /* slots */
	/* Stack of slots.  The first `taken` are in use.  The slot that was freed last is next. */
	ARRAY(uint32_t) free_slots;
	/* Of the second visit: */
	struct dense_expression *expressions;
	ARRAY(struct paths) paths; /* [slot]: from its vertex on; 0 if it has no vertex */
};

/* Result of the first visit of a chunk, for the second. */
struct chunk {
	uint64_t first_edge; /* of the chunk */
	uint64_t edges;	     /* up to the last one of the chunk */
	uint32_t slots;	     /* in use so far, with that of the beginning */
};

/* Number of vertices up to the last one of a chunk. */
static uint32_t chunk_end(const struct visits *visits, uint32_t item)
{
	const uint64_t later = (uint64_t)item * CHUNK;

	return later < visits->graph->vertex_count ? visits->graph->vertex_count - (uint32_t)later
						   : 0;
}

/* Whether an edge is the first in-edge of its vertex. */
static inline bool is_first(const struct cost_graph *graph, uint64_t edge)
{
	return edge == 0 || cost_graph_is_last(graph, edge - 1);
}

/* --------------------------------------------------------------------- slots */

static int add_slots(struct visits *visits, struct error *err)
{
	TRY(array_reserve(&visits->free_slots, 1, err));
	for (size_t i = visits->free_slots.count; i < visits->free_slots.capacity; i++)
		visits->free_slots.items[i] = (uint32_t)i + 1;
	visits->free_slots.count = visits->free_slots.capacity;
	return 0;
}

/* Set *slot to a free slot unless it is one.  A branch would be mispredicted. */
static inline int take_slot(struct visits *visits, uint32_t *slot, uint32_t *taken,
			    struct error *err)
{
	const uint32_t known = *slot;
	uint32_t next;

	if (*taken == visits->free_slots.count)
		TRY(add_slots(visits, err));
	next = visits->free_slots.items[*taken];
	*slot = known == NO_SLOT ? next : known;
	*taken += known == NO_SLOT;
	return 0;
}

/* Give slots.  A vertex has one from the last edge out of it back to its first in-edge. */
static int give_slots(void *shared, void *state, uint32_t item, struct error *err)
{
	struct visits *visits = shared;
	struct chunk *chunk = state;
	struct cost_graph *graph = visits->graph;
	uint32_t *slots = graph->slots;
	uint32_t beginning = 0, taken = visits->taken, most_taken = visits->most_taken;
	const uint32_t end = chunk_end(visits, item + 1);
	uint64_t i = visits->edges;

	chunk->edges = i;
	for (uint32_t v = chunk_end(visits, item); v-- > end;) {
		uint32_t *own = &slots[v];

		/* The last vertex has no edge out of it. */
		if (*own == NO_SLOT)
			TRY(take_slot(visits, own, &taken, err));
		do {
			const uint32_t back = cost_graph_edge(graph, --i).from;
			uint32_t *slot = back ? &slots[v - back] : &beginning;

			TRY(take_slot(visits, slot, &taken, err));
			TRY(cost_edges_set_from(&graph->edges, i, *slot, err));
		} while (!is_first(graph, i));
		most_taken = taken > most_taken ? taken : most_taken;
		visits->free_slots.items[--taken] = *own;
	}
	visits->edges = chunk->first_edge = i;
	visits->taken = taken;
	visits->most_taken = most_taken;
	chunk->slots = most_taken + 1;
	return 0;
}

/* -------------------------------------------------------------------- bounds */

/* Set the coefficients of the variables from `block` on. */
static void convert_expressions(struct visits *visits, uint32_t block)
{
	const struct cost_expressions *expressions = &visits->graph->expressions;

	memset(visits->expressions, 0, expressions->list.count * sizeof *visits->expressions);
	for (uint32_t i = 0; i < expressions->list.count; i++) {
		uint32_t count;
		const struct cost_term *terms = cost_terms(expressions, i, &count);

		for (uint32_t k = 0; k < count; k++)
			if (terms[k].variable - block < BLOCK)
				visits->expressions[i].of[terms[k].variable - block] =
					(double)terms[k].coefficient;
	}
}

static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Extend the paths of `rest` by an edge before them, and keep the longer paths. */
static inline void lengthen(struct paths *paths, const struct dense_expression *expression,
			    double ns, const struct paths *rest)
{
	struct dense_expression sum;

	for (int term = 0; term < BLOCK; term++)
		sum.of[term] = expression->of[term] + rest->terms.of[term];
	for (int term = 0; term < BLOCK; term++)
		paths->terms.of[term] = larger(sum.of[term], paths->terms.of[term]);
	paths->ns = larger(ns + rest->ns, paths->ns);
}

static int add_paths(struct visits *visits, uint32_t slots, struct error *err)
{
	TRY(array_reserve(&visits->paths, slots - visits->paths.count, err));
	while (visits->paths.count < slots)
		visits->paths.items[visits->paths.count++] = (struct paths){0};
	return 0;
}

/*
 * Find the longest paths that begin at the vertices from `begin` - 1 down to `end`.  Their edges are
 * those from `first` up to `edges`.  Edges before them are not read: the first visit may write
 * them.  Afterwards slot 0 has the longest paths of all.
 */
static void find_paths(struct visits *visits, uint32_t begin, uint32_t end, uint64_t first,
		       uint64_t edges)
{
	const struct cost_graph *graph = visits->graph;
	const struct dense_expression *expressions = visits->expressions;
	uint64_t i = edges, most_ns = visits->graph->most_edge_ns;
	struct paths *paths = visits->paths.items;

	for (uint32_t v = begin; v-- > end;) {
		struct paths *own = &paths[graph->slots[v]];
		const struct paths rest = *own;

		*own = (struct paths){0};
		do {
			const struct cost_edge edge = cost_graph_edge(graph, --i);

			lengthen(&paths[edge.from], &expressions[cost_edge_expression(&edge)],
				 (double)edge.ns, &rest);
			most_ns = edge.ns > most_ns ? edge.ns : most_ns;
		} while (i > first && !is_first(graph, i));
	}
	visits->graph->most_edge_ns = most_ns;
}

static int find_paths_of_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	struct visits *visits = shared;
	const struct chunk *chunk = state;

	TRY(add_paths(visits, chunk->slots, err));
	find_paths(visits, chunk_end(visits, item), chunk_end(visits, item + 1), chunk->first_edge,
		   chunk->edges);
	return 0;
}

/* Set the bounds of the variables from `block` on. */
static void set_bounds(struct cost_graph *graph, uint32_t block, const struct paths *longest)
{
	/* Rounding in sums of up to 2^31 terms loses less than this. */
	const double margin = 1 + 1e-6;

	for (uint32_t i = 0; i < BLOCK && block + i < graph->variable_count; i++)
		graph->most.of[block + i] = longest->terms.of[i] * margin;
	graph->most.ns = longest->ns * margin;
}

/* Visit the blocks of variables after the first, which was visited with the slots. */
static void find_more_bounds(struct visits *visits)
{
	struct cost_graph *graph = visits->graph;

	for (uint32_t block = BLOCK; block < graph->variable_count; block += BLOCK) {
		convert_expressions(visits, block);
		visits->paths.items[0] = (struct paths){0};
		find_paths(visits, graph->vertex_count, 0, 0, graph->edge_count);
		set_bounds(graph, block, &visits->paths.items[0]);
	}
}

/* -------------------------------------------------------------------- finish */

/* Keep the expressions with a number above 0, in their order, and set their new numbers. */
static void keep_expressions(struct cost_expressions *expressions, uint32_t *numbers)
{
	uint32_t kept = 0, terms = 0;

	for (uint32_t i = 0; i < expressions->list.count; i++) {
		const struct cost_expression known = expressions->list.items[i];

		if (!numbers[i])
			continue;
		for (uint32_t k = 0; k < known.count; k++)
			expressions->terms.items[terms + k] =
				expressions->terms.items[known.first + k];
		expressions->list.items[kept] = (struct cost_expression){terms, known.count};
		numbers[i] = kept++;
		terms += known.count;
	}
	expressions->list.count = kept;
	expressions->terms.count = terms;
}

/*
 * Drop expressions that no edge has, such as those of the prefixes of a chain.  A pass over the
 * graph weighs all expressions, but fewer than edges take little of its time.
 */
static int drop_expressions(struct cost_graph *graph, struct error *err)
{
	uint32_t *numbers;
	int result = 0;

	if (graph->expressions.list.count <= graph->edge_count)
		return 0;
	TRY(allocate(&numbers, graph->expressions.list.count, sizeof *numbers, err));
	numbers[EXPRESSION_NONE] = 1;
	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const struct cost_edge edge = cost_graph_edge(graph, i);

		numbers[cost_edge_expression(&edge)] = 1;
	}
	keep_expressions(&graph->expressions, numbers);
	for (uint64_t i = 0; i < graph->edge_count && result == 0; i++) {
		struct cost_edge edge = cost_graph_edge(graph, i);

		edge.expression = numbers[cost_edge_expression(&edge)] |
				  (edge.expression & COST_LAST_EDGE);
		result = cost_edges_set(&graph->edges, i, &edge, err);
	}
	free(numbers);
	return result;
}

static void find_units(struct cost_graph *graph)
{
	for (size_t i = 0; i < graph->expressions.terms.count; i++) {
		const struct cost_term *term = &graph->expressions.terms.items[i];
		uint64_t *unit = &graph->coefficient_unit[term->variable];

		*unit = (uint64_t)common_divisor(term->coefficient, *unit);
		if (term->variable >= graph->variable_count)
			graph->variable_count = term->variable + 1;
	}
}

/*
 * Number of threads that visit the vertices.  An edge becomes wide if its slot does not fit, and then
 * nobody else may read edges.  But the value of an edge from near is in use for COST_NEAR vertices
 * at most, so that slots fit unless there are many wide edges.
 */
static unsigned visit_threads(const struct cost_graph *graph)
{
	const bool fits = graph->edges.wide.count < COST_WIDE - COST_NEAR - 2;

	return fits && parallel_threads(graph->edge_count) > 1 ? 2 : 1;
}

static int visit_vertices(struct cost_graph *graph, struct error *err)
{
	struct visits visits = {.graph = graph, .edges = graph->edge_count};
	const struct parallel_work work = {
		.line_up = give_slots,
		.take = find_paths_of_chunk,
		.shared = &visits,
		.state_bytes = sizeof(struct chunk),
	};
	const uint32_t chunks = (graph->vertex_count - 1) / CHUNK + 1;
	int result;

	TRY(allocate(&graph->slots, graph->vertex_count, sizeof *graph->slots, err));
	memset(graph->slots, 0xff, graph->vertex_count * sizeof *graph->slots);
	TRY(allocate(&visits.expressions, graph->expressions.list.count, sizeof *visits.expressions,
		     err));
	convert_expressions(&visits, 0);
	result = parallel_run(&work, chunks, visit_threads(graph), err);
	if (result == 0) {
		graph->slot_count = visits.most_taken + 1;
		set_bounds(graph, 0, &visits.paths.items[0]);
		find_more_bounds(&visits);
	}
	free(visits.expressions);
	array_release(&visits.free_slots);
	array_release(&visits.paths);
	return result;
}

int cost_writer_finish(struct cost_writer *writer, struct cost_graph *graph, struct error *err)
{
	*graph = (struct cost_graph){
		.vertex_count = writer->vertex_count,
		.edge_count = writer->edges.list.count,
		.edges = writer->edges,
		.events = writer->events.items,
		.expressions = writer->expressions,
	};
	*writer = (struct cost_writer){0};
	cost_expressions_finish(&graph->expressions);
	if (drop_expressions(graph, err) == 0) {
		find_units(graph);
		if (visit_vertices(graph, err) == 0)
			return 0;
	}
	cost_graph_release(graph);
	return -1;
}
