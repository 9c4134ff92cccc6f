#include "llamp/simulate/sim_writer.h"

#include <string.h>

/* An event with more in-edges becomes a vertex, although it is used once. */
enum { MOST_KEPT = 8 };

/* ---------------------------------------------------------------------- edges */

/* Replace an edge, which another cost would make too long for 64 bits, by a vertex. */
static int keep_vertex(struct sim_writer *writer, struct in_edge *edge, uint32_t event)
{
	struct error *err = writer->merge.err;
	const uint64_t first = writer->writer.edges.list.count;

	TRY(cost_writer_edge(&writer->writer, edge->source, edge->ns, edge->expression, err));
	TRY(cost_writer_vertex(&writer->writer, event, err));
	TRY(edge_merge_add_source(&writer->merge, &writer->writer.edges, first));
	*edge = (struct in_edge){.source = writer->writer.vertex_count, .next = edge->next};
	return 0;
}

/* Set *extended to an edge of an event, extended by ns and an expression.  Its `next` stays. */
static inline int extend_edge(struct sim_writer *writer, struct in_edge *from, uint32_t event,
			      uint64_t ns, uint32_t expression, struct in_edge *extended)
{
	struct in_edge sum = {.ns = ns, .expression = expression};

	if (!edge_merge_extend(&writer->merge, from, ns, expression, &sum)) {
		if (writer->writer.expressions.failed)
			return -1;
		TRY(keep_vertex(writer, from, event));
		sum = (struct in_edge){ns, from->source, expression, 0};
	}
	extended->ns = sum.ns;
	extended->source = sum.source;
	extended->expression = sum.expression;
	return 0;
}

/* ---------------------------------------------------------------------- lists */

/* Lengthen all edges of a list but the first. */
static inline int extend_others(struct sim_writer *writer, struct edge_list *list, uint32_t event,
				uint64_t ns, uint32_t expression)
{
	const struct in_edge rest = {.ns = list->rest_ns, .expression = list->rest};
	struct edge_list *others = writer->lists.items;
	struct in_edge sum;

	if (!list->edge.next)
		return 0;
	if (edge_merge_extend(&writer->merge, &rest, ns, expression, &sum)) {
		list->rest_ns = sum.ns;
		list->rest = sum.expression;
		return 0;
	}
	if (writer->writer.expressions.failed)
		return -1;
	for (uint32_t i = list->edge.next; i; i = others[i].edge.next)
		TRY(extend_edge(writer, &others[i].edge, event, ns, expression, &others[i].edge));
	return 0;
}

/* Go on to the list after *list, a copy, whose edges become as long as they are. */
static inline int next_list(struct sim_writer *writer, struct edge_list *list, uint32_t event)
{
	const uint64_t ns = list->rest_ns;
	const uint32_t expression = list->rest;

	*list = writer->lists.items[list->edge.next];
	TRY(extend_edge(writer, &list->edge, event, ns, expression, &list->edge));
	return extend_others(writer, list, event, ns, expression);
}

/* Free the lists after a list. */
static void free_others(struct sim_writer *writer, const struct edge_list *list)
{
	uint32_t last = list->edge.next;

	if (!last)
		return;
	while (writer->lists.items[last].edge.next)
		last = writer->lists.items[last].edge.next;
	writer->lists.items[last].edge.next = writer->unused;
	writer->unused = list->edge.next;
}

static inline void set_only_edge(struct edge_list *list, const struct in_edge *edge)
{
	*list = (struct edge_list){.edge = *edge};
	list->edge.next = 0;
}

/* Add an in-edge to a pending event that has some. */
static inline int add_in_edge(struct sim_writer *writer, struct edge_list *to,
			      const struct in_edge *edge)
{
	uint32_t others = writer->unused;

	/* Many bounds of a join come from one source. */
	if (to->edge.source == edge->source && to->edge.expression == edge->expression) {
		to->edge.ns = edge->ns > to->edge.ns ? edge->ns : to->edge.ns;
		return 0;
	}
	if (others) {
		writer->unused = writer->lists.items[others].edge.next;
	} else {
		others = (uint32_t)writer->lists.count;
		TRY(array_push(&writer->lists, (struct edge_list){0}, writer->merge.err));
	}
	if (to->rest_ns || to->rest) {
		writer->lists.items[others] = *to;
		*to = (struct edge_list){.edge = *edge, .others = to->others};
	} else {
		writer->lists.items[others] = (struct edge_list){.edge = *edge};
		writer->lists.items[others].edge.next = to->edge.next;
	}
	to->edge.next = others;
	to->others++;
	return 0;
}

