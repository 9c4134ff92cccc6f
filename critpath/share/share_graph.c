#include "critpath/share/share_graph.h"

#include "critpath/path/program_graph.h"

#include <string.h>

struct builder {
	struct share_graph *graph;
	const struct measured_run *run;
	struct exchange *exchange;
	ARRAY(struct part_raw_edge) sent; /* edges to vertices of other processes */
	struct error *err;
};

/* -------------------------------------------------------------------- vertices */

static part_vertex begin_of(const struct builder *builder, uint32_t rank, uint32_t call)
{
	return builder->graph->first_call[rank] + 2 * (uint64_t)call;
}

static part_vertex end_of(const struct builder *builder, uint32_t rank, uint32_t call)
{
	return begin_of(builder, rank, call) + 1;
}

static part_vertex hub_of(const struct builder *builder, const struct measured_instance *instance)
{
	return builder->graph->first_hub[instance->keeper] + instance->kept_as;
}

static bool is_own(const struct builder *builder, part_vertex vertex)
{
	const uint32_t rank = builder->exchange->rank;

	return vertex >= builder->graph->first[rank] && vertex < builder->graph->first[rank + 1];
}

/*
 * Number the vertices: `calls` of all ranks, `hubs` of all processes, and `ranks`, the first rank of
 * each process.
 */
static void number_vertices(struct builder *builder, const uint64_t *calls, const uint64_t *hubs,
			    const uint64_t *ranks)
{
	struct share_graph *graph = builder->graph;
	part_vertex next = 0;
	uint32_t rank = 0;

	for (uint32_t p = 0; p < builder->exchange->size; p++) {
		const uint64_t end = p + 1 < builder->exchange->size ? ranks[p + 1]
								     : builder->run->rank_count;

		graph->first[p] = next;
		if (p == 0)
			next = SHARE_SINK + 1;
		for (; rank < end; rank++) {
			graph->first_call[rank] = next;
			next += 2 * calls[rank];
		}
		graph->first_hub[p] = next;
		next += hubs[p];
	}
	graph->first[builder->exchange->size] = next;
}

/* Let all processes know the calls of each rank, the hubs and the first rank of each process. */
static int count_all(struct builder *builder, uint64_t *calls, uint64_t *hubs, uint64_t *ranks)
{
	const struct measured_run *run = builder->run;
	struct exchange *exchange = builder->exchange;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		calls[r] = run->ranks[r].calls.count;
	for (size_t i = 0; i < run->instances.count; i++) {
		const struct measured_instance *instance = &run->instances.items[i];

		if (hubs[instance->keeper] <= instance->kept_as)
			hubs[instance->keeper] = instance->kept_as + UINT64_C(1);
	}
	ranks[exchange->rank] = run->own_first;
	TRY(exchange_reduce(exchange, calls, run->rank_count, EXCHANGE_SUM, builder->err));
	TRY(exchange_reduce(exchange, hubs, exchange->size, EXCHANGE_MOST, builder->err));
	return exchange_reduce(exchange, ranks, exchange->size, EXCHANGE_SUM, builder->err);
}

static int make_vertices(struct builder *builder)
{
	struct share_graph *graph = builder->graph;
	const uint32_t size = builder->exchange->size;
	uint64_t *counts = NULL;
	int result = allocate(&graph->first, (size_t)size + 1, sizeof *graph->first, builder->err);

	if (result == 0)
		result = allocate(&graph->first_hub, size, sizeof *graph->first_hub, builder->err);
	if (result == 0)
		result = allocate(&graph->first_call, builder->run->rank_count,
				  sizeof *graph->first_call, builder->err);
	if (result == 0)
		result = allocate(&counts, builder->run->rank_count + 2 * (size_t)size,
				  sizeof *counts, builder->err);
	result = exchange_agree(builder->exchange, result, builder->err);
	if (result == 0) {
		uint64_t *hubs = counts + builder->run->rank_count;

		result = count_all(builder, counts, hubs, hubs + size);
		if (result == 0)
			number_vertices(builder, counts, hubs, hubs + size);
	}
	free(counts);
	return result;
}

/* ----------------------------------------------------------------------- edges */

static int add_edge(struct builder *builder, part_vertex from, part_vertex to, uint64_t wait_ns)
{
	const struct part_raw_edge edge = {from, to, wait_ns};

	return is_own(builder, to) ? array_push(&builder->graph->edges, edge, builder->err)
				   : array_push(&builder->sent, edge, builder->err);
}

static uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Add an edge from the time `from_ns` to the end of an own call, which waits from its begin. */
static int add_edge_to_end(struct builder *builder, part_vertex from, uint64_t from_ns,
			   uint32_t rank, uint32_t call)
{
	const struct measured_call *to = &builder->run->ranks[rank].calls.items[call];

	if (to->leave_ns < from_ns) {
		builder->graph->left_out++;
		return 0;
	}
	return add_edge(builder, from, end_of(builder, rank, call),
			time_between(from_ns, to->enter_ns));
}

static int add_messages(struct builder *builder, uint32_t rank)
{
	const struct measured_run *run = builder->run;

	for (size_t i = 0; i < run->ranks[rank].recvs.count; i++) {
		const struct measured_recv *recv = &run->ranks[rank].recvs.items[i];
		struct measured_start send;

		if (run->send_of[rank][i] == NO_MATCH)
			continue;
		send = measured_send_of(run, rank, i);
		if (!depends_on_send(&run->ranks[rank], recv, send.begin_ns))
			continue;
		TRY(add_edge_to_end(builder, begin_of(builder, recv->peer, send.call),
				    send.begin_ns, rank, recv->end));
	}
	return 0;
}

/* Add an edge from the call that an own call waits for. */
static int add_cause(struct builder *builder, uint32_t rank, uint32_t call)
{
	const struct wait *wait = wait_at(builder->graph->waits, rank, call);

	return add_edge_to_end(builder, begin_of(builder, wait->rank, wait->call), wait->until_ns,
			       rank, call);
}

static int add_late_receivers(struct builder *builder, uint32_t rank)
{
	for (uint32_t c = 0; c < builder->run->ranks[rank].calls.count; c++)
		if (wait_at(builder->graph->waits, rank, c)->kind == WAIT_LATE_RECEIVER)
			TRY(add_cause(builder, rank, c));
	return 0;
}

/* Add what an own member of a collective gives to the hub, and gets from it. */
static int add_part(struct builder *builder, uint32_t rank, size_t index)
{
	const struct measured_run *run = builder->run;
	const struct measured_part *part = &run->ranks[rank].parts.items[index];
	const uint32_t number = run->instance_of[rank][index];
	const enum program_reach reach = program_reach_of(part);
	const struct measured_instance *instance;
	const bool is_root = part->root == rank;
	uint64_t hub_ns;

	if (reach == REACH_UPWARDS &&
	    wait_at(builder->graph->waits, rank, part->end)->kind == WAIT_COLLECTIVE)
		return add_cause(builder, rank, part->end);
	if (number == NO_MATCH || reach == REACH_NOBODY || reach == REACH_UPWARDS)
		return 0;
	instance = &run->instances.items[number];
	if (reach == REACH_FROM_ROOT && instance->root.call == NO_CALL)
		return 0;
	hub_ns = reach == REACH_FROM_ROOT ? instance->root.begin_ns : instance->last.begin_ns;
	if (reach != REACH_FROM_ROOT || is_root)
		TRY(add_edge(builder, begin_of(builder, rank, part->begin),
			     hub_of(builder, instance),
			     time_between(run->ranks[rank].calls.items[part->begin].enter_ns,
					  hub_ns)));
	if (reach != REACH_TO_ROOT || is_root)
		TRY(add_edge_to_end(builder, hub_of(builder, instance), hub_ns, rank, part->end));
	return 0;
}

/* Add the edges of a thread: from the source, from call to call, to the sink. */
static int add_thread(struct builder *builder, uint32_t rank, uint32_t thread)
{
	const struct waits *waits = builder->graph->waits;
	part_vertex before = SHARE_SOURCE;
	struct thread_calls calls = thread_calls_of(&builder->run->ranks[rank], thread);

	while (thread_calls_next(&calls)) {
		TRY(add_edge(builder, before, begin_of(builder, rank, calls.call), 0));
		before = end_of(builder, rank, calls.call);
		TRY(add_edge(builder, begin_of(builder, rank, calls.call), before,
			     wait_ns(waits, rank, calls.call)));
	}
	return add_edge(builder, before, SHARE_SINK,
			time_between(calls.last_ns, builder->run->end_ns));
}

static int add_edges(struct builder *builder)
{
	for (uint32_t r = builder->run->own_first; r < builder->run->own_end; r++) {
		const struct measured_rank *rank = &builder->run->ranks[r];

		for (uint32_t thread = 0; thread < rank->thread_count; thread++)
			TRY(add_thread(builder, r, thread));
		TRY(add_messages(builder, r));
		TRY(add_late_receivers(builder, r));
		for (size_t i = 0; i < rank->parts.count; i++)
			TRY(add_part(builder, r, i));
	}
	return 0;
}

