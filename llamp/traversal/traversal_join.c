#include "llamp/traversal/traversal_join.h"

#include "common/parallel/parallel.h"

#include <string.h>

/* Edges that are joined at a time, about. */
enum { ITEM_EDGES = 1 << 19 };

/* Runs from `first` on, up to those of the next item. */
struct join_item {
	size_t first;
	uint64_t edge_first;
	uint32_t vertex_first;
};

struct join {
	struct traversal_part *parts;
	uint32_t part_count;
	const struct traversal_runs *runs;
	ARRAY(struct join_item) items; /* and one at the end */
	uint32_t *shift; /* [number / RUN_STEP]: what its number is above that in the graph */
	uint32_t **expressions; /* [part][number in the part]: number in the graph, or 0 */
	uint64_t *wide_first;	/* [part]: its first wide edge in the graph */
	struct cost_writer *writer;
};

/* ----------------------------------------------------------------- expressions */

/* Find the expressions that edges of a part have. */
static int mark_expressions(void *shared, void *state, uint32_t part, struct error *err)
{
	const struct join *join = shared;
	const struct cost_writer *from = &join->parts[part].edges.writer;
	uint32_t *marks;

	(void)state;
	TRY(allocate(&marks, from->expressions.list.count, sizeof *marks, err));
	for (size_t i = 0; i < from->edges.list.count; i++) {
		const struct cost_edge edge = cost_edges_at(&from->edges, i);

		marks[cost_edge_expression(&edge)] = 1;
	}
	join->expressions[part] = marks;
	return 0;
}

/* Add the expressions of the edges of all parts to the graph. */
static int join_expressions(struct join *join, unsigned threads, struct error *err)
{
	const struct parallel_work work = {.make = mark_expressions, .shared = join};

	TRY(allocate(&join->expressions, join->part_count, sizeof *join->expressions, err));
	TRY(parallel_run(&work, join->part_count, threads, err));
	for (uint32_t part = 0; part < join->part_count; part++) {
		const struct cost_expressions *from = &join->parts[part].edges.writer.expressions;
		uint32_t *numbers = join->expressions[part];

		for (uint32_t i = 0; i < from->list.count; i++) {
			if (!numbers[i])
				continue;
			numbers[i] = cost_expressions_copy(&join->writer->expressions, from, i);
			if (numbers[i] == EXPRESSION_FAILED)
				return -1;
		}
	}
	return 0;
}

/* -------------------------------------------------------------------- vertices */

/* Number the vertices in the graph, and group the runs to items. */
static int plan(struct join *join, struct error *err)
{
	const struct traversal_run *last = &join->runs->list.items[join->runs->list.count - 1];
	const uint32_t numbers = last->first_number + last->vertex_count;
	struct join_item at = {0};
	uint64_t item_first = 0;

	TRY(allocate(&join->shift, numbers / RUN_STEP + 1, sizeof *join->shift, err));
	for (size_t i = 0; i < join->runs->list.count; i++) {
		const struct traversal_run *run = &join->runs->list.items[i];

		if (i == 0 || at.edge_first - item_first >= ITEM_EDGES) {
			at.first = i;
			item_first = at.edge_first;
			TRY(array_push(&join->items, at, err));
		}
		for (uint32_t k = 0; k < run->vertex_count; k += RUN_STEP)
			join->shift[(run->first_number + k) / RUN_STEP] = run->first_number -
									  at.vertex_first - 1;
		at.vertex_first += run->vertex_count;
		at.edge_first += run->edge_count;
	}
	at.first = join->runs->list.count;
	return array_push(&join->items, at, err);
}

/*
 * Write an edge at an index of the graph.  A wide edge has a place of its own there.  So only an
 * expression with a larger number than in the part makes an edge wide.
 */
static inline int join_edge(const struct join *join, uint32_t part, uint64_t packed,
			    const struct cost_edge *edge, uint64_t index, struct error *err)
{
	struct cost_edges *edges = &join->writer->edges;

	if (cost_packed_from_(packed) != COST_WIDE) {
		edges->list.items[index] = 0;
		return cost_edges_set(edges, index, edge, err);
	}
	edges->list.items[index] = packed + (join->wide_first[part] << COST_EXPRESSION_SHIFT);
	return cost_edges_set_wide_(edges, index, edge, err);
}

