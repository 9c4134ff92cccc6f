#include "test/unit/lib/oracle/calls_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define NEVER INT64_MAX

static uint32_t start_of(const struct graph *graph, uint32_t rank, uint32_t call)
{
	return graph->first[rank] + 2 * call;
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to, int64_t wait,
		     const struct edge *what)
{
	struct edge *edge = &graph->edges[graph->edge_count++];

	assert_in_range(graph->edge_count, 1, sizeof graph->edges / sizeof *graph->edges);
	/* No program of this generator has an edge back in time. */
	assert_true(graph->times[to] >= graph->times[from]);
	assert_true(wait >= 0 && wait <= graph->times[to] - graph->times[from]);
	*edge = *what;
	edge->from = from;
	edge->to = to;
	edge->wait = wait;
}

/* The last begin of a collective, as observed, before a member ended. */
static int64_t observed_begin(const struct program *program, const struct taken_part *member)
{
	const int64_t leave = program->ops[member->rank][member->end].leave;
	int64_t last = 0;

	for (uint32_t p = 0; p < program->part_count; p++) {
		const struct taken_part *part = &program->parts[p];
		const int64_t enter = program->ops[part->rank][part->begin].enter;

		if (part->collective == member->collective && enter <= leave)
			last = later(last, enter);
	}
	return last;
}

/* Time for which a call waits as observed. */
static int64_t observed_wait(const struct program *program, uint32_t rank, uint32_t call)
{
	const struct op *op = &program->ops[rank][call];
	int64_t wait = program_wait_of(op);

	for (uint32_t p = 0; p < program->part_count; p++)
		if (program->parts[p].rank == rank && program->parts[p].end == call)
			wait = later(wait, observed_begin(program, &program->parts[p]) - op->enter);
	return wait;
}

/* Add edges to a member of a collective from all that began before it ended. */
static void add_observed(struct graph *graph, const struct program *program,
			 const struct taken_part *member)
{
	const int64_t last = observed_begin(program, member);
	const int64_t more = later(0, program->ops[member->rank][member->end].enter - last);

	for (uint32_t p = 0; p < program->part_count; p++) {
		const struct taken_part *part = &program->parts[p];
		const int64_t enter = program->ops[part->rank][part->begin].enter;

		if (part->collective == member->collective && enter <= last)
			add_edge(graph, start_of(graph, part->rank, part->begin),
				 start_of(graph, member->rank, member->end) + 1,
				 last - enter + more,
				 &(struct edge){.rank = member->rank, .call = member->end});
	}
}

static void add_rank(struct graph *graph, const struct program *program, uint32_t rank,
		     bool observed)
{
	const uint32_t count = program->counts[rank];
	uint32_t before = 0;

	for (uint32_t c = 0; c < count; c++) {
		const uint32_t start = start_of(graph, rank, c);

		add_edge(graph, before, start, 0,
			 &(struct edge){.rank = rank, .call = c, .computes = true});
		add_edge(graph, start, start + 1,
			 observed ? observed_wait(program, rank, c)
				  : program_wait_of(&program->ops[rank][c]),
			 &(struct edge){.rank = rank, .call = c});
		before = start + 1;
	}
	if (count)
		add_edge(graph, before, 1, graph->end - graph->times[before],
			 &(struct edge){.rank = rank, .call = count, .computes = true});
}

static void add_link(struct graph *graph, const struct program *program, const struct link *link)
{
	const struct op *from = &program->ops[link->from_rank][link->from];
	const struct op *to = &program->ops[link->to_rank][link->to];
	int64_t wait = later(0, to->enter - from->enter);

	if (link->hub >= 0)
		wait = link->hub - from->enter + later(0, to->enter - link->hub);
	add_edge(graph, start_of(graph, link->from_rank, link->from),
		 start_of(graph, link->to_rank, link->to) + 1, wait,
		 &(struct edge){.rank = link->to_rank,
				.call = link->to,
				.if_waited = link->if_waited});
}

/* Sort topologically; fails if there is a circle. */
static void sort_vertices(struct graph *graph)
{
	uint32_t into[VERTICES] = {0}, count = 0;

	for (uint32_t e = 0; e < graph->edge_count; e++)
		into[graph->edges[e].to]++;
	graph->order[count++] = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t e = 0; e < graph->edge_count; e++)
			if (graph->edges[e].from == graph->order[i] && !--into[graph->edges[e].to])
				graph->order[count++] = graph->edges[e].to;
	assert_int_equal(count, graph->vertex_count);
}

