/* Graphs as bytes, and what holds all of a flow. */
#include "trace/flow/flow_parts.h"

#include "common/input.h"
#include "trace/flow/flow_file.h"

#include <string.h>
#include <zstd.h>

/* ----------------------------------------------------------------------- graphs */

int flow_graph_put(const struct flow_graph *graph, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, graph->nodes.count, err));
	TRY(flow_put(bytes, graph->end, err));
	for (size_t n = 0; n < graph->nodes.count; n++) {
		const struct flow_node *node = &graph->nodes.items[n];

		TRY(flow_put(bytes, node->signature, err));
		TRY(flow_put(bytes, node->edge_count, err));
		for (uint32_t e = node->edges; e < node->edges + node->edge_count; e++) {
			const struct flow_edge *edge = &graph->edges.items[e];

			/* Mostly the next node follows. */
			TRY(flow_put(bytes, flow_fold_sign((int64_t)edge->to - (int64_t)n - 1),
				     err));
			TRY(flow_blocks_put(bytes, graph->blocks.items + edge->blocks,
					    edge->block_count, err));
		}
	}
	return 0;
}

static int get_edge(struct flow_graph *graph, uint32_t from, struct flow_cursor *cursor,
		    struct error *err)
{
	const int64_t to = flow_unfold_sign(flow_get_most(cursor, (uint64_t)UINT32_MAX * 2)) +
			   from + 1;
	struct flow_edge edge = {.from = from,
				 .to = (uint32_t)to,
				 .blocks = (uint32_t)graph->blocks.count};

	if (to < 0 || to > UINT32_MAX)
		cursor->damaged = true;
	TRY(flow_blocks_get(cursor, &graph->blocks, err));
	edge.block_count = (uint32_t)graph->blocks.count - edge.blocks;
	if (!edge.block_count || graph->blocks.count > UINT32_MAX)
		cursor->damaged = true;
	for (uint32_t i = edge.blocks; i < graph->blocks.count && !cursor->damaged; i++)
		edge.count += flow_block_count(&graph->blocks.items[i]);
	return array_push(&graph->edges, edge, err);
}

static int get_node(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		    struct error *err)
{
	struct flow_node node = {.edges = (uint32_t)graph->edges.count};

	node.signature = flow_get_below(cursor, flow->signatures.starts.count);
	node.edge_count = (uint32_t)flow_get_most(cursor, flow_left(cursor));
	for (uint32_t e = 0; e < node.edge_count && !cursor->damaged; e++)
		TRY(get_edge(graph, (uint32_t)graph->nodes.count, cursor, err));
	return array_push(&graph->nodes, node, err);
}

/* Count the visits of nodes by the edges that lead to them. */
static bool count_visits(struct flow_graph *graph)
{
	graph->nodes.items[0].visits = 1;
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (edge->to >= graph->nodes.count || edge->count > INT64_MAX / 2)
			return false;
		graph->nodes.items[edge->to].visits += edge->count;
		if (graph->nodes.items[edge->to].visits > INT64_MAX / 2)
			return false;
	}
	return graph->end < graph->nodes.count;
}

/* Check that edges of a node begin one after the other, and none follows after a visit that is not. */
static bool check_node(const struct flow_graph *graph, uint32_t number)
{
	const struct flow_node *node = &graph->nodes.items[number];
	const uint64_t left = node->visits - (number == graph->end);
	uint64_t first = 0, count = 0;

	if (!node->visits)
		return false;
	for (uint32_t e = node->edges; e < node->edges + node->edge_count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];
		const struct flow_block *blocks = &graph->blocks.items[edge->blocks];

		if (e > node->edges && blocks->first <= first)
			return false;
		first = blocks->first;
		count += edge->count;
		if (count > left || blocks[edge->block_count - 1].last >= left)
			return false;
	}
	return count == left;
}

int flow_graph_get(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		   struct error *err)
{
	/* A node has two bytes or more. */
	const uint64_t nodes = flow_get_most(cursor, flow_left(cursor) / 2);

	graph->end = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	for (uint64_t n = 0; n < nodes && !cursor->damaged; n++)
		TRY(get_node(flow, graph, cursor, err));
	if (nodes && !cursor->damaged && !count_visits(graph))
		cursor->damaged = true;
	for (uint32_t n = 0; n < nodes && !cursor->damaged; n++) {
		if (!check_node(graph, n) || graph->events > INT64_MAX / 2)
			cursor->damaged = true;
		graph->events += graph->nodes.items[n].visits;
	}
	return cursor->damaged ? error_set(err, STATUS_DATA, "damaged: a graph") : 0;
}

