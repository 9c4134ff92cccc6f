#include "llamp/simulate/sim_writer.h"

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

/* Add an in-edge to a pending event. */
static inline int writer_add_edge(struct sim_writer *writer, struct in_edge *to, bool first,
				  const struct in_edge *edge)
{
	struct edge_merge *merge = &writer->merge;
	uint32_t added;

	if (first) {
		*to = *edge;
		to->next = 0;
		return 0;
	}
	/* Many bounds of a join come from one source. */
	if (to->source == edge->source && to->expression == edge->expression) {
		to->ns = edge->ns > to->ns ? edge->ns : to->ns;
		return 0;
	}
	added = edge_merge_new(merge);
	if (!added)
		return -1;
	merge->pool.items[added] = *edge;
	merge->pool.items[added].next = to->next;
	to->next = added;
	return 0;
}

/* ---------------------------------------------------------------------- steps */

static int add_bound(struct sim_writer *writer, const struct step *step)
{
	struct in_edge edge = {0};

	if (step->from != NO_STEP_EVENT) {
		struct written_event *from = &writer->events.items[step->from];

		TRY(extend_edge(writer, &from->edge, from->event, step->ns,
				writer->expressions.items[step->cost], &edge));
	}
	return writer_add_edge(writer, &writer->events.items[step->to].edge, step->first, &edge);
}

/* Move in-edges to a pending event. */
static int join_edges(struct sim_writer *writer, struct in_edge *to, bool first,
		      const struct in_edge *from)
{
	if (first) {
		*to = *from;
		return 0;
	}
	TRY(writer_add_edge(writer, to, false, from));
	for (uint32_t i = from->next; i; i = writer->merge.pool.items[i].next) {
		const struct in_edge edge = writer->merge.pool.items[i];

		TRY(writer_add_edge(writer, to, false, &edge));
	}
	if (from->next)
		edge_merge_free(&writer->merge, from->next);
	return 0;
}

/* Make in-edges those of the event that is merged. */
static void take_edges(struct sim_writer *writer, const struct in_edge *from)
{
	struct edge_merge *merge = &writer->merge;

	edge_merge_take(merge, from->ns, from->source, from->expression);
	for (uint32_t i = from->next; i; i = merge->pool.items[i].next) {
		const struct in_edge edge = merge->pool.items[i];

		edge_merge_take(merge, edge.ns, edge.source, edge.expression);
	}
	if (from->next)
		edge_merge_free(merge, from->next);
}

/* Merge the in-edges of the event into one edge, from a vertex if several remain. */
static int close_edges(struct sim_writer *writer, uint32_t event, struct in_edge *edge)
{
	struct edge_merge *merge = &writer->merge;
	const uint64_t first = writer->writer.edges.list.count;

	TRY(edge_merge_close(merge, &writer->writer.edges));
	if (merge->open.count == 1 && event != COST_EVENT_END) {
		*edge = merge->open.items[0];
		edge->next = 0;
		return 0;
	}
	TRY(edge_merge_write(merge, &writer->writer));
	TRY(cost_writer_vertex(&writer->writer, event, merge->err));
	TRY(edge_merge_add_source(merge, &writer->writer.edges, first));
	*edge = (struct in_edge){.source = writer->writer.vertex_count};
	return 0;
}

/* Tell whether an event that is used once has too many in-edges to keep them. */
static bool is_long(const struct sim_writer *writer, const struct in_edge *edge)
{
	int more = 0;

	for (uint32_t i = edge->next; i; i = writer->merge.pool.items[i].next)
		more++;
	return more >= MOST_KEPT;
}

/* Extend the in-edges that an event keeps by cost `later` of a step. */
static int extend_event(struct sim_writer *writer, struct written_event *event,
			const struct step *step)
{
	const uint32_t expression = writer->expressions.items[step->later];
	struct in_edge *edge = &event->edge;

	for (;; edge = &writer->merge.pool.items[edge->next]) {
		TRY(extend_edge(writer, edge, event->event, step->ns, expression, edge));
		if (!edge->next)
			return 0;
	}
}

static bool extends(const struct step *step)
{
	return step->later || step->ns;
}

/* Let an event that is used once, or its server, keep the in-edges of both. */
static int keep_edges(struct sim_writer *writer, const struct step *step,
		      struct written_event *event, struct in_edge *server)
{
	if (server)
		TRY(join_edges(writer, &event->edge, step->first, server));
	if (is_long(writer, &event->edge)) {
		writer->merge.open.count = 0;
		take_edges(writer, &event->edge);
		TRY(close_edges(writer, step->event, &event->edge));
	}
	if (extends(step))
		TRY(extend_event(writer, event, step));
	if (server)
		*server = event->edge;
	return 0;
}

static int add_event(struct sim_writer *writer, const struct step *step)
{
	struct written_event *event = &writer->events.items[step->to];
	struct in_edge *server = step->from == NO_STEP_EVENT ? NULL : &writer->servers[step->from];

	event->event = step->event;
	if (step->once)
		return keep_edges(writer, step, event, server);
	if (step->first)
		event->edge = *server;
	if (event->edge.next || (server && !step->first)) {
		writer->merge.open.count = 0;
		take_edges(writer, &event->edge);
		if (server && !step->first)
			take_edges(writer, server);
		TRY(close_edges(writer, step->event, &event->edge));
	}
	if (server) {
		TRY(extend_edge(writer, &event->edge, event->event, step->ns,
				writer->expressions.items[step->cost], server));
		server->next = 0;
		if (step->later == step->cost) {
			event->edge = *server;
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
		writer->events.count = step->to + 1;
	}
	to = &writer->events.items[step->to];
	switch ((enum step_kind)step->kind) {
	case STEP_BOUND:
		return add_bound(writer, step);
	case STEP_JOIN:
		return join_edges(writer, &to->edge, step->first,
				  &writer->events.items[step->from].edge);
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
	struct in_edge *end = &writer->events.items[0].edge;

	writer->merge.err = err;
	writer->writer.expressions.err = err;
	writer->merge.open.count = 0;
	take_edges(writer, end);
	TRY(close_edges(writer, COST_EVENT_END, end));
	edge_merge_release(&writer->merge);
	return cost_writer_finish(&writer->writer, graph, err);
}

void sim_writer_release(struct sim_writer *writer)
{
	array_release(&writer->events);
	array_release(&writer->expressions);
	free(writer->servers);
	edge_merge_release(&writer->merge);
	cost_writer_release(&writer->writer);
}