/* Move in-edges of the event `event` to a pending event. */
static int join_edges(struct sim_writer *writer, struct edge_list *to, bool first,
		      const struct edge_list *from, uint32_t event)
{
	struct edge_list at = *from;

	if (first) {
		*to = *from;
		return 0;
	}
	if (!to->edge.next) {
		const struct in_edge edge = to->edge;

		*to = *from;
		return add_in_edge(writer, to, &edge);
	}
	TRY(add_in_edge(writer, to, &at.edge));
	while (at.edge.next) {
		TRY(next_list(writer, &at, event));
		TRY(add_in_edge(writer, to, &at.edge));
	}
	free_others(writer, from);
	return 0;
}

/* Make in-edges those of the event that is merged. */
static int take_edges(struct sim_writer *writer, const struct edge_list *from, uint32_t event)
{
	struct edge_merge *merge = &writer->merge;
	struct edge_list at = *from;

	edge_merge_take(merge, at.edge.ns, at.edge.source, at.edge.expression);
	while (at.edge.next) {
		TRY(next_list(writer, &at, event));
		edge_merge_take(merge, at.edge.ns, at.edge.source, at.edge.expression);
	}
	free_others(writer, from);
	return 0;
}

/* Merge the in-edges of the event into one edge, from a vertex if several remain. */
static int close_edges(struct sim_writer *writer, uint32_t event, struct edge_list *list)
{
	struct edge_merge *merge = &writer->merge;
	const uint64_t first = writer->writer.edges.list.count;

	TRY(edge_merge_close(merge, &writer->writer.edges));
	if (merge->open.count == 1 && event != COST_EVENT_END) {
		set_only_edge(list, &merge->open.items[0]);
		return 0;
	}
	TRY(edge_merge_write(merge, &writer->writer));
	TRY(cost_writer_vertex(&writer->writer, event, merge->err));
	TRY(edge_merge_add_source(merge, &writer->writer.edges, first));
	*list = (struct edge_list){.edge.source = writer->writer.vertex_count};
	return 0;
}

/* ---------------------------------------------------------------------- steps */

static int add_bound(struct sim_writer *writer, const struct step *step)
{
	struct edge_list *to = &writer->events.items[step->to].in;
	struct in_edge edge = {0};

	if (step->from != NO_STEP_EVENT) {
		struct written_event *from = &writer->events.items[step->from];

		TRY(extend_edge(writer, &from->in.edge, from->event, step->ns,
				writer->expressions.items[step->cost], &edge));
	}
	if (!step->first)
		return add_in_edge(writer, to, &edge);
	set_only_edge(to, &edge);
	return 0;
}

/* Extend the in-edges that an event keeps by cost `later` of a step. */
static int extend_event(struct sim_writer *writer, struct written_event *event,
			const struct step *step)
{
	const uint32_t expression = writer->expressions.items[step->later];
	struct edge_list *in = &event->in;

	TRY(extend_edge(writer, &in->edge, event->event, step->ns, expression, &in->edge));
	return extend_others(writer, in, event->event, step->ns, expression);
}

static bool extends(const struct step *step)
{
	return step->later || step->ns;
}

/* Let an event that is used once, or its server, keep the in-edges of both. */
static int keep_edges(struct sim_writer *writer, const struct step *step,
		      struct written_event *event, struct edge_list *server)
{
	if (server)
		TRY(join_edges(writer, &event->in, step->first, server, step->event));
	if (event->in.others >= MOST_KEPT) {
		writer->merge.open.count = 0;
		TRY(take_edges(writer, &event->in, step->event));
		TRY(close_edges(writer, step->event, &event->in));
	}
	if (extends(step))
		TRY(extend_event(writer, event, step));
	if (server)
		*server = event->in;
	return 0;
}

