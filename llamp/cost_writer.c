#include "llamp/common_divisor.h"
#include "llamp/cost_graph.h"

#include <inttypes.h>

/* On an edge's `from` while slots are given: no edge further on comes from there. */
#define LAST_USE (UINT32_C(1) << 31)

int cost_writer_init(struct cost_writer *writer, struct error *err)
{
	*writer = (struct cost_writer){0};
	return cost_forms_init(&writer->forms, err);
}

void cost_writer_release(struct cost_writer *writer)
{
	array_release(&writer->edges);
	array_release(&writer->vertices);
	cost_forms_release(&writer->forms);
}

int cost_writer_edge(struct cost_writer *writer, uint32_t from, uint64_t ns, uint32_t form,
		     struct error *err)
{
	return array_push(&writer->edges, ((struct cost_edge){ns, from, form}), err);
}

int cost_writer_vertex(struct cost_writer *writer, uint32_t instant, struct error *err)
{
	if (writer->vertices.count == LAST_USE - 2)
		return error_set(err, STATUS_LIMIT, "the cost graph has more than %" PRIu32
				 " vertices", LAST_USE - 2);
	writer->edges.items[writer->edges.count - 1].form |= COST_LAST_EDGE;
	return array_push(&writer->vertices, ((struct cost_vertex){0, instant}), err);
}

/* --------------------------------------------------------------------- slots */

static void mark_last_uses(struct cost_graph *graph, uint64_t *seen)
{
	for (uint64_t i = graph->edge_count; i-- > 0;) {
		const uint32_t from = graph->edges[i].from;
		const uint64_t bit = UINT64_C(1) << from % 64;

		if (seen[from / 64] & bit)
			continue;
		seen[from / 64] |= bit;
		graph->edges[i].from |= LAST_USE;
	}
}

/* Free slots are a stack, so that the one that was used last is used next. */
struct slots {
	uint32_t *of;	/* of every vertex, behind that of the beginning */
	ARRAY(uint32_t) unused;
};

static int give_slot(struct cost_graph *graph, struct slots *slots, uint32_t vertex)
{
	const uint32_t slot = slots->unused.count ? slots->unused.items[--slots->unused.count]
						  : graph->slot_count++;

	graph->vertices[vertex].slot = slots->of[vertex + 1] = slot;
	return 0;
}

static int give_slots(struct cost_graph *graph, struct slots *slots, struct error *err)
{
	uint64_t i = 0;

	graph->slot_count = 1;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		bool last;

		/* First, for it is written before the last edge into it is read. */
		give_slot(graph, slots, v);
		do {
			struct cost_edge *edge = &graph->edges[i++];
			const uint32_t from = edge->from & ~LAST_USE;

			last = edge->form & COST_LAST_EDGE;
			if (edge->from & LAST_USE && from > 0)
				TRY(array_push(&slots->unused, slots->of[from], err));
			edge->from = slots->of[from];
		} while (!last);
	}
	return 0;
}

static int assign_slots(struct cost_graph *graph, struct error *err)
{
	struct slots slots = {0};
	uint64_t *seen;
	int result;

	TRY(allocate(&seen, (size_t)graph->vertex_count / 64 + 1, sizeof *seen, err));
	mark_last_uses(graph, seen);
	free(seen);
	TRY(allocate(&slots.of, (size_t)graph->vertex_count + 1, sizeof *slots.of, err));
	result = give_slots(graph, &slots, err);
	free(slots.of);
	array_release(&slots.unused);
	return result;
}

/* -------------------------------------------------------------------- bounds */

static void find_units(struct cost_graph *graph)
{
	for (uint64_t i = 0; i < graph->edge_count; i++)
		if (graph->edges[i].ns > graph->most_edge_ns)
			graph->most_edge_ns = graph->edges[i].ns;
	for (size_t i = 0; i < graph->forms.list.count; i++)
		for (int term = 0; term < TERM_COUNT; term++)
			graph->form_unit[term] = (uint64_t)common_divisor(
				graph->forms.list.items[i].of[term], graph->form_unit[term]);
}

/* One number for every coefficient: those of the terms, and ns. */
enum { MEASURES = TERM_COUNT + 1 };

struct measures {
	double of[MEASURES];
};

/* The forms as numbers that are added; ns is the edge's. */
static int convert_forms(const struct cost_graph *graph, struct measures **forms,
			 struct error *err)
{
	TRY(allocate(forms, graph->forms.list.count, sizeof **forms, err));
	for (size_t i = 0; i < graph->forms.list.count; i++)
		for (int term = 0; term < TERM_COUNT; term++)
			(*forms)[i].of[term] = (double)graph->forms.list.items[i].of[term];
	return 0;
}

static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Longest paths by each coefficient alone. */
static struct measures longest_paths(const struct cost_graph *graph,
				     const struct measures *forms, struct measures *values)
{
	const struct cost_vertex *vertex = graph->vertices;
	struct measures most = {0}, best = {0};

	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const struct cost_edge *edge = &graph->edges[i];
		const struct measures *form = &forms[cost_edge_form(edge)];
		const struct measures *from = &values[edge->from];

		for (int term = 0; term < TERM_COUNT; term++)
			best.of[term] = larger(from->of[term] + form->of[term], best.of[term]);
		best.of[TERM_COUNT] = larger(from->of[TERM_COUNT] + (double)edge->ns,
					     best.of[TERM_COUNT]);
		if (!(edge->form & COST_LAST_EDGE))
			continue;
		for (int m = 0; m < MEASURES; m++)
			most.of[m] = larger(best.of[m], most.of[m]);
		values[vertex++->slot] = best;
		best = (struct measures){0};
	}
	return most;
}

static int find_bounds(struct cost_graph *graph, struct error *err)
{
	/* More than rounding can have lost in sums of up to 2^31 terms. */
	const double margin = 1 + 1e-6;
	struct measures *forms, *values, most;

	TRY(convert_forms(graph, &forms, err));
	if (allocate(&values, graph->slot_count, sizeof *values, err) < 0) {
		free(forms);
		return -1;
	}
	most = longest_paths(graph, forms, values);
	free(forms);
	free(values);
	for (int term = 0; term < TERM_COUNT; term++)
		graph->most.of[term] = most.of[term] * margin;
	graph->most.ns = most.of[TERM_COUNT] * margin;
	return 0;
}

int cost_writer_finish(struct cost_writer *writer, struct cost_graph *graph, struct error *err)
{
	*graph = (struct cost_graph){
		.vertex_count = (uint32_t)writer->vertices.count,
		.edge_count = writer->edges.count,
		.edges = writer->edges.items,
		.vertices = writer->vertices.items,
		.forms = writer->forms,
	};
	*writer = (struct cost_writer){0};
	cost_forms_finish(&graph->forms);
	find_units(graph);
	if (assign_slots(graph, err) == 0 && find_bounds(graph, err) == 0)
		return 0;
	cost_graph_release(graph);
	return -1;
}
