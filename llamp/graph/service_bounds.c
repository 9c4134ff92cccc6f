#include "llamp/graph/service_pass.h"

#include <inttypes.h>

/* ---------------------------------------------------------------------- bounds */

static int too_long(const struct pass *pass)
{
	return error_set(pass->err, STATUS_LIMIT,
			 "times do not fit 64 bits in units of %" PRId64 " as, which all parameters"
			 " are multiples of; give the parameters with fewer digits",
			 pass->service->unit_as);
}

/* Make a vertex of a bound whose edge would be too long for 64 bits with another cost. */
static int keep_vertex(struct pass *pass, struct bound *bound)
{
	const uint64_t first = pass->writer.edges.count;
	const uint32_t event = cost_event(bound->cause.op, bound->cause.kind);

	TRY(cost_writer_edge(&pass->writer, bound->edge.source, bound->edge.ns,
			     bound->edge.expression, pass->err));
	TRY(cost_writer_vertex(&pass->writer, event, pass->err));
	TRY(edge_merge_add_source(&pass->merge, pass->writer.edges.items, first));
	bound->edge = (struct in_edge){.source = (uint32_t)pass->writer.vertices.count};
	return 0;
}

static int extend_edge(struct pass *pass, struct bound *from, const struct cost *cost,
		       struct in_edge *edge)
{
	const uint32_t expression = cost_expressions_of(&pass->writer.expressions, cost);

	if (edge_merge_extend(&pass->merge, &from->edge, cost->ns, expression, edge))
		return 0;
	if (pass->writer.expressions.failed)
		return -1;
	TRY(keep_vertex(pass, from));
	*edge = (struct in_edge){cost->ns, from->edge.source, expression, 0};
	return expression == EXPRESSION_FAILED ? too_long(pass) : 0;
}

int pass_extend(struct pass *pass, struct bound *from, const struct cost *cost, uint32_t cost_op,
		struct bound *to)
{
	const __int128 time = from->at.time + cost_weigh(&pass->weights, cost);
	const int64_t slope = (int64_t)execution_coefficient(pass->execution, cost,
							     pass->varied);

	if (time > INT64_MAX || __builtin_add_overflow(from->at.left, slope, &to->at.left) ||
	    __builtin_add_overflow(from->at.right, slope, &to->at.right))
		return too_long(pass);
	to->at.time = (int64_t)time;
	to->cause = from->cause;
	to->cause.cost_op = cost_op;
	to->cause.rule = (uint8_t)cost->rule;
	return pass->writes ? extend_edge(pass, from, cost, &to->edge) : 0;
}

static int list_edge(struct pass *pass, uint32_t *list, const struct in_edge *edge)
{
	struct edge_merge *merge = &pass->merge;
	struct in_edge *first = &merge->pool.items[*list];
	uint32_t added;

	/* Many bounds of a join come from one source. */
	if (*list && first->source == edge->source && first->expression == edge->expression) {
		first->ns = edge->ns > first->ns ? edge->ns : first->ns;
		return 0;
	}
	added = edge_merge_new(merge);
	if (!added)
		return -1;
	merge->pool.items[added] = *edge;
	merge->pool.items[added].next = *list;
	*list = added;
	return 0;
}

int pass_wait_for(struct pass *pass, struct pending *pending, bool is_new,
		  const struct bound *bound)
{
	if (is_new) {
		pending->at = bound->at;
		pending->cause = bound->cause;
	} else if (moment_later(&pending->at, &bound->at, &pass->service->waits,
				pass->service->unit_as)) {
		pending->cause = bound->cause;
	}
	TRY(pass_log_bound(pass, pending, bound));
	return pass->writes ? list_edge(pass, &pending->list, &bound->edge) : 0;
}

/* ------------------------------------------------------------- events to come */

static int take_entry(struct pass *pass, uint32_t *entry)
{
	*entry = pass->unused;
	if (*entry) {
		pass->unused = pass->pool.items[*entry].next;
		return 0;
	}
	*entry = (uint32_t)pass->pool.count;
	return array_push(&pass->pool, (struct pending){0}, pass->err);
}

