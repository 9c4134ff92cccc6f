#include "critpath/path/graph_builder.h"
#include "trace/call/mpi_functions.h"

const struct measured_call *graph_call(const struct measured_run *run, uint32_t rank, uint32_t call)
{
	return &run->ranks[rank].calls.items[call];
}

uint32_t graph_begin(const struct graph_builder *builder, uint32_t rank, uint32_t call)
{
	return builder->graph->first_vertex[rank] + 2 * call;
}

static uint32_t end_of(const struct graph_builder *builder, uint32_t rank, uint32_t call)
{
	return graph_begin(builder, rank, call) + 1;
}

int graph_add_edge(struct graph_builder *builder, uint32_t from, uint32_t to, uint64_t wait_ns)
{
	return array_push(&builder->edges, ((struct raw_edge){from, to, wait_ns}), builder->err);
}

uint64_t graph_time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

int graph_add_edge_to_end(struct graph_builder *builder, uint32_t from, uint64_t from_ns,
			  uint32_t rank, uint32_t call)
{
	const struct measured_call *to = graph_call(builder->run, rank, call);

	if (to->leave_ns < from_ns) {
		builder->graph->left_out++;
		return 0;
	}
	return graph_add_edge(builder, from, end_of(builder, rank, call),
			      graph_time_between(from_ns, to->enter_ns));
}

int graph_add_hub(struct graph_builder *builder, uint64_t at_ns, uint32_t *hub)
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

struct thread_calls thread_calls_of(const struct measured_rank *rank, uint32_t thread)
{
	return (struct thread_calls){.rank = rank, .thread = thread, .last_ns = rank->begin_ns};
}

bool thread_calls_next(struct thread_calls *calls)
{
	const struct measured_rank *rank = calls->rank;

	while (calls->next < rank->calls.count) {
		const struct measured_call *call = &rank->calls.items[calls->next];

		calls->call = calls->next++;
		if (call->thread != calls->thread || is_boundary(call, MPI_CLASS_INIT))
			continue;
		if (call->enter_ns >= rank->end_ns && is_boundary(call, MPI_CLASS_FINALIZE)) {
			calls->last_ns = rank->end_ns;
			return false;
		}
		calls->last_ns = call->leave_ns;
		return true;
	}
	return false;
}

/* Add the edges of a thread: from the source, from call to call, to the sink. */
static int add_thread(struct graph_builder *builder, uint32_t number, uint32_t thread)
{
	struct thread_calls calls = thread_calls_of(&builder->run->ranks[number], thread);
	uint32_t before = builder->graph->source;

	while (thread_calls_next(&calls)) {
		TRY(graph_add_edge(builder, before, graph_begin(builder, number, calls.call), 0));
		before = end_of(builder, number, calls.call);
		TRY(graph_add_edge(builder, graph_begin(builder, number, calls.call), before,
				   wait_ns(builder->graph->waits, number, calls.call)));
	}
	return graph_add_edge(builder, before, builder->graph->sink,
			      graph_time_between(calls.last_ns, builder->run->end_ns));
}

/* -------------------------------------------------------------------- messages */

static int add_messages(struct graph_builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];
		const uint32_t match = run->send_of[number][i];
		uint64_t begin_ns;
		uint32_t send;

		if (match == NO_MATCH)
			continue;
		send = run->ranks[recv->peer].sends.items[match].begin;
		begin_ns = graph_call(run, recv->peer, send)->enter_ns;
		if (!depends_on_send(rank, recv, begin_ns))
			continue;
		TRY(graph_add_edge_to_end(builder, graph_begin(builder, recv->peer, send), begin_ns,
					  number, recv->end));
	}
	return 0;
}

/* Add an edge for each call that waited for its receiver. */
static int add_late_receivers(struct graph_builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;

	for (uint32_t c = 0; c < run->ranks[number].calls.count; c++) {
		const struct wait *wait = wait_at(builder->graph->waits, number, c);

		if (wait->kind == WAIT_LATE_RECEIVER)
			TRY(graph_add_edge_to_end(builder,
						  graph_begin(builder, wait->rank, wait->call),
						  graph_call(run, wait->rank, wait->call)->enter_ns,
						  number, c));
	}
	return 0;
}

/* ----------------------------------------------------------------------- graph */

static int number_vertices(struct graph_builder *builder)
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

static int add_all(struct graph_builder *builder)
{
	const struct measured_run *run = builder->run;

	TRY(number_vertices(builder));
	for (uint32_t r = 0; r < run->rank_count; r++) {
		for (uint32_t thread = 0; thread < run->ranks[r].thread_count; thread++)
			TRY(add_thread(builder, r, thread));
		TRY(add_messages(builder, r));
		TRY(add_late_receivers(builder, r));
	}
	return graph_add_collectives(builder);
}

/* Put the edges into the order of the vertices where they begin. */
static int sort_edges(struct graph_builder *builder)
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
	struct graph_builder builder = {.graph = graph, .run = waits->run, .err = err};
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
	found.at_ns = found.end ? graph_call(run, low, found.call)->leave_ns
				: graph_call(run, low, found.call)->enter_ns;
	return found;
}
