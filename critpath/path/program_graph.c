#include "critpath/path/program_graph.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

struct raw_edge {
	uint32_t from, to;
	uint64_t wait_ns;
};

struct builder {
	struct program_graph *graph;
	const struct measured_run *run;
	ARRAY(struct raw_edge) edges;
	ARRAY(uint64_t) hubs;
	struct error *err;
};

static const struct measured_call *call_of(const struct measured_run *run, uint32_t rank,
					   uint32_t call)
{
	return &run->ranks[rank].calls.items[call];
}

static uint32_t begin_of(const struct builder *builder, uint32_t rank, uint32_t call)
{
	return builder->graph->first_vertex[rank] + 2 * call;
}

static uint32_t end_of(const struct builder *builder, uint32_t rank, uint32_t call)
{
	return begin_of(builder, rank, call) + 1;
}

static int add_edge(struct builder *builder, uint32_t from, uint32_t to, uint64_t wait_ns)
{
	return array_push(&builder->edges, ((struct raw_edge){from, to, wait_ns}), builder->err);
}

static uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Add an edge from the time `from_ns` to the end of a call, which waits for it from its begin. */
static int add_edge_to_end(struct builder *builder, uint32_t from, uint64_t from_ns, uint32_t rank,
			   uint32_t call)
{
	const struct measured_call *to = call_of(builder->run, rank, call);

	if (to->leave_ns < from_ns) {
		builder->graph->left_out++;
		return 0;
	}
	return add_edge(builder, from, end_of(builder, rank, call),
			time_between(from_ns, to->enter_ns));
}

/* Add a hub at a time; returns its vertex. */
static int add_hub(struct builder *builder, uint64_t at_ns, uint32_t *hub)
{
	const uint32_t first = builder->graph->first_vertex[builder->run->rank_count];

	if (builder->hubs.count >= UINT32_MAX - first - 2)
		return error_set(builder->err, STATUS_LIMIT, "the run has too many calls");
	*hub = first + (uint32_t)builder->hubs.count;
	return array_push(&builder->hubs, at_ns, builder->err);
}

/* -------------------------------------------------------------------- programs */

static bool is_boundary(const struct measured_call *call, enum mpi_class class)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == class &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

/* Add the edges of a thread: from the source, from call to call, to the sink. */
static int add_thread(struct builder *builder, uint32_t number, uint32_t thread)
{
	const struct measured_rank *rank = &builder->run->ranks[number];
	const uint64_t end_ns = builder->run->end_ns;
	uint32_t before = builder->graph->source;
	uint64_t last_ns = rank->begin_ns;

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];

		if (call->thread != thread || is_boundary(call, MPI_CLASS_INIT))
			continue;
		if (call->enter_ns >= rank->end_ns && is_boundary(call, MPI_CLASS_FINALIZE)) {
			last_ns = rank->end_ns;
			break;
		}
		TRY(add_edge(builder, before, begin_of(builder, number, c), 0));
		TRY(add_edge(builder, begin_of(builder, number, c), end_of(builder, number, c),
			     wait_ns(builder->graph->waits, number, c)));
		before = end_of(builder, number, c);
		last_ns = call->leave_ns;
	}
	return add_edge(builder, before, builder->graph->sink, time_between(last_ns, end_ns));
}

/* -------------------------------------------------------------------- messages */

static int add_messages(struct builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];
		const uint32_t match = run->send_of[number][i];
		uint32_t send;

		if (match == NO_MATCH)
			continue;
		send = run->ranks[recv->peer].sends.items[match].begin;
		if (!depends_on_send(rank, recv, call_of(run, recv->peer, send)->enter_ns))
			continue;
		TRY(add_edge_to_end(builder, begin_of(builder, recv->peer, send),
				    call_of(run, recv->peer, send)->enter_ns, number, recv->end));
	}
	return 0;
}