int pass_make_entry(struct pass *pass, uint32_t *slot, uint32_t rank)
{
	TRY(take_entry(pass, slot));
	*pass_entry_of(pass, slot) = (struct pending){.rank = rank, .cause = {.op = NO_EVENT}};
	return 0;
}

int pass_add_bound(struct pass *pass, uint32_t *slot, uint32_t rank, const struct bound *bound)
{
	const bool is_new = !*slot;

	if (is_new)
		TRY(pass_make_entry(pass, slot, rank));
	return pass_wait_for(pass, pass_entry_of(pass, slot), is_new, bound);
}

void pass_drop_entry(struct pass *pass, uint32_t *slot)
{
	pass_entry_of(pass, slot)->next = pass->unused;
	pass->unused = *slot;
	*slot = 0;
}

int pass_hand_over(struct pass *pass, uint32_t *slot, uint32_t *to, uint32_t rank)
{
	struct edge_merge *merge = &pass->merge;
	const struct pending *from = pass_entry_of(pass, slot);
	struct pending *into;

	if (!*to) {
		*to = *slot;
		*slot = 0;
		pass_entry_of(pass, to)->rank = rank;
		return 0;
	}
	TRY(pass_log_join(pass, *slot, *to));
	into = pass_entry_of(pass, to);
	if (moment_later(&into->at, &from->at, &pass->service->waits, pass->service->unit_as))
		into->cause = from->cause;
	if (from->list) {
		uint32_t last = from->list;

		while (merge->pool.items[last].next)
			last = merge->pool.items[last].next;
		merge->pool.items[last].next = into->list;
		into->list = from->list;
	}
	pass_drop_entry(pass, slot);
	return 0;
}

/* ------------------------------------------------------------ events that happen */

static void note_cause(const struct pass *pass, uint32_t op, enum event_kind kind,
		       const struct cause *cause)
{
	if (pass->causes)
		*cause_of(pass->causes, op, kind) = *cause;
}

void pass_take_list(struct edge_merge *merge, uint32_t *list)
{
	for (uint32_t i = *list; i; i = merge->pool.items[i].next) {
		const struct in_edge edge = merge->pool.items[i];

		edge_merge_take(merge, edge.ns, edge.source, edge.expression);
	}
	if (*list)
		edge_merge_free(merge, *list);
	*list = 0;
}

/* The edges into an event become one edge, by way of a vertex if they must. */
static int close_edges(struct pass *pass, uint32_t event, struct in_edge *edge)
{
	struct edge_merge *merge = &pass->merge;
	const uint64_t first = pass->writer.edges.count;

	TRY(edge_merge_close(merge, pass->writer.edges.items));
	if (merge->open.count == 1) {
		*edge = merge->open.items[0];
		return 0;
	}
	TRY(edge_merge_write(merge, &pass->writer));
	TRY(cost_writer_vertex(&pass->writer, event, pass->err));
	TRY(edge_merge_add_source(merge, pass->writer.edges.items, first));
	*edge = (struct in_edge){.source = (uint32_t)pass->writer.vertices.count};
	return 0;
}

int pass_happen(struct pass *pass, uint32_t *slot, uint32_t op, enum event_kind kind,
		struct bound *event)
{
	struct pending *pending = pass_entry_of(pass, slot);

	event->at = pending->at;
	event->cause = (struct cause){.op = op, .kind = (uint8_t)kind, .cost_op = NO_OP};
	note_cause(pass, op, kind, &pending->cause);
	TRY(pass_log_event(pass, *slot, op, kind));
	if (pass->writes) {
		pass->merge.open.count = 0;
		pass_take_list(&pass->merge, &pending->list);
		TRY(close_edges(pass, cost_event(op, kind), &event->edge));
	}
	pass_drop_entry(pass, slot);
	return 0;
}
