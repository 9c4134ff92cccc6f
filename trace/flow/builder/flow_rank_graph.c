/*
 * Nodes and edges of a thread, with the visits of edges, the values of visits, and the calls that
 * nodes know.
 */
#include "trace/flow/builder/flow_rank_internal.h"

#include <string.h>

static int find_node(struct build_thread *thread, uint32_t signature, uint32_t *number,
		     struct error *err)
{
	*number = number_map_get(&thread->node_of, signature, 0);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = (uint32_t)thread->nodes.count;
	TRY(number_map_add(&thread->node_of, signature, 0, *number, err));
	return array_push(&thread->nodes, ((struct build_node){.signature = signature}), err);
}

static int find_edge(struct build_thread *thread, uint32_t from, uint32_t to, uint32_t *found,
		     struct error *err)
{
	struct build_node *node = &thread->nodes.items[from];
	uint32_t number = node->recent;

	if (!node->edges.count || thread->edges.items[number].to != to)
		number = number_map_get(&thread->edge_of, from, to);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)thread->edges.count;
		TRY(number_map_add(&thread->edge_of, from, to, number, err));
		TRY(array_push(&thread->edges,
			       ((struct build_edge){.to = to, .visits.repeats = true}), err));
		TRY(array_push(&node->edges, number, err));
	}
	*found = node->recent = number;
	return 0;
}

/* ----------------------------------------------------------------------- values */

/* Put the last row; it is that of all visits of a lossy thread. */
static int put_row(const struct build_node *node, bool lossy, struct flow_bytes *values,
		   struct error *err)
{
	if (!node->repeats)
		return 0;
	TRY(flow_put(values, lossy ? node->visits : node->repeats, err));
	return flow_put_bytes(values, node->row.items, node->row.count, err);
}

static int add_row(struct build_node *node, bool lossy, const struct flow_bytes *row,
		   struct error *err)
{
	if (!row->count || (lossy && node->repeats))
		return 0;
	if (node->repeats && node->row.count == row->count &&
	    !memcmp(node->row.items, row->items, row->count)) {
		node->repeats++;
		return 0;
	}
	TRY(put_row(node, false, &node->values, err));
	node->row.count = 0;
	node->repeats = 1;
	return flow_put_bytes(&node->row, row->items, row->count, err);
}

int build_put_values(const struct flow_rank_builder *builder, const struct build_thread *thread,
		     struct flow_bytes *bytes, struct error *err)
{
	struct flow_bytes values = {0};
	bool any = false;
	int result = 0;

	(void)builder;
	for (size_t n = 0; n < thread->nodes.count; n++)
		any |= thread->nodes.items[n].repeats > 0;
	for (size_t n = 0; any && n < thread->nodes.count && result == 0; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		values.count = 0;
		result = flow_put_bytes(&values, node->values.items, node->values.count, err);
		if (result == 0)
			result = put_row(node, thread->coarseness > 0, &values, err);
		if (result == 0)
			result = flow_put_block(bytes, values.items, values.count, err);
	}
	array_release(&values);
	return result;
}

/* ----------------------------------------------------------------------- visits */

static void report(const struct flow_rank_builder *builder, const struct build_thread *thread,
		   struct flow_rank_event *event)
{
	if (!builder->seen)
		return;
	event->thread = thread->number;
	event->enter_ns = thread->enter_ns;
	event->leave_ns = thread->last_ns;
	builder->seen(builder->seen_data, event);
}

/* Go to a node in which the event at hand is. */
static uint64_t arrive(struct build_thread *thread, uint32_t number)
{
	thread->at = number;
	thread->events++;
	return thread->nodes.items[number].visits++;
}

/* Add a visit of the node `from` to an edge: only their number in a lossy thread. */
static int add_visit_to(struct build_thread *thread, struct build_edge *edge, uint64_t visit,
			struct error *err)
{
	if (thread->coarseness) {
		edge->visits.count++;
		return 0;
	}
	thread->growth += visit != edge->visits.end;
	return flow_set_add(&edge->visits, visit, err);
}

/* Follow the edge to a node. */
static int follow(struct flow_rank_builder *builder, struct build_thread *thread, uint32_t to,
		  struct flow_rank_event *event, struct error *err)
{
	const size_t before = thread->edges.count;
	struct build_edge *edge;

