#include "critpath/graph/ideal_run.h"

#include "critpath/graph/program_graph.h"

struct ideal {
	const struct program_graph *graph;
	const struct measured_run *run;
	uint32_t *before; /* [vertex]: edges to it whose start is not final */
	uint64_t *at_ns;  /* [vertex]: in the ideal run */
	uint32_t *ready;  /* vertices whose times are final; as many as there are, in order */
	uint32_t ready_count;
};

/* Computation between two vertices, if the edge is from call to call of a thread. */
static uint64_t computation(const struct ideal *ideal, const struct program_vertex *from,
			    uint32_t from_number, const struct program_edge *edge)
{
	const struct program_graph *graph = ideal->graph;
	struct program_vertex to;
	uint64_t from_ns = from->at_ns, to_ns;

	if (edge->to == graph->sink) {
		to_ns = ideal->run->end_ns - edge->wait_ns;
		return from->call != NO_CALL && to_ns > from_ns ? to_ns - from_ns : 0;
	}
	to = program_vertex_of(graph, edge->to);
	to_ns = to.at_ns;
	if (to.call == NO_CALL || to.end)
		return 0;
	if (from_number == graph->source) {
		/* A further thread may not exist before its first call. */
		if (ideal->run->ranks[to.rank].calls.items[to.call].thread)
			return 0;
		from_ns = ideal->run->ranks[to.rank].begin_ns;
	}
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void make_ready(struct ideal *ideal, uint32_t vertex)
{
	if (ideal->before[vertex] == 0)
		ideal->ready[ideal->ready_count++] = vertex;
}

/* Let all that a vertex leads to be no earlier than it allows. */
static void ideal_follow(struct ideal *ideal, uint32_t vertex)
{
	const struct program_graph *graph = ideal->graph;
	const struct program_vertex from = program_vertex_of(graph, vertex);

	for (uint64_t e = graph->first_edge[vertex]; e < graph->first_edge[vertex + 1]; e++) {
		const struct program_edge *edge = &graph->edges[e];
		const uint64_t ns = ideal->at_ns[vertex] + computation(ideal, &from, vertex, edge);

		if (ns > ideal->at_ns[edge->to])
			ideal->at_ns[edge->to] = ns;
		ideal->before[edge->to]--;
		make_ready(ideal, edge->to);
	}
}

static int play_run(struct ideal *ideal, struct error *err)
{
	const struct program_graph *graph = ideal->graph;
	const uint32_t count = graph->vertex_count;

	TRY(allocate(&ideal->before, count, sizeof *ideal->before, err));
	TRY(allocate(&ideal->at_ns, count, sizeof *ideal->at_ns, err));
	TRY(allocate(&ideal->ready, count, sizeof *ideal->ready, err));
	for (uint64_t e = 0; e < graph->first_edge[count]; e++)
		ideal->before[graph->edges[e].to]++;
	for (uint32_t v = 0; v < count; v++)
		make_ready(ideal, v);
	for (uint32_t i = 0; i < ideal->ready_count; i++)
		ideal_follow(ideal, ideal->ready[i]);
	if (ideal->ready_count < count)
		return error_set(err, STATUS_DATA,
				 "%u calls wait for each other: clocks contradict each other",
				 (count - ideal->ready_count + 1) / 2);
	return 0;
}

int ideal_run_find(uint64_t *ideal_ns, const struct waits *waits, struct error *err)
{
	struct program_graph graph;
	struct ideal ideal = {.graph = &graph, .run = waits->run};
	int result;

	TRY(program_graph_build(&graph, waits, err));
	result = play_run(&ideal, err);
	if (result == 0)
		*ideal_ns = ideal.at_ns[graph.sink];
	free(ideal.before);
	free(ideal.at_ns);
	free(ideal.ready);
	program_graph_release(&graph);
	return result;
}