/* Write the vertices of a run and their edges, from `vertex` and from `index` on. */
static int join_run(const struct join *join, const struct traversal_run *run, uint32_t vertex,
		    uint64_t index, struct error *err)
{
	const struct cost_writer *from = &join->parts[run->part].edges.writer;
	const uint32_t *numbers = join->expressions[run->part];
	uint32_t own = run->first_number;

	for (uint64_t i = run->edge_first; i < run->edge_first + run->edge_count; i++) {
		struct cost_edge edge = cost_edges_at(&from->edges, i);
		const uint32_t last = edge.expression & COST_LAST_EDGE;

		/* Numbers in the graph are less by those that were left out. */
		if (edge.from)
			edge.from -= join->shift[own / RUN_STEP] -
				     join->shift[(own - edge.from) / RUN_STEP];
		edge.expression = numbers[cost_edge_expression(&edge)] | last;
		TRY(join_edge(join, run->part, from->edges.list.items[i], &edge, index++, err));
		own += last != 0;
	}
	if (!from->without_events)
		memcpy(join->writer->events.items + vertex, from->events.items + run->vertex_first,
		       run->vertex_count * sizeof *from->events.items);
	return 0;
}

/* Give back the memory of what was joined of a part, from one run to another. */
static void discard(struct cost_writer *writer, const struct traversal_run *first,
		    const struct traversal_run *last)
{
	array_discard(&writer->edges.list, first->edge_first, last->edge_first + last->edge_count);
	if (!writer->without_events)
		array_discard(&writer->events, first->vertex_first,
			      last->vertex_first + last->vertex_count);
}

/* Give back the memory of some runs. */
static void discard_runs(const struct join *join, const struct traversal_run *runs, size_t count)
{
	for (uint32_t part = 0; part < join->part_count; part++) {
		const struct traversal_run *first = NULL, *last = NULL;

		for (size_t i = 0; i < count; i++)
			if (runs[i].part == part) {
				first = first ? first : &runs[i];
				last = &runs[i];
			}
		if (first)
			discard(&join->parts[part].edges.writer, first, last);
	}
}

static int join_item(void *shared, void *state, uint32_t number, struct error *err)
{
	const struct join *join = shared;
	const struct join_item *item = &join->items.items[number];
	const struct traversal_run *runs = join->runs->list.items + item->first;
	const size_t count = item[1].first - item->first;
	uint64_t edge = item->edge_first;
	uint32_t vertex = item->vertex_first;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		TRY(join_run(join, &runs[i], vertex, edge, err));
		edge += runs[i].edge_count;
		vertex += runs[i].vertex_count;
	}
	discard_runs(join, runs, count);
	return 0;
}

/* Make room for the vertices and edges of all parts. */
static int make_room(struct join *join, struct error *err)
{
	const struct join_item *end = &join->items.items[join->items.count - 1];
	struct cost_writer *writer = join->writer;
	uint64_t wide = 0;

	TRY(array_reserve(&writer->edges.list, end->edge_first, err));
	writer->edges.list.count = end->edge_first;
	if (!writer->without_events)
		TRY(array_reserve(&writer->events, end->vertex_first, err));
	writer->vertex_count = end->vertex_first;
	TRY(allocate(&join->wide_first, join->part_count, sizeof *join->wide_first, err));
	for (uint32_t part = 0; part < join->part_count; part++) {
		join->wide_first[part] = wide;
		wide += join->parts[part].edges.writer.edges.wide.count;
	}
	TRY(array_reserve(&writer->edges.wide, wide, err));
	writer->edges.wide.count = wide;
	return 0;
}

static int join_all(struct join *join, unsigned threads, struct error *err)
{
	const struct parallel_work work = {.make = join_item, .shared = join};
	bool widens;

	TRY(join_expressions(join, threads, err));
	TRY(plan(join, err));
	TRY(make_room(join, err));
	/* An edge that becomes wide is added to a list of all threads. */
	widens = join->writer->expressions.list.count > UINT32_C(1) << COST_EXPRESSION_BITS;
	return parallel_run(&work, (uint32_t)join->items.count - 1, widens ? 1 : threads, err);
}

int traversal_join(struct cost_writer *writer, struct traversal_part *parts, uint32_t part_count,
		   const struct traversal_runs *runs, unsigned threads, struct error *err)
{
	struct join join = {.parts = parts,
			    .part_count = part_count,
			    .runs = runs,
			    .writer = writer};
	int result;

	TRY(cost_writer_init(writer, err));
	writer->without_events = parts[0].edges.writer.without_events;
	result = join_all(&join, threads, err);
	array_release(&join.items);
	free(join.shift);
	free(join.wide_first);
	for (uint32_t part = 0; join.expressions && part < part_count; part++)
		free(join.expressions[part]);
	free(join.expressions);
	if (result < 0)
		cost_writer_release(writer);
	return result;
}
