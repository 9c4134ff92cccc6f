#include "critpath/graph/dist_graph.h"

#include "common/ranges.h"
#include "critpath/path/members.h"
#include "dist/dist_deliver.h"

#include <string.h>

struct builder {
	struct dist_graph *graph;
	const struct measured_run *run;
	struct dist *dist;
	struct program_edges edges;
	struct members kept;		  /* as observed: of instances that this process keeps */
	struct member_hubs hubs;	  /* ... and their hubs */
	uint64_t instances;		  /* that this process keeps */
	ARRAY(struct dist_raw_edge) sent; /* edges to vertices of other processes */
	struct error *err;
};

/* -------------------------------------------------------------------- vertices */

/*
 * Number the vertices: `calls` of all ranks, `hubs` of all processes, and `ranks`, the first rank of
 * each process.
 */
static void number_vertices(struct builder *builder, const uint64_t *calls, const uint64_t *hubs,
			    const uint64_t *ranks)
{
	struct dist_graph *graph = builder->graph;
	dist_vertex next = 0;
	uint32_t rank = 0;

	for (uint32_t p = 0; p < builder->dist->size; p++) {
		const uint64_t end = p + 1 < builder->dist->size ? ranks[p + 1]
								 : builder->run->rank_count;

		graph->first[p] = next;
		if (p == 0)
			next = PROGRAM_FIRST_CALL;
		for (; rank < end; rank++) {
			graph->first_call[rank] = next;
			next += 2 * calls[rank];
		}
		graph->first_hub[p] = next;
		next += hubs[p];
	}
	graph->first[builder->dist->size] = next;
}

/* Let all processes know the calls of each rank, the hubs and the first rank of each process. */
static int count_all(struct builder *builder, uint64_t *calls, uint64_t *hubs, uint64_t *ranks)
{
	const struct measured_run *run = builder->run;
	struct dist *dist = builder->dist;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		calls[r] = run->ranks[r].calls.count;
	for (size_t i = 0; i < run->instances.count; i++) {
		const struct measured_instance *instance = &run->instances.items[i];

		if (hubs[instance->owner] <= instance->index_at_owner)
			hubs[instance->owner] = instance->index_at_owner + UINT64_C(1);
	}
	ranks[dist->rank] = run->own_first;
	TRY(dist_allreduce(dist, calls, run->rank_count, DIST_SUM, builder->err));
	TRY(dist_allreduce(dist, hubs, dist->size, DIST_MAX, builder->err));
	builder->instances = hubs[dist->rank];
	for (uint32_t p = 0; p < dist->size; p++)
		hubs[p] = p == dist->rank ? builder->instances + builder->hubs.more : 0;
	TRY(dist_allreduce(dist, hubs, dist->size, DIST_SUM, builder->err));
	return dist_allreduce(dist, ranks, dist->size, DIST_SUM, builder->err);
}

static int make_vertices(struct builder *builder)
{
	struct dist_graph *graph = builder->graph;
	const uint32_t size = builder->dist->size;
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
	result = dist_agree(builder->dist, result, builder->err);
	if (result == 0) {
		uint64_t *hubs = counts + builder->run->rank_count;

		result = count_all(builder, counts, hubs, hubs + size);
		if (result == 0)
			number_vertices(builder, counts, hubs, hubs + size);
		if (result == 0 && graph->first[size] >> DIST_VERTEX_BITS)
			result = error_set(builder->err, STATUS_LIMIT,
					   "the run has too many calls");
	}
	free(counts);
	return result;
}

/* ----------------------------------------------------------------------- edges */

static int take_edge(void *data, uint64_t from, uint64_t to, uint32_t order, uint64_t wait_ns,
		     struct error *err)
{
	struct builder *builder = data;
	const struct dist_raw_edge edge = {
		.from = from,
		.order = order < DIST_ORDERS ? order : DIST_ORDERS - 1,
		.to = to,
		.wait_ns = wait_ns,
	};

	return dist_graph_owns(builder->graph, builder->dist->rank, to)
		       ? array_push(&builder->graph->edges, edge, err)
		       : array_push(&builder->sent, edge, err);
}

/* About as many edges as there are into vertices of this process. */
static size_t expected_edges(const struct measured_run *run)
{
	size_t count = 0;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		count += 2 * run->ranks[r].calls.count + run->ranks[r].recvs.count +
			 2 * run->ranks[r].parts.count + run->ranks[r].thread_count;
	return count;
}

static int add_edges(struct builder *builder)
{
	struct dist_graph *graph = builder->graph;
	const uint32_t rank = builder->dist->rank;

	builder->edges = (struct program_edges){
		.waits = graph->waits,
		.first_call = graph->first_call,
		.first_hub = graph->first_hub,
		.take = take_edge,
		.data = builder,
		.err = builder->err,
	};
	TRY(array_reserve(&graph->edges, expected_edges(builder->run), builder->err));
	TRY(program_edges_of_ranks(&builder->edges));
	if (graph->waits->observed)
		TRY(program_edges_of_members(&builder->edges, &builder->hubs, rank,
					     graph->first_hub[rank] + builder->instances));
	graph->left_out = builder->edges.left_out;
	return 0;
}