/* Add an edge for each call that waited for its receiver. */
static int add_late_receivers(struct builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;
	const struct wait *waits = builder->graph->waits->of[number];

	for (uint32_t c = 0; c < run->ranks[number].calls.count; c++)
		if (waits[c].kind == WAIT_LATE_RECEIVER)
			TRY(add_edge_to_end(builder,
					    begin_of(builder, waits[c].rank, waits[c].call),
					    call_of(run, waits[c].rank, waits[c].call)->enter_ns,
					    number, c));
	return 0;
}

/* ----------------------------------------------------------------- collectives */

enum reach { REACH_NOBODY, REACH_ALL, REACH_FROM_ROOT, REACH_TO_ROOT, REACH_UPWARDS };

static enum reach reach_of(const struct measured_part *part)
{
	switch (part->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return part->root == NO_ROOT ? REACH_NOBODY : REACH_FROM_ROOT;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return part->root == NO_ROOT ? REACH_NOBODY : REACH_TO_ROOT;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return REACH_UPWARDS;
	case MEASURED_NEIGHBOURS:
		return REACH_NOBODY;
	default:
		return REACH_ALL;
	}
}

/* Add what a member gives to the hub of its instance and gets from it. */
static int add_part(struct builder *builder, uint32_t number, size_t index)
{
	const uint32_t *hub_of = builder->graph->hub_of;
	const struct measured_run *run = builder->run;
	const struct measured_part *part = &run->ranks[number].parts.items[index];
	const uint32_t instance = run->instance_of[number][index];
	const enum reach reach = reach_of(part);
	const bool is_root = part->root == number;
	uint64_t hub_ns, begin_ns;
	uint32_t hub;

	if (instance == NO_MATCH || hub_of[instance] == UINT32_MAX)
		return 0;
	hub = hub_of[instance];
	hub_ns = builder->hubs.items[hub - builder->graph->first_vertex[run->rank_count]];
	begin_ns = call_of(run, number, part->begin)->enter_ns;
	if (reach != REACH_FROM_ROOT || is_root)
		TRY(add_edge(builder, begin_of(builder, number, part->begin), hub,
			     time_between(begin_ns, hub_ns)));
	if (reach != REACH_TO_ROOT || is_root)
		TRY(add_edge_to_end(builder, hub, hub_ns, number, part->end));
	return 0;
}

/* Make the hubs of all instances but scans. */
static int add_hubs(struct builder *builder)
{
	uint32_t *hub_of = builder->graph->hub_of;
	const struct measured_run *run = builder->run;

	memset(hub_of, 0xff, run->instances.count * sizeof *hub_of);
	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++) {
			const uint32_t index = run->instance_of[r][i];
			const enum reach reach = reach_of(&run->ranks[r].parts.items[i]);
			const struct measured_instance *instance;
			uint64_t at_ns;

			if (index == NO_MATCH || hub_of[index] != UINT32_MAX ||
			    reach == REACH_NOBODY || reach == REACH_UPWARDS)
				continue;
			instance = &run->instances.items[index];
			if (reach == REACH_FROM_ROOT && instance->root.call == NO_CALL)
				continue;
			at_ns = reach == REACH_FROM_ROOT
					? call_of(run, instance->root_rank, instance->root.call)
						  ->enter_ns
					: instance->last.begin_ns;
			TRY(add_hub(builder, at_ns, &hub_of[index]));
		}
	return 0;
}

static int add_collectives(struct builder *builder)
{
	const struct measured_run *run = builder->run;

	TRY(allocate(&builder->graph->hub_of, run->instances.count, sizeof(uint32_t),
		     builder->err));
	TRY(add_hubs(builder));
	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++)
			TRY(add_part(builder, r, i));
	return 0;
}

/* Add an edge for each call of a scan that waited; those before it are no later. */
static int add_scans(struct builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct measured_part *part = &rank->parts.items[i];
		const struct wait *wait = &builder->graph->waits->of[number][part->end];

		if (reach_of(part) == REACH_UPWARDS && wait->kind == WAIT_COLLECTIVE)
			TRY(add_edge_to_end(builder, begin_of(builder, wait->rank, wait->call),
					    call_of(run, wait->rank, wait->call)->enter_ns, number,
					    part->end));
	}
	return 0;
}

