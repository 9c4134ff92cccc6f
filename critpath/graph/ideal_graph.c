#include "critpath/graph/ideal_graph.h"

#include "common/ranges.h"
#include "dist/dist_deliver.h"
#include "trace/measured/measured_parts.h"

/* An edge for the process of its other end. */
struct sent_edge {
	dist_vertex from, to;
};

struct ideal_builder {
	struct ideal_graph *graph;
	ARRAY(struct sent_edge) sent;
};

uint32_t ideal_rank_at(const struct ideal_graph *graph, uint32_t place)
{
	const struct measured_run *run = graph->waits->run;
	const dist_vertex *first = graph->numbers.first_call + run->own_first;

	return run->own_first +
	       range_of(first, run->own_end - run->own_first, first[0] + 2 * (uint64_t)place);
}

/* ---------------------------------------------------------------------- places */

static int make_places(struct ideal_graph *graph, struct error *err)
{
	const struct measured_run *run = graph->waits->run;
	const struct dist_graph *numbers = &graph->numbers;
	uint64_t calls = 0, hubs;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		calls += run->ranks[r].calls.count;
	hubs = numbers->first[graph->process + 1] - numbers->first_hub[graph->process];
	if (calls + hubs >= IDEAL_CALLS)
		return error_set(err, STATUS_LIMIT, "the run has too many calls");
	graph->calls = (uint32_t)calls;
	graph->count = (uint32_t)(calls + hubs);
	TRY(allocate(&graph->places, graph->count, sizeof *graph->places, err));
	for (uint32_t i = 0; i < graph->count; i++)
		graph->places[i] = (struct ideal_place){.next = IDEAL_OUTSIDE,
							.part = NO_PART,
							.edge = IDEAL_NO_EDGE};
	return 0;
}

/* Link the calls of a thread. */
static int link_thread(struct ideal_graph *graph, uint32_t rank, uint32_t thread, struct error *err)
{
	const struct measured_rank *of = &graph->waits->run->ranks[rank];
	struct ideal_place *places = graph->places + ideal_rank_place(graph, rank);
	struct thread_calls calls = thread_calls_of(of, thread);
	struct ideal_place *last = NULL;

	while (thread_calls_next(&calls)) {
		if (last)
			last->next = calls.call;
		else
			TRY(array_push(&graph->threads,
				       ((struct ideal_thread){rank, calls.call, thread}), err));
		last = &places[calls.call];
		last->pending = 1;
		last->next = IDEAL_LAST;
	}
	if (last && calls.last_ns == of->end_ns)
		last->next = IDEAL_FINAL;
	return 0;
}

/* ----------------------------------------------------------------------- edges */

static int add_edge(struct ideal_graph *graph, dist_vertex from, dist_vertex to, struct error *err)
{
	struct ideal_place *place = &graph->places[ideal_place_of(graph, from)];

	if (graph->edges.count >= IDEAL_NO_EDGE)
		return error_set(err, STATUS_LIMIT, "the run has too many messages");
	TRY(array_push(&graph->edges, ((struct ideal_edge){to, place->edge}), err));
	place->edge = (uint32_t)(graph->edges.count - 1);
	return 0;
}

/* Take what concerns this process of an edge. */
static int take_edge_end(struct ideal_graph *graph, dist_vertex from, dist_vertex to,
			 struct error *err)
{
	if (ideal_owns(graph, to))
		graph->places[ideal_place_of(graph, to)].pending++;
	return ideal_owns(graph, from) ? add_edge(graph, from, to, err) : 0;
}

static int ideal_take_edge(void *data, uint64_t from, uint64_t to, uint32_t order, uint64_t wait_ns,
			   struct error *err)
{
	struct ideal_builder *builder = data;
	const struct sent_edge edge = {from, to};

	(void)order, (void)wait_ns;
	TRY(take_edge_end(builder->graph, from, to, err));
	if (ideal_owns(builder->graph, from) && ideal_owns(builder->graph, to))
		return 0;
	return array_push(&builder->sent, edge, err);
}

static int add_own_edges(struct ideal_builder *builder, struct error *err)
{
	struct ideal_graph *graph = builder->graph;
	const struct measured_run *run = graph->waits->run;
	struct program_edges edges = {
		.waits = graph->waits,
		.first_call = graph->numbers.first_call,
		.first_hub = graph->numbers.first_hub,
		.take = ideal_take_edge,
		.data = builder,
		.err = err,
	};

	TRY(make_places(graph, err));
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		for (uint32_t thread = 0; thread < run->ranks[r].thread_count; thread++)
			TRY(link_thread(graph, r, thread, err));
		TRY(program_edges_of_rank(&edges, r));
	}
	return 0;
}

/* ------------------------------------------------------------------- processes */

/* The process of the end of an edge that the sender does not have. */
static uint32_t process_of_edge(const void *data, const void *item)
{
	const struct ideal_graph *graph = data;
	const struct sent_edge *edge = item;

	return dist_graph_process(&graph->numbers,
				  ideal_owns(graph, edge->from) ? edge->to : edge->from);
}

static int take_sent(struct ideal_graph *graph, const struct bytes *arrived, struct error *err)
{
	const struct sent_edge *edges = (const struct sent_edge *)arrived->list.items;
	const size_t count = arrived->list.count / sizeof *edges;

	for (size_t i = 0; i < count; i++)
		TRY(take_edge_end(graph, edges[i].from, edges[i].to, err));
	return 0;
}

static int exchange_edges(struct ideal_builder *builder, struct dist *dist, struct error *err)
{
	const struct dist_items items = {
		.list = (void **)&builder->sent.items,
		.count = builder->sent.count,
		.item_bytes = sizeof *builder->sent.items,
		.process_of = process_of_edge,
		.data = builder->graph,
	};
	struct bytes arrived;
	int result;

	TRY(dist_deliver(dist, &items, &arrived, err));
	result = dist_agree(dist, take_sent(builder->graph, &arrived, err), err);
	bytes_release(&arrived);
	return result;
}

int ideal_graph_build(struct ideal_graph *graph, const struct waits *waits, struct dist *dist,
		      struct error *err)
{
	struct ideal_builder builder = {.graph = graph};
	int result;

	*graph = (struct ideal_graph){.waits = waits, .process = dist->rank};
	TRY(dist_graph_number(&graph->numbers, waits, dist, err));
	result = dist_agree(dist, add_own_edges(&builder, err), err);
	if (result == 0)
		result = exchange_edges(&builder, dist, err);
	array_release(&builder.sent);
	if (result < 0)
		ideal_graph_release(graph);
	return result;
}

void ideal_graph_release(struct ideal_graph *graph)
{
	dist_graph_release(&graph->numbers);
	free(graph->places);
	graph->places = NULL;
	array_release(&graph->edges);
	array_release(&graph->threads);
}
