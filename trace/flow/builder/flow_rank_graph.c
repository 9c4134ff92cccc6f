/* Nodes and edges of a thread, with the visits of edges and the values of visits. */
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
	TRY(build_add_visit(thread, edge, thread->nodes.items[thread->at].visits - 1, err));
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
	event.visit = build_arrive(thread, event.node);
	thread->growth++;
	TRY(add_row(node, thread->coarseness > 0, &thread->row, err));
	TRY(build_add_durations(builder, &node->times, thread, err));
	thread->open.count = 0;
	thread->row.count = 0;
	build_report(builder, thread, &event);
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