	event->edge = FLOW_NO_EDGE;
	if (!thread->events)
		return 0;
	TRY(find_edge(thread, thread->at, to, &event->edge, err));
	event->new_edge = thread->edges.count > before;
	edge = &thread->edges.items[event->edge];
	TRY(add_visit_to(thread, edge, thread->nodes.items[thread->at].visits - 1, err));
	return build_add_gap(builder, &edge->times,
			     thread->open.items[0].gap_ns + thread->computed_ns, err);
}

int build_visit(struct flow_rank_builder *builder, struct build_thread *thread, uint32_t signature,
		struct error *err)
{
	const size_t before = thread->nodes.count;
	struct flow_rank_event event = {0};
	struct build_node *node;
	uint32_t from;

	thread->computed_ns = poll_run_end(&thread->polls, &from);
	TRY(find_node(thread, signature, &event.node, err));
	event.new_node = thread->nodes.count > before;
	TRY(follow(builder, thread, event.node, &event, err));
	node = &thread->nodes.items[event.node];
	event.visit = arrive(thread, event.node);
	thread->growth++;
	TRY(add_row(node, thread->coarseness > 0, &thread->row, err));
	TRY(build_add_durations(builder, &node->times, thread, err));
	thread->open.count = 0;
	thread->row.count = 0;
	report(builder, thread, &event);
	return 0;
}

int build_follow_known(struct flow_rank_builder *builder, struct build_thread *thread,
		       uint32_t number, const struct mpi_call *call, struct error *err)
{
	struct build_node *from = &thread->nodes.items[thread->at];
	struct build_edge *edge = &thread->edges.items[number];
	struct flow_rank_event event = {.node = edge->to, .edge = number};
	const uint64_t gap_ns = call->enter_ns - thread->last_ns;

	from->recent = number;
	TRY(add_visit_to(thread, edge, from->visits - 1, err));
	event.visit = arrive(thread, edge->to);
	thread->calls++;
	thread->enter_ns = call->enter_ns;
	thread->last_ns = call->leave_ns;
	TRY(build_add_single(builder, &edge->times, gap_ns, &thread->nodes.items[edge->to].times,
			     call->leave_ns - call->enter_ns, err));
	report(builder, thread, &event);
	return thread->growth >= thread->next_check ? build_check_memory(builder, thread, err) : 0;
}

/* ------------------------------------------------------------------------ calls that are known */

/* Edges of a node that are tried, and events of a call that a node knows. */
enum { MOST_TRIED = 6, MOST_EVENTS = 256 };

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_message(const struct mpi_event *a, const struct mpi_event *b)
{
	return a->bytes == b->bytes && a->tag == b->tag && a->partitions == b->partitions &&
	       a->posted == b->posted;
}

static bool same_collective(const struct mpi_event *a, const struct mpi_event *b)
{
	return !a->send_bytes && !a->receive_bytes && !a->neighbours &&
	       a->send_count == b->send_count && a->receive_count == b->receive_count &&
	       a->persistent == b->persistent && a->root == b->root && a->in_place == b->in_place;
}

static bool same_window(const struct mpi_event *a, const struct mpi_event *b)
{
	return a->group == b->group && a->window == b->window && a->atomic == b->atomic &&
	       a->sync == b->sync && a->exclusive == b->exclusive;
}

static inline bool same_event(const struct mpi_event *a, const struct mpi_event *b)
{
	if (a->kind != b->kind || a->comm != b->comm || a->peer != b->peer ||
	    a->collective != b->collective || a->bytes_sent != b->bytes_sent ||
	    a->bytes_received != b->bytes_received || !same_text(a->operation, b->operation))
		return false;
	if (event_is_message(a->kind))
		return same_message(a, b);
	if (event_is_collective(a->kind))
		return same_collective(a, b);
	return !event_is_rma(a->kind) || same_window(a, b);
}

static bool is_known(const struct build_known *known, const struct mpi_call *call,
		     const struct flow_codes *codes)
{
	if (!known || known->function != call->function || known->count != call->event_count ||
	    known->place != build_place(call))
		return false;
	for (uint32_t i = 0; i < known->count; i++) {
		const struct build_known_event *event = &known->events[i];

		if (event->code.code != codes->items[i].code ||
		    event->code.posted != codes->items[i].posted ||
		    !same_event(&call->events[i], &event->event))
			return false;
	}
	return true;
}