void calls_graph_make(struct graph *graph, const struct program *program, bool observed)
{
	memset(graph, 0, sizeof *graph);
	graph->vertex_count = 2;
	for (uint32_t r = 0; r < program->ranks; r++) {
		graph->first[r] = graph->vertex_count;
		graph->vertex_count += 2 * program->counts[r];
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			graph->times[start_of(graph, r, c)] = program->ops[r][c].enter;
			graph->times[start_of(graph, r, c) + 1] = program->ops[r][c].leave;
		}
		graph->end = later(graph->end, program->clock[r]);
	}
	graph->times[1] = graph->end;
	for (uint32_t r = 0; r < program->ranks; r++)
		add_rank(graph, program, r, observed);
	for (uint32_t l = 0; l < program->link_count; l++)
		if (!observed || program->links[l].hub < 0)
			add_link(graph, program, &program->links[l]);
	for (uint32_t p = 0; observed && p < program->part_count; p++)
		add_observed(graph, program, &program->parts[p]);
	sort_vertices(graph);
}

int64_t calls_graph_least(const struct graph *graph)
{
	int64_t least[VERTICES];

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		least[v] = v ? NEVER : 0;
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		for (uint32_t e = 0; e < graph->edge_count; e++) {
			const struct edge *edge = &graph->edges[e];

			if (edge->from == graph->order[i] && least[edge->from] != NEVER &&
			    least[edge->from] + edge->wait < least[edge->to])
				least[edge->to] = least[edge->from] + edge->wait;
		}
	return least[1];
}

int64_t calls_graph_least_of_all(const struct graph *graph, uint32_t vertex, int64_t waited,
				 uint32_t *paths)
{
	int64_t least = NEVER;

	if (vertex == 1) {
		++*paths;
		return waited;
	}
	for (uint32_t e = 0; e < graph->edge_count && *paths < PATHS; e++)
		if (graph->edges[e].from == vertex) {
			const int64_t found = calls_graph_least_of_all(
				graph, graph->edges[e].to, waited + graph->edges[e].wait, paths);

			least = found < least ? found : least;
		}
	return least;
}

/* Whether the program has an edge that is there only if its call waited for its begin. */
static bool is_there(const struct graph *graph, const struct program *program,
		     const struct edge *edge)
{
	const struct op *op = &program->ops[edge->rank][edge->call];
	const int64_t waits_for = later(op->sender, later(op->receiver, op->member));

	return !edge->if_waited ||
	       (program_wait_of(op) > 0 && graph->times[edge->from] == waits_for);
}

int64_t calls_graph_ideal(const struct graph *graph, const struct program *program)
{
	int64_t at[VERTICES] = {0};

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		for (uint32_t e = 0; e < graph->edge_count; e++) {
			const struct edge *edge = &graph->edges[e];
			/* The time before the first call is computation from the begin of the run. */
			const int64_t ns = edge->computes ? graph->times[edge->to] -
								    graph->times[edge->from]
							  : 0;

			/* After its last call a rank waits for the others in MPI_Finalize. */
			if (edge->from == graph->order[i] && edge->to != 1 &&
			    is_there(graph, program, edge))
				at[edge->to] = later(at[edge->to], at[edge->from] + ns);
			else if (edge->from == graph->order[i] && edge->to == 1)
				at[1] = later(at[1], at[edge->from]);
		}
	return at[1];
}

/* ------------------------------------------------------------------------ walk */

/* Whether an edge without wait is what the walk has in its time. */
static bool walked(const struct graph *graph, const struct edge *edge, const struct walk *walk,
		   const struct program *program)
{
	const int64_t from = graph->times[edge->from], to = graph->times[edge->to];

	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];

		if ((int64_t)segment->end_ns <= from || (int64_t)segment->start_ns >= to)
			continue;
		if (segment->rank != edge->rank ||
		    segment->category != (edge->computes ? WALK_COMPUTE : WALK_CALL))
			return false;
		/* Call 0 of the run is MPI_Init. */
		if (edge->call < program->counts[edge->rank] && segment->call != edge->call + 1)
			return false;
	}
	return true;
}

bool calls_graph_has_walk(const struct graph *graph, const struct walk *walk,
			  const struct program *program)
{
	bool reached[VERTICES] = {true};

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		for (uint32_t e = 0; e < graph->edge_count; e++) {
			const struct edge *edge = &graph->edges[e];

			if (edge->from == graph->order[i] && reached[edge->from] && !edge->wait &&
			    !reached[edge->to])
				reached[edge->to] = walked(graph, edge, walk, program);
		}
	return reached[1];
}
