#include "llamp/graph/cost_part.h"

#include "llamp/graph/cost_join.h"

struct parting {
	const struct cost_graph *graph;
	const uint64_t *wanted;
	struct cost_writer writer;
	struct cost_join join;
	/* Of slots: the one edge their vertex stands for, and whether there is such a vertex. */
	struct candidate *values;
	bool *alive;
	uint32_t *forms;	/* of the graph: their numbers + 1 in the part, or 0 */
	bool ended;		/* by a vertex for the end */
	struct error *err;
};

/* The number in the part of an edge's form, or FORM_FAILED. */
static uint32_t translate(struct parting *parting, const struct cost_edge *edge)
{
	const uint32_t form = cost_edge_form(edge);
	uint32_t *known = &parting->forms[form];

	if (!*known)
		*known = cost_forms_find(&parting->writer.forms,
					 &parting->graph->forms.list.items[form]) + 1;
	return *known - 1;
}

/* A vertex of the edges written from `first` on, for which `value` stands then. */
static int add_vertex(struct parting *parting, uint32_t instant, uint64_t first,
		      struct candidate *value)
{
	TRY(cost_writer_vertex(&parting->writer, instant, parting->err));
	*value = (struct candidate){.base = (uint32_t)parting->writer.vertices.count};
	return cost_join_add_base(&parting->join, parting->writer.edges.items, first);
}

/* A path too long for 64 bits goes through a vertex of its own. */
static int split_path(struct parting *parting, struct candidate *value)
{
	const uint64_t first = parting->writer.edges.count;

	TRY(cost_writer_edge(&parting->writer, value->base, value->ns, value->form, parting->err));
	return add_vertex(parting, COST_INSTANT_END, first, value);
}

static int take_edge(struct parting *parting, const struct cost_edge *edge)
{
	struct candidate *value = &parting->values[edge->from], sum;
	const uint32_t form = translate(parting, edge);

	if (!cost_join_sum(&parting->join, value, edge->ns, form, &sum)) {
		if (parting->writer.forms.failed)
			return -1;
		TRY(split_path(parting, value));
		sum = (struct candidate){edge->ns, value->base, form, 0};
	}
	cost_join_take(&parting->join, sum.ns, sum.base, sum.form);
	return 0;
}

static int take_vertex(struct parting *parting, const struct cost_vertex *vertex, uint64_t first,
		       uint64_t end)
{
	const struct cost_edge *edges = parting->graph->edges;
	const bool last = end == parting->graph->edge_count;
	struct candidate *value = &parting->values[vertex->slot];
	uint64_t written;

	parting->join.open.count = 0;
	for (uint64_t i = first; i < end; i++)
		if ((parting->wanted[i / 64] >> i % 64 & 1) && parting->alive[edges[i].from])
			TRY(take_edge(parting, &edges[i]));
	parting->alive[vertex->slot] = parting->join.open.count > 0;
	if (parting->join.open.count == 0)
		return 0;
	parting->ended = last;
	TRY(cost_join_close(&parting->join, parting->writer.edges.items));
	if (parting->join.open.count == 1 && !last) {
		*value = parting->join.open.items[0];
		return 0;
	}
	written = parting->writer.edges.count;
	TRY(cost_join_write(&parting->join, &parting->writer));
	return add_vertex(parting, vertex->instant, written, value);
}

/* Most vertices have no edges that are wanted. */
static int take_all(struct parting *parting)
{
	const struct cost_graph *graph = parting->graph;
	const uint64_t *wanted = parting->wanted;
	bool *alive = parting->alive;
	uint64_t i = 0;

	alive[0] = true;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const uint64_t first = i;
		uint64_t any = 0;

		do
			any |= wanted[i / 64] >> i % 64;
		while (!(graph->edges[i++].form & COST_LAST_EDGE));
		if (any & 1)
			TRY(take_vertex(parting, &graph->vertices[v], first, i));
		else
			alive[graph->vertices[v].slot] = false;
	}
	return 0;
}

static int build(struct parting *parting)
{
	const struct cost_graph *graph = parting->graph;

	TRY(cost_writer_init(&parting->writer, parting->err));
	TRY(cost_join_init(&parting->join, &parting->writer.forms, parting->err));
	TRY(allocate(&parting->values, graph->slot_count, sizeof *parting->values, parting->err));
	TRY(allocate(&parting->alive, graph->slot_count, sizeof *parting->alive, parting->err));
	TRY(allocate(&parting->forms, graph->forms.list.count, sizeof *parting->forms,
		     parting->err));
	return take_all(parting);
}

int cost_part_build(struct cost_graph *part, const struct cost_graph *graph,
		    const uint64_t *wanted, struct error *err)
{
	struct parting parting = {.graph = graph, .wanted = wanted, .err = err};
	const int result = build(&parting);

	cost_join_release(&parting.join);
	free(parting.values);
	free(parting.alive);
	free(parting.forms);
	*part = (struct cost_graph){0};
	if (result < 0 || !parting.ended) {
		cost_writer_release(&parting.writer);
		return result;
	}
	TRY(cost_writer_finish(&parting.writer, part, err));
	part->op_count = graph->op_count;
	part->message_count = graph->message_count;
	return 0;
}