uint32_t build_find_known(const struct build_thread *thread, const struct mpi_call *call)
{
	const struct build_node *node;

	if (!thread->events || call->polls)
		return FLOW_NO_EDGE;
	node = &thread->nodes.items[thread->at];
	if (!node->edges.count)
		return FLOW_NO_EDGE;
	if (is_known(thread->nodes.items[thread->edges.items[node->recent].to].known, call,
		     &thread->codes))
		return node->recent;
	for (size_t i = 0; i < node->edges.count && i < MOST_TRIED; i++) {
		const uint32_t edge = node->edges.items[i];

		if (edge != node->recent &&
		    is_known(thread->nodes.items[thread->edges.items[edge].to].known, call,
			     &thread->codes))
			return edge;
	}
	return FLOW_NO_EDGE;
}

/* Whether all that matters of a call is in its events, and lives as long as the builder. */
static bool can_be_known(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		if (event_is_collective(event->kind) &&
		    (event->send_bytes || event->receive_bytes || event->neighbours))
			return false;
	}
	return call->event_count <= MOST_EVENTS && !call->polls;
}

int build_know(struct flow_rank_builder *builder, struct build_node *node,
	       const struct flow_codes *codes, const struct mpi_call *call, struct error *err)
{
	struct build_known *known = node->known;

	if (!can_be_known(call))
		return 0;
	if (!known)
		TRY(allocate(&known, 1, sizeof *known + call->event_count * sizeof *known->events,
			     err));
	node->known = known;
	known->function = call->function;
	known->place = build_place(call);
	known->count = call->event_count;
	for (uint32_t i = 0; i < call->event_count; i++) {
		struct mpi_event *event = &known->events[i].event;

		*event = call->events[i];
		known->events[i].code = codes->items[i];
		/* The caller's text may be another one by then. */
		if (event->operation)
			TRY(flow_string(&builder->calls, event->operation, &event->operation, err));
	}
	return 0;
}

/* ------------------------------------------------------------------------ graphs */

/*
 * Put the visits of an edge: of a lossy thread any, `first` and the next ones, as only their number
 * is known.
 */
static int put_visits(const struct build_thread *thread, const struct build_edge *edge,
		      uint64_t first, struct flow_blocks *blocks, struct error *err)
{
	const struct flow_block any = {.first = first,
				       .last = first + edge->visits.count - 1,
				       .length = edge->visits.count};

	return thread->coarseness ? array_push(blocks, any, err)
				  : flow_set_copy(&edge->visits, blocks, err);
}

static int build_edges(const struct build_thread *thread, uint32_t from, struct flow_graph *graph,
		       struct error *err)
{
	const struct build_node *node = &thread->nodes.items[from];
	uint64_t first = 0;

	for (size_t e = 0; e < node->edges.count; e++) {
		const struct build_edge *edge = &thread->edges.items[node->edges.items[e]];
		struct flow_edge made = {.from = from,
					 .to = edge->to,
					 .blocks = (uint32_t)graph->blocks.count,
					 .count = edge->visits.count};

		TRY(put_visits(thread, edge, first, &graph->blocks, err));
		first += edge->visits.count;
		made.block_count = (uint32_t)graph->blocks.count - made.blocks;
		TRY(array_push(&graph->edges, made, err));
	}
	return 0;
}

int build_graph(const struct build_thread *thread, struct flow_graph *graph, struct error *err)
{
	graph->end = thread->at;
	graph->events = thread->events;
	for (uint32_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];
		const struct flow_node made = {.signature = node->signature,
					       .edges = (uint32_t)graph->edges.count,
					       .edge_count = (uint32_t)node->edges.count,
					       .visits = node->visits};

		TRY(array_push(&graph->nodes, made, err));
		TRY(build_edges(thread, n, graph, err));
	}
	return 0;
}

void build_thread_release(struct build_thread *thread)
{
	if (!thread)
		return;
	for (size_t n = 0; n < thread->nodes.count; n++) {
		array_release(&thread->nodes.items[n].edges);
		array_release(&thread->nodes.items[n].values);
		array_release(&thread->nodes.items[n].row);
		array_release(&thread->nodes.items[n].times.bytes);
		free(thread->nodes.items[n].known);
	}
	for (size_t e = 0; e < thread->edges.count; e++) {
		array_release(&thread->edges.items[e].visits.blocks);
		array_release(&thread->edges.items[e].times.bytes);
	}
	array_release(&thread->nodes);
	array_release(&thread->edges);
	array_release(&thread->codes);
	array_release(&thread->coarse);
	array_release(&thread->open);
	array_release(&thread->row);
	number_map_release(&thread->node_of);
	number_map_release(&thread->edge_of);
	number_map_release(&thread->content_of);
	array_release(&thread->contents);
	free(thread);
}
