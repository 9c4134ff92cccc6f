#include "llamp/graph/service_writer.h"

/* ---------------------------------------------------------------------- edges */

/* Turn an edge that would be too long for 64 bits with another cost into a vertex. */
static int keep_vertex(struct service_writer *writer, struct in_edge *edge, uint32_t event)
{
	struct error *err = writer->merge.err;
	const uint64_t first = writer->writer.edges.count;

	TRY(cost_writer_edge(&writer->writer, edge->source, edge->ns, edge->expression, err));
	TRY(cost_writer_vertex(&writer->writer, event, err));
	TRY(edge_merge_add_source(&writer->merge, writer->writer.edges.items, first));
	*edge = (struct in_edge){.source = (uint32_t)writer->writer.vertices.count};
	return 0;
}

/* *extended becomes the edge of event `from`, extended by a cost. */
static inline int extend_edge(struct service_writer *writer, struct written_event *from,
			      const struct cost *cost, struct in_edge *extended)
{
	struct cost_expressions *expressions = &writer->writer.expressions;
	const uint32_t expression = cost_expressions_of(expressions, cost);
	struct in_edge sum = {0};

	if (!edge_merge_extend(&writer->merge, &from->edge, cost->ns, expression, &sum)) {
		if (expressions->failed)
			return -1;
		TRY(keep_vertex(writer, &from->edge, from->event));
		sum = (struct in_edge){cost->ns, from->edge.source, expression, 0};
	}
	*extended = sum;
	return 0;
}

/* Add an in-edge to an event to come. */
static inline int add_edge(struct service_writer *writer, struct in_edge *to, bool first,
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

static int add_bound(struct service_writer *writer, const struct step *step)
{
	struct in_edge edge = {0};

	if (step->from != NO_STEP_EVENT)
		TRY(extend_edge(writer, &writer->events.items[step->from], &step->cost, &edge));
	return add_edge(writer, &writer->events.items[step->to].edge, step->first, &edge);
}

static int join_events(struct service_writer *writer, const struct step *step)
{
	const struct in_edge *from = &writer->events.items[step->from].edge;
	struct in_edge *to = &writer->events.items[step->to].edge;

	if (step->first) {
		*to = *from;
		return 0;
	}
	TRY(add_edge(writer, to, false, from));
	for (uint32_t i = from->next; i; i = writer->merge.pool.items[i].next) {
		const struct in_edge edge = writer->merge.pool.items[i];

		TRY(add_edge(writer, to, false, &edge));
	}
	if (from->next)
		edge_merge_free(&writer->merge, from->next);
	return 0;
}

/* Take the in-edges of an event. */
static void take_edges(struct service_writer *writer, const struct in_edge *event)
{
	struct edge_merge *merge = &writer->merge;

	merge->open.count = 0;
	edge_merge_take(merge, event->ns, event->source, event->expression);
	for (uint32_t i = event->next; i; i = merge->pool.items[i].next) {
		const struct in_edge edge = merge->pool.items[i];

		edge_merge_take(merge, edge.ns, edge.source, edge.expression);
	}
	if (event->next)
		edge_merge_free(merge, event->next);
}

/* The edges into an event become one edge, by way of a vertex if they must. */
static int close_edges(struct service_writer *writer, uint32_t event, struct in_edge *edge)
{
	struct edge_merge *merge = &writer->merge;
	const uint64_t first = writer->writer.edges.count;

	TRY(edge_merge_close(merge, writer->writer.edges.items));
	if (merge->open.count == 1 && event != COST_EVENT_END) {
		*edge = merge->open.items[0];
		edge->next = 0;
		return 0;
	}
	TRY(edge_merge_write(merge, &writer->writer));
	TRY(cost_writer_vertex(&writer->writer, event, merge->err));
	TRY(edge_merge_add_source(merge, writer->writer.edges.items, first));
	*edge = (struct in_edge){.source = (uint32_t)writer->writer.vertices.count};
	return 0;
}

static int add_event(struct service_writer *writer, const struct step *step)
{
	struct written_event *event = &writer->events.items[step->to];
	struct in_edge *server = step->from == NO_STEP_EVENT ? NULL : &writer->servers[step->from];

	event->event = step->event;
	if (step->first) {
		event->edge = *server;
	} else if (server || event->edge.next) {
		take_edges(writer, &event->edge);
		if (server)
			edge_merge_take(&writer->merge, server->ns, server->source,
					server->expression);
		TRY(close_edges(writer, step->event, &event->edge));
	}
	if (!server)
		return 0;
	TRY(extend_edge(writer, event, &step->cost, server));
	if (step->extends)
		event->edge = *server;
	return 0;
}

static int add_step(struct service_writer *writer, const struct step *step)
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
		return join_events(writer, step);
	case STEP_EVENT:
		return add_event(writer, step);
	case STEP_EXTEND:
		return extend_edge(writer, to, &step->cost, &to->edge);
	}
	return 0;
}

/* ------------------------------------------------------------------------ all */

int service_writer_init(struct service_writer *writer, uint32_t server_count, struct error *err)
{
	*writer = (struct service_writer){0};
	TRY(allocate(&writer->servers, server_count, sizeof *writer->servers, err));
	TRY(array_push(&writer->events, (struct written_event){0}, err));
	TRY(cost_writer_init(&writer->writer, err));
	return edge_merge_init(&writer->merge, &writer->writer.expressions, err);
}

int service_writer_add(struct service_writer *writer, const struct step_list *steps,
		       struct error *err)
{
	writer->merge.err = err;
	writer->writer.expressions.err = err;
	for (size_t i = 0; i < steps->count; i++)
		TRY(add_step(writer, &steps->items[i]));
	return 0;
}

int service_writer_finish(struct service_writer *writer, struct cost_graph *graph,
			  struct error *err)
{
	struct in_edge *end = &writer->events.items[0].edge;

	writer->merge.err = err;
	writer->writer.expressions.err = err;
	take_edges(writer, end);
	TRY(close_edges(writer, COST_EVENT_END, end));
	edge_merge_release(&writer->merge);
	return cost_writer_finish(&writer->writer, graph, err);
}

void service_writer_release(struct service_writer *writer)
{
	array_release(&writer->events);
	free(writer->servers);
	edge_merge_release(&writer->merge);
	cost_writer_release(&writer->writer);
}