static int add_event(struct sim_writer *writer, const struct step *step)
{
	struct written_event *event = &writer->events.items[step->to];
	struct edge_list *server = step->from == NO_STEP_EVENT ? NULL
							       : &writer->servers[step->from];

	event->event = step->event;
	if (step->once)
		return keep_edges(writer, step, event, server);
	if (step->first)
		event->in = *server;
	if (event->in.edge.next || (server && !step->first)) {
		writer->merge.open.count = 0;
		TRY(take_edges(writer, &event->in, step->event));
		if (server && !step->first)
			TRY(take_edges(writer, server, step->event));
		TRY(close_edges(writer, step->event, &event->in));
	}
	if (server) {
		struct in_edge edge = {0};

		TRY(extend_edge(writer, &event->in.edge, event->event, step->ns,
				writer->expressions.items[step->cost], &edge));
		set_only_edge(server, &edge);
		if (step->later == step->cost) {
			event->in = *server;
			return 0;
		}
	}
	return extends(step) ? extend_event(writer, event, step) : 0;
}

static int add_step(struct sim_writer *writer, const struct step *step)
{
	struct written_event *to;

	if (step->first && step->to >= writer->events.count) {
		TRY(array_reserve(&writer->events, step->to + 1 - writer->events.count,
				  writer->merge.err));
		memset(writer->events.items + writer->events.count, 0,
		       (step->to + 1 - writer->events.count) * sizeof *writer->events.items);
		writer->events.count = step->to + 1;
	}
	to = &writer->events.items[step->to];
	switch ((enum step_kind)step->kind) {
	case STEP_BOUND:
		return add_bound(writer, step);
	case STEP_JOIN:
		return join_edges(writer, &to->in, step->first,
				  &writer->events.items[step->from].in,
				  writer->events.items[step->from].event);
	case STEP_EVENT:
		return add_event(writer, step);
	case STEP_EXTEND:
		return extend_event(writer, to, step);
	}
	return 0;
}

/* ------------------------------------------------------------------------ all */

int sim_writer_init(struct sim_writer *writer, uint32_t server_count, struct error *err)
{
	*writer = (struct sim_writer){0};
	TRY(allocate(&writer->servers, server_count, sizeof *writer->servers, err));
	TRY(array_push(&writer->events, (struct written_event){0}, err));
	TRY(array_push(&writer->lists, (struct edge_list){0}, err));
	TRY(array_push(&writer->expressions, EXPRESSION_NONE, err));
	TRY(cost_writer_init(&writer->writer, err));
	return edge_merge_init(&writer->merge, &writer->writer.expressions, err);
}

static int add_cost(struct sim_writer *writer, const struct cost *cost)
{
	const uint32_t expression = cost_expressions_of(&writer->writer.expressions, cost);

	return writer->writer.expressions.failed
		       ? -1
		       : array_push(&writer->expressions, expression, writer->merge.err);
}

int sim_writer_add(struct sim_writer *writer, const struct step_list *list, struct error *err)
{
	writer->merge.err = err;
	writer->writer.expressions.err = err;
	for (size_t i = 0; i < list->costs.count; i++)
		TRY(add_cost(writer, &list->costs.items[i]));
	for (size_t i = 0; i < list->steps.count; i++)
		TRY(add_step(writer, &list->steps.items[i]));
	return 0;
}

int sim_writer_finish(struct sim_writer *writer, struct cost_graph *graph, struct error *err)
{
	struct edge_list *end = &writer->events.items[0].in;

	writer->merge.err = err;
	writer->writer.expressions.err = err;
	writer->merge.open.count = 0;
	TRY(take_edges(writer, end, COST_EVENT_END));
	TRY(close_edges(writer, COST_EVENT_END, end));
	edge_merge_release(&writer->merge);
	return cost_writer_finish(&writer->writer, graph, err);
}

void sim_writer_release(struct sim_writer *writer)
{
	array_release(&writer->events);
	array_release(&writer->lists);
	array_release(&writer->expressions);
	free(writer->servers);
	edge_merge_release(&writer->merge);
	cost_writer_release(&writer->writer);
}