void flow_graph_release(struct flow_graph *graph)
{
	array_release(&graph->nodes);
	array_release(&graph->edges);
	array_release(&graph->blocks);
}

/* ------------------------------------------------------------------------- flow */

int flow_make(struct flow **made, struct error *err)
{
	struct flow *flow;
	uint32_t empty;

	*made = NULL;
	TRY(allocate(&flow, 1, sizeof *flow, err));
	if (string_table_add(&flow->strings, "", 0, &empty, err) < 0) {
		flow_release(flow);
		return -1;
	}
	*made = flow;
	return 0;
}

int flow_add_ranks(struct flow *flow, uint32_t count, struct error *err)
{
	const uint64_t needed = (uint64_t)flow->rank_count + count;

	if (needed > flow->rank_room) {
		const uint64_t room = needed > UINT32_MAX / 2 ? needed : needed + flow->rank_count;
		struct flow_rank *ranks;

		TRY(allocate(&ranks, room, sizeof *ranks, err));
		if (flow->rank_count)
			memcpy(ranks, flow->ranks, flow->rank_count * sizeof *ranks);
		free(flow->ranks);
		flow->ranks = ranks;
		flow->rank_room = (uint32_t)room;
	}
	flow->rank_count += count;
	return 0;
}

int flow_allocate(struct flow *flow, void *pointer, size_t count, size_t item_bytes,
		  struct error *err)
{
	TRY(array_reserve(&flow->owned, 1, err));
	TRY(allocate(pointer, count, item_bytes, err));
	memcpy(&flow->owned.items[flow->owned.count++], pointer, sizeof(void *));
	return 0;
}

int flow_keep(struct flow *flow, struct flow_bytes *bytes, struct flow_packed *packed,
	      struct error *err)
{
	array_fit(bytes);
	*packed = (struct flow_packed){bytes->items, bytes->count, bytes->count};
	if (!bytes->items)
		return 0;
	TRY(array_push(&flow->owned, (void *)bytes->items, err));
	*bytes = (struct flow_bytes){0};
	return 0;
}

int flow_unpack(const struct flow_packed *packed, struct flow_cursor *cursor, void **unpacked,
		struct error *err)
{
	size_t count;

	*unpacked = NULL;
	*cursor = flow_cursor(packed->bytes, packed->count);
	if (packed->raw_count == packed->count)
		return 0;
	TRY(allocate(unpacked, packed->raw_count, 1, err));
	count = ZSTD_decompress(*unpacked, packed->raw_count, packed->bytes, packed->count);
	if (ZSTD_isError(count) || count != packed->raw_count) {
		free(*unpacked);
		*unpacked = NULL;
		return error_set(err, STATUS_DATA, "damaged: %zu bytes that cannot be decompressed",
				 packed->count);
	}
	*cursor = flow_cursor(*unpacked, packed->raw_count);
	return 0;
}

static void release_ranks(struct flow *flow)
{
	for (uint32_t r = 0; r < flow->rank_count; r++) {
		for (size_t t = 0; t < flow->ranks[r].threads.count; t++)
			array_release(&flow->ranks[r].threads.items[t].contents);
		array_release(&flow->ranks[r].threads);
		array_release(&flow->ranks[r].comms);
		array_release(&flow->ranks[r].windows);
		array_release(&flow->ranks[r].groups);
		array_release(&flow->ranks[r].recorded);
	}
	free(flow->ranks);
}

void flow_release(struct flow *flow)
{
	if (!flow)
		return;
	release_ranks(flow);
	for (size_t i = 0; i < flow->graphs.count; i++)
		flow_graph_release(&flow->graphs.items[i]);
	for (size_t i = 0; i < flow->groups.count; i++)
		array_release(&flow->groups.items[i].members);
	for (size_t i = 0; i < flow->owned.count; i++)
		free(flow->owned.items[i]);
	array_release(&flow->graphs);
	array_release(&flow->groups);
	array_release(&flow->owned);
	array_release(&flow->signature_sizes);
	string_table_release(&flow->strings);
	string_table_release(&flow->signatures);
	if (flow->input)
		input_release((struct input *)flow->input);
	free((void *)flow->input);
	free(flow);
}