/* -------------------------------------------------------------------- exchange */

/* Put the edges for other processes in order of these, and count the bytes for each. */
static int order_sent(struct builder *builder, struct part_raw_edge **ordered, uint64_t *sizes)
{
	const uint32_t size = builder->exchange->size;
	const struct part_raw_edge *sent = builder->sent.items;
	uint64_t *next = NULL;
	int result = allocate(ordered, builder->sent.count, sizeof **ordered, builder->err);

	if (result == 0)
		result = allocate(&next, (size_t)size + 1, sizeof *next, builder->err);
	for (size_t i = 0; result == 0 && i < builder->sent.count; i++)
		next[least_wait_owner(builder->graph->first, size, sent[i].to) + 1]++;
	for (uint32_t p = 0; result == 0 && p < size; p++) {
		sizes[p] = next[p + 1] * sizeof *sent;
		next[p + 1] += next[p];
	}
	for (size_t i = 0; result == 0 && i < builder->sent.count; i++)
		(*ordered)[next[least_wait_owner(builder->graph->first, size, sent[i].to)]++] =
			sent[i];
	free(next);
	return result;
}

static int take_arrived(struct builder *builder, const struct exchange_arrived *arrived)
{
	struct share_graph *graph = builder->graph;
	const uint64_t bytes = arrived->ends[builder->exchange->size - 1];

	TRY(array_reserve(&graph->edges, bytes / sizeof *graph->edges.items, builder->err));
	if (bytes)
		memcpy(graph->edges.items + graph->edges.count, arrived->bytes, bytes);
	graph->edges.count += bytes / sizeof *graph->edges.items;
	return 0;
}

/* Give each process the edges into its hubs, and process 0 those into the sink. */
static int exchange_edges(struct builder *builder)
{
	struct exchange *exchange = builder->exchange;
	struct part_raw_edge *ordered = NULL;
	struct exchange_arrived arrived = {0};
	uint64_t *sizes = NULL;
	int result = allocate(&sizes, exchange->size, sizeof *sizes, builder->err);

	if (result == 0)
		result = order_sent(builder, &ordered, sizes);
	array_release(&builder->sent);
	result = exchange_agree(exchange, result, builder->err);
	if (result == 0)
		result = exchange_all(exchange, ordered, sizes, &arrived, builder->err);
	free(ordered);
	free(sizes);
	if (result == 0)
		result = exchange_agree(exchange, take_arrived(builder, &arrived), builder->err);
	exchange_arrived_release(&arrived);
	return result;
}

int share_graph_build(struct share_graph *graph, const struct waits *waits,
		      struct exchange *exchange, struct error *err)
{
	struct builder builder = {graph, waits->run, exchange, .err = err};
	int result;

	*graph = (struct share_graph){.waits = waits};
	result = make_vertices(&builder);
	if (result == 0)
		result = exchange_agree(exchange, add_edges(&builder), err);
	if (result == 0)
		result = exchange_edges(&builder);
	array_release(&builder.sent);
	if (result < 0)
		share_graph_release(graph);
	return result;
}

void share_graph_release(struct share_graph *graph)
{
	free(graph->first);
	free(graph->first_hub);
	free(graph->first_call);
	array_release(&graph->edges);
}

struct program_vertex share_graph_vertex(const struct share_graph *graph, part_vertex vertex)
{
	const struct measured_run *run = graph->waits->run;
	struct program_vertex found = {.call = NO_CALL};
	uint32_t low = run->own_first, high = run->own_end;

	if (vertex == SHARE_SOURCE || vertex == SHARE_SINK) {
		found.at_ns = vertex == SHARE_SOURCE ? run->begin_ns : run->end_ns;
		return found;
	}
	while (high > low + 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (graph->first_call[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	if (low == run->own_end || vertex < graph->first_call[low] ||
	    (vertex - graph->first_call[low]) / 2 >= run->ranks[low].calls.count)
		return found;
	found.rank = low;
	found.call = (uint32_t)((vertex - graph->first_call[low]) / 2);
	found.end = (vertex - graph->first_call[low]) % 2;
	found.at_ns = found.end ? run->ranks[low].calls.items[found.call].leave_ns
				: run->ranks[low].calls.items[found.call].enter_ns;
	return found;
}
