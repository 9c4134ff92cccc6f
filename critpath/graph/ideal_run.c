#include "critpath/graph/ideal_run.h"

#include "critpath/graph/program_edges.h"
#include "critpath/graph/program_graph.h"

struct ideal {
	const struct program_graph *graph;
	const struct measured_run *run;
	const struct measured_parts *parts;
	uint32_t first_hub; /* vertex */
	uint64_t *ideal_ns; /* [part] */
	uint32_t *before;   /* [vertex]: edges to it whose start is not final */
	/* [vertex]: its part, or NO_PART.  Of hubs and of the begins of calls it is known once they are ready. */
	uint32_t *part;
	uint64_t *at_ns; /* [vertex]: in the ideal run of its part */
	uint32_t *ready; /* vertices whose times are final; as many as there are, in order */
	uint32_t ready_count;
};

static struct time_span span_of(const struct ideal *ideal, uint32_t rank, uint32_t part)
{
	return ideal->parts->ranks[rank].spans.items[part];
}

/* Whether a vertex is the begin of a call; whether it is a hub of a collective. */
static bool is_begin(const struct ideal *ideal, uint32_t vertex)
{
	return vertex >= PROGRAM_FIRST_CALL && vertex < ideal->first_hub &&
	       (vertex - PROGRAM_FIRST_CALL) % 2 == 0;
}

static bool is_hub(const struct ideal *ideal, uint32_t vertex)
{
	return vertex >= ideal->first_hub;
}

/* The call of a rank that a vertex is the begin or the end of. */
static const struct measured_call *call_of(const struct ideal *ideal, uint32_t rank,
					   uint32_t vertex)
{
	return &ideal->run->ranks[rank]
			.calls.items[(vertex - ideal->graph->first_vertex[rank]) / 2];
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

/* Let a part end no earlier than the end of a call in it, and the computation after it up to `to_ns`. */
static void end_part(struct ideal *ideal, uint32_t vertex, const struct program_vertex *end,
		     uint64_t to_ns)
{
	const uint32_t part = ideal->part[vertex];
	uint64_t ns;

	if (part == NO_PART)
		return;
	ns = ideal->at_ns[vertex] + computation(ideal, end->rank, part, end->at_ns, to_ns);
	if (ns > ideal->ideal_ns[part])
		ideal->ideal_ns[part] = ns;
}

/* Let the first call of a thread begin after the computation before it. */
static void begin_thread(struct ideal *ideal, uint32_t first)
{
	const struct program_vertex vertex = program_vertex_of(ideal->graph, first);
	const uint32_t part = measured_part_at(ideal->parts, vertex.rank, vertex.at_ns);

	ideal->part[first] = part;
	/* A further thread may not exist before its first call. */
	if (part != NO_PART && !call_of(ideal, vertex.rank, first)->thread)
		not_before(ideal, first,
			   computation(ideal, vertex.rank, part,
				       ideal->run->ranks[vertex.rank].begin_ns, vertex.at_ns));
}

/* Follow the edge from the end of a call to the begin of the next one of its thread. */
static void follow_thread(struct ideal *ideal, uint32_t vertex, const struct program_vertex *end,
			  uint32_t next)
{
	const uint64_t enter_ns = call_of(ideal, end->rank, next)->enter_ns;
	const uint32_t part = measured_part_at(ideal->parts, end->rank, enter_ns);
	const bool same = ideal->part[vertex] == part;

	if (!same)
		end_part(ideal, vertex, end, enter_ns);
	ideal->part[next] = part;
	if (part != NO_PART)
		not_before(ideal, next,
			   (same ? ideal->at_ns[vertex] : 0) +
				   computation(ideal, end->rank, part, end->at_ns, enter_ns));
}

/* Follow an edge to the end of a call, or between the members of a collective. */
static void follow_wait(struct ideal *ideal, uint32_t vertex, uint32_t next)
{
	const uint32_t part = ideal->part[vertex];

	if (part == NO_PART)
		return;
	/* A hub is in the last part of its members. */
	if (is_hub(ideal, next) && (ideal->part[next] == NO_PART || ideal->part[next] < part)) {
		ideal->part[next] = part;
		ideal->at_ns[next] = 0;
	}
	if (ideal->part[next] == part)
		not_before(ideal, next, ideal->at_ns[vertex]);
}

/* Follow an edge from the end of a call. */
static void follow_end(struct ideal *ideal, uint32_t vertex, const struct program_vertex *end,
		       const struct program_edge *edge)
{
	if (edge->to == ideal->graph->sink)
		end_part(ideal, vertex, end, ideal->run->end_ns - edge->wait_ns);
	else
		follow_thread(ideal, vertex, end, edge->to);
}

static void make_ready(struct ideal *ideal, uint32_t vertex)
{
	if (ideal->before[vertex] == 0)
		ideal->ready[ideal->ready_count++] = vertex;
}

/* Let all that a vertex leads to be no earlier than it allows.  The end of a call leads to its thread only. */
static void ideal_follow(struct ideal *ideal, uint32_t vertex)
{
	const struct program_graph *graph = ideal->graph;
	const bool ends = vertex >= PROGRAM_FIRST_CALL && !is_hub(ideal, vertex) &&
			  !is_begin(ideal, vertex);
	struct program_vertex end = {0};

	if (ends)
		end = program_vertex_of(graph, vertex);
	for (uint64_t e = graph->first_edge[vertex]; e < graph->first_edge[vertex + 1]; e++) {
		const uint32_t next = graph->edges[e].to;

		if (ends)
			follow_end(ideal, vertex, &end, &graph->edges[e]);
		else if (is_begin(ideal, next))
			begin_thread(ideal, next);
		else if (next != graph->sink)
			follow_wait(ideal, vertex, next);
		ideal->before[next]--;
		make_ready(ideal, next);
	}
}

/* Find the part of the end of each call, which is that of its begin. */
static void set_parts(struct ideal *ideal)
{
	for (uint32_t v = 0; v < ideal->graph->vertex_count; v++)
		ideal->part[v] = NO_PART;
	for (uint32_t r = 0; r < ideal->run->rank_count; r++) {
		const struct measured_rank *rank = &ideal->run->ranks[r];
		const uint64_t first = ideal->graph->first_vertex[r];

		for (size_t c = 0; c < rank->calls.count; c++)
			ideal->part[first + 2 * c + 1] =
				measured_part_at(ideal->parts, r, rank->calls.items[c].enter_ns);
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
	ideal.first_hub = (uint32_t)graph.first_vertex[waits->run->rank_count];
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
