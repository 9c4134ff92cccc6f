#include "critpath/graph/ideal_run.h"

#include "critpath/graph/program_graph.h"

struct ideal {
	const struct program_graph *graph;
	const struct measured_run *run;
	const struct measured_parts *parts;
	uint64_t *ideal_ns; /* [part] */
	uint32_t *before;   /* [vertex]: edges to it whose start is not final */
	uint32_t *
		part; /* [vertex]: its part or NO_PART; of hubs, and where calls begin, once it is ready */
	uint64_t *at_ns; /* [vertex]: in the ideal run of its part */
	uint32_t *ready; /* vertices whose times are final; as many as there are, in order */
	uint32_t ready_count;
};

static struct time_span span_of(const struct ideal *ideal, uint32_t rank, uint32_t part)
{
	return ideal->parts->ranks[rank].spans.items[part];
}

/* When computation began that ends with a vertex at which a call begins: at the end of another call, or with the rank. */
static uint64_t computation_begin(const struct ideal *ideal, const struct program_vertex *from,
				  const struct program_vertex *to)
{
	if (from->call != NO_CALL)
		return from->at_ns;
	/* A further thread may not exist before its first call. */
	if (ideal->run->ranks[to->rank].calls.items[to->call].thread)
		return to->at_ns;
	return ideal->run->ranks[to->rank].begin_ns;
}

/* Computation of a rank from a time to another one, within a part. */
static uint64_t computation(const struct ideal *ideal, uint32_t rank, uint32_t part,
			    uint64_t from_ns, uint64_t to_ns)
{
	const struct time_span between = {from_ns, to_ns};

	return from_ns < to_ns ? time_span_common_ns(between, span_of(ideal, rank, part)) : 0;
}

static void not_before(struct ideal *ideal, uint32_t vertex, uint64_t ns)
{
	if (ns > ideal->at_ns[vertex])
		ideal->at_ns[vertex] = ns;
}

/* Let a part end no earlier than a call in it, and the computation after it up to `to_ns`. */
static void end_part(struct ideal *ideal, uint32_t vertex, const struct program_vertex *from,
		     uint64_t to_ns)
{
	const uint32_t part = ideal->part[vertex];
	uint64_t ns;

	if (part == NO_PART || from->call == NO_CALL)
		return;
	ns = ideal->at_ns[vertex] + computation(ideal, from->rank, part, from->at_ns, to_ns);
	if (ns > ideal->ideal_ns[part])
		ideal->ideal_ns[part] = ns;
}

/* Follow an edge from call to call of a thread. */
static void follow_thread(struct ideal *ideal, uint32_t vertex, const struct program_vertex *from,
			  uint32_t next, const struct program_vertex *to)
{
	const uint32_t part = measured_part_at(ideal->parts, to->rank, to->at_ns);
	const uint64_t begin_ns = computation_begin(ideal, from, to);
	const bool same = from->call != NO_CALL && ideal->part[vertex] == part;

	if (!same)
		end_part(ideal, vertex, from, to->at_ns);
	ideal->part[next] = part;
	if (part != NO_PART)
		not_before(ideal, next,
			   (same ? ideal->at_ns[vertex] : 0) +
				   computation(ideal, to->rank, part, begin_ns, to->at_ns));
}

/* Follow an edge to a call that waits, or between the members of a collective. */
static void follow_wait(struct ideal *ideal, uint32_t vertex, uint32_t next,
			const struct program_vertex *to)
{
	const uint32_t part = ideal->part[vertex];

	if (part == NO_PART)
		return;
	/* A hub is in the last part of its members. */
	if (to->call == NO_CALL && (ideal->part[next] == NO_PART || ideal->part[next] < part)) {
		ideal->part[next] = part;
		ideal->at_ns[next] = 0;
	}
	if (ideal->part[next] == part)
		not_before(ideal, next, ideal->at_ns[vertex]);
}

static void follow_edge(struct ideal *ideal, uint32_t vertex, const struct program_vertex *from,
			const struct program_edge *edge)
{
	struct program_vertex to;

	if (edge->to == ideal->graph->sink) {
		end_part(ideal, vertex, from, ideal->run->end_ns - edge->wait_ns);
		return;
	}
	to = program_vertex_of(ideal->graph, edge->to);
	if (to.call != NO_CALL && !to.end)
		follow_thread(ideal, vertex, from, edge->to, &to);
	else
		follow_wait(ideal, vertex, edge->to, &to);
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
		follow_edge(ideal, vertex, &from, &graph->edges[e]);
		ideal->before[graph->edges[e].to]--;
		make_ready(ideal, graph->edges[e].to);
	}
}

/* Find the part of the end of each call, which is that of its begin. */
static void set_parts(struct ideal *ideal)
{
	for (uint32_t v = 0; v < ideal->graph->vertex_count; v++) {
		const struct program_vertex vertex = program_vertex_of(ideal->graph, v);
		const struct measured_call *call;

		ideal->part[v] = NO_PART;
		if (vertex.call == NO_CALL || !vertex.end)
			continue;
		call = &ideal->run->ranks[vertex.rank].calls.items[vertex.call];
		ideal->part[v] = measured_part_at(ideal->parts, vertex.rank, call->enter_ns);
	}
}

static int play_run(struct ideal *ideal, struct error *err)
{
	const struct program_graph *graph = ideal->graph;
	const uint32_t count = graph->vertex_count;

	TRY(allocate(&ideal->before, count, sizeof *ideal->before, err));
	TRY(allocate(&ideal->part, count, sizeof *ideal->part, err));
	TRY(allocate(&ideal->at_ns, count, sizeof *ideal->at_ns, err));
	TRY(allocate(&ideal->ready, count, sizeof *ideal->ready, err));
	set_parts(ideal);
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

int ideal_parts_find(uint64_t *ideal_ns, const struct measured_parts *parts,
		     const struct waits *waits, struct error *err)
{
	struct program_graph graph;
	struct ideal ideal = {.graph = &graph,
			      .run = waits->run,
			      .parts = parts,
			      .ideal_ns = ideal_ns};
	int result;

	for (uint32_t part = 0; part < parts->most; part++)
		ideal_ns[part] = 0;
	TRY(program_graph_build(&graph, waits, err));
	result = play_run(&ideal, err);
	free(ideal.before);
	free(ideal.part);
	free(ideal.at_ns);
	free(ideal.ready);
	program_graph_release(&graph);
	return result;
}

int ideal_run_find(uint64_t *ideal_ns, const struct waits *waits, struct error *err)
{
	struct measured_parts whole;
	int result;

	TRY(measured_parts_whole(&whole, waits->run, err));
	result = ideal_parts_find(ideal_ns, &whole, waits, err);
	measured_parts_release(&whole);
	return result;
}