/* ----------------------------------------------------------------------- graph */

static int number_vertices(struct builder *builder)
{
	const struct measured_run *run = builder->run;
	uint64_t count = 0;

	TRY(allocate(&builder->graph->first_vertex, (size_t)run->rank_count + 1,
		     sizeof *builder->graph->first_vertex, builder->err));
	for (uint32_t r = 0; r < run->rank_count; r++) {
		builder->graph->first_vertex[r] = (uint32_t)count + 2;
		count += 2 * run->ranks[r].calls.count;
		if (count > UINT32_MAX - 8)
			return error_set(builder->err, STATUS_LIMIT, "the run has too many calls");
	}
	builder->graph->first_vertex[run->rank_count] = (uint32_t)count + 2;
	builder->graph->source = 0;
	builder->graph->sink = 1;
	return 0;
}

static int add_all(struct builder *builder)
{
	const struct measured_run *run = builder->run;

	TRY(number_vertices(builder));
	for (uint32_t r = 0; r < run->rank_count; r++) {
		for (uint32_t thread = 0; thread < run->ranks[r].thread_count; thread++)
			TRY(add_thread(builder, r, thread));
		TRY(add_messages(builder, r));
		TRY(add_late_receivers(builder, r));
		TRY(add_scans(builder, r));
	}
	return add_collectives(builder);
}

/* Put the edges into the order of the vertices where they begin. */
static int sort_edges(struct builder *builder)
{
	struct program_graph *graph = builder->graph;

	graph->vertex_count = graph->first_vertex[builder->run->rank_count] +
			      (uint32_t)builder->hubs.count;
	TRY(allocate(&graph->first_edge, (size_t)graph->vertex_count + 1, sizeof *graph->first_edge,
		     builder->err));
	TRY(allocate(&graph->edges, builder->edges.count, sizeof *graph->edges, builder->err));
	for (size_t i = 0; i < builder->edges.count; i++)
		graph->first_edge[builder->edges.items[i].from]++;
	for (uint32_t v = 1; v <= graph->vertex_count; v++)
		graph->first_edge[v] += graph->first_edge[v - 1];
	for (size_t i = builder->edges.count; i-- > 0;) {
		const struct raw_edge *edge = &builder->edges.items[i];

		graph->edges[--graph->first_edge[edge->from]] =
			(struct program_edge){edge->to, edge->wait_ns};
	}
	return 0;
}

int program_graph_build(struct program_graph *graph, const struct waits *waits, struct error *err)
{
	struct builder builder = {.graph = graph, .run = waits->run, .err = err};
	int result;

	*graph = (struct program_graph){.waits = waits};
	result = add_all(&builder);
	if (result == 0)
		result = sort_edges(&builder);
	array_release(&builder.edges);
	graph->hub_ns = builder.hubs.items;
	if (result < 0)
		program_graph_release(graph);
	return result;
}

void program_graph_release(struct program_graph *graph)
{
	free(graph->first_vertex);
	free(graph->hub_ns);
	free(graph->hub_of);
	free(graph->first_edge);
	free(graph->edges);
}

struct program_vertex program_vertex_of(const struct program_graph *graph, uint32_t vertex)
{
	const struct measured_run *run = graph->waits->run;
	const uint32_t *first = graph->first_vertex;
	struct program_vertex found = {.call = NO_CALL};
	uint32_t low = 0, high = run->rank_count;

	if (vertex == graph->source || vertex == graph->sink) {
		found.at_ns = vertex == graph->source ? run->begin_ns : run->end_ns;
		return found;
	}
	if (vertex >= first[run->rank_count]) {
		found.at_ns = graph->hub_ns[vertex - first[run->rank_count]];
		return found;
	}
	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		if (first[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	found.rank = low;
	found.call = (vertex - first[low]) / 2;
	found.end = (vertex - first[low]) % 2;
	found.at_ns = found.end ? call_of(run, low, found.call)->leave_ns
				: call_of(run, low, found.call)->enter_ns;
	return found;
}