/* As observed, gather the members of the instances that this process keeps, and find their hubs. */
static int gather_members(struct builder *builder)
{
	struct dist *dist = builder->dist;
	struct members own = {0};
	int result = members_list(&own, builder->run, true, builder->err);

	result = dist_agree(dist, result, builder->err);
	if (result == 0)
		result = members_gather(&builder->kept, &own, NULL, builder->run, dist,
					builder->err);
	members_release(&own);
	TRY(result);
	members_sort(&builder->kept);
	return dist_agree(dist, member_hubs_find(&builder->hubs, &builder->kept, builder->err),
			  builder->err);
}

/* -------------------------------------------------------------------- exchange */

static uint32_t process_to(const void *data, const void *edge)
{
	return dist_graph_process(data, ((const struct dist_raw_edge *)edge)->to);
}

static int take_arrived(struct builder *builder, const struct bytes *arrived)
{
	struct dist_graph *graph = builder->graph;
	const uint64_t bytes = arrived->list.count;

	TRY(array_reserve(&graph->edges, bytes / sizeof *graph->edges.items, builder->err));
	if (bytes)
		memcpy(graph->edges.items + graph->edges.count, arrived->list.items, bytes);
	graph->edges.count += bytes / sizeof *graph->edges.items;
	return 0;
}

/* Give each process the edges into its vertices: hubs, calls of observed members, the sink. */
static int exchange_edges(struct builder *builder)
{
	const struct dist_items items = {
		.list = (void **)&builder->sent.items,
		.count = builder->sent.count,
		.item_bytes = sizeof *builder->sent.items,
		.process_of = process_to,
		.data = builder->graph,
	};
	struct bytes arrived;
	int result;

	TRY(dist_deliver(builder->dist, &items, &arrived, builder->err));
	result = dist_agree(builder->dist, take_arrived(builder, &arrived), builder->err);
	bytes_release(&arrived);
	return result;
}

static int build(struct builder *builder)
{
	if (builder->graph->waits->observed)
		TRY(gather_members(builder));
	TRY(make_vertices(builder));
	TRY(dist_agree(builder->dist, add_edges(builder), builder->err));
	return exchange_edges(builder);
}

int dist_graph_number(struct dist_graph *graph, const struct waits *waits, struct dist *dist,
		      struct error *err)
{
	struct builder builder = {graph, waits->run, dist, .err = err};

	*graph = (struct dist_graph){.waits = waits, .processes = dist->size};
	if (make_vertices(&builder) == 0)
		return 0;
	dist_graph_release(graph);
	return -1;
}

int dist_graph_build(struct dist_graph *graph, const struct waits *waits, struct dist *dist,
		     struct error *err)
{
	struct builder builder = {graph, waits->run, dist, .err = err};
	int result;

	*graph = (struct dist_graph){.waits = waits, .processes = dist->size};
	result = build(&builder);
	array_release(&builder.sent);
	members_release(&builder.kept);
	member_hubs_release(&builder.hubs);
	if (result < 0)
		dist_graph_release(graph);
	return result;
}

void dist_graph_release(struct dist_graph *graph)
{
	free(graph->first);
	free(graph->first_hub);
	free(graph->first_call);
	array_release(&graph->edges);
}

uint32_t dist_graph_process(const struct dist_graph *graph, dist_vertex vertex)
{
	return range_of(graph->first, graph->processes, vertex);
}

struct program_vertex dist_graph_vertex(const struct dist_graph *graph, dist_vertex vertex)
{
	const struct measured_run *run = graph->waits->run;
	struct program_vertex found = {.call = NO_CALL};
	uint32_t rank;

	if (vertex == PROGRAM_SOURCE || vertex == PROGRAM_SINK) {
		found.at_ns = vertex == PROGRAM_SOURCE ? run->begin_ns : run->end_ns;
		return found;
	}
	rank = run->own_first +
	       range_of(graph->first_call + run->own_first, run->own_end - run->own_first, vertex);
	if (rank == run->own_end || vertex < graph->first_call[rank] ||
	    (vertex - graph->first_call[rank]) / 2 >= run->ranks[rank].calls.count)
		return found;
	found.rank = rank;
	found.call = (uint32_t)((vertex - graph->first_call[rank]) / 2);
	found.end = (vertex - graph->first_call[rank]) % 2;
	found.at_ns = found.end ? run->ranks[rank].calls.items[found.call].leave_ns
				: run->ranks[rank].calls.items[found.call].enter_ns;
	return found;
}
