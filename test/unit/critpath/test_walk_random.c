/*
 * On random programs the walk must follow a path of the program graph without any wait, as the
 * definitions in doc/critpath.md have it.  The graph is made from what the generator of the
 * programs knows, and shares no code with critpath/ and trace/measured_match.h.
 */
#include "critpath/path/blocks.h"
#include "critpath/path/groups.h"
#include "critpath/path/least_wait.h"
#include "critpath/path/observed.h"
#include "test/unit/lib/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/feed.h"
#include "test/unit/lib/least_wait_parts.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/random_graph.h"
#include "test/unit/lib/share_methods.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 500, SHARED = 10 };
#else
enum { PROGRAMS = 5000, SHARED = 5 };
#endif

enum { RANKS = 5, CALLS = 64, EVENTS = 8, LINKS = 4096, PATHS = 20000 };
enum { VERTICES = 2 * RANKS * CALLS + 2, NEVER = INT64_MAX };

/* A call of a program, and what it waits for, as the generator knows. */
struct op {
	const char *function;
	int64_t enter, leave;
	int64_t sender, receiver, member;	/* last begin of what it waits for; -1: nothing */
	struct mpi_event events[EVENTS];
	uint32_t events_count;
};

/* A communication edge, from the start of a call to the end of another, through a time. */
struct link {
	uint32_t from_rank, from, to_rank, to;
	int64_t hub;		/* of collectives: the last begin; else -1 */
	bool back;		/* from a receive to its send, which may not have waited */
	bool must;		/* the send is synchronous */
};

struct pending {
	uint64_t request;
	struct mpi_event event;		/* that completes it */
	uint32_t begin;
	bool send, synchronous, buffered;
	uint32_t peer, peer_begin;	/* messages: the other half */
	uint32_t links[RANKS], link_count;
	int64_t until;			/* collectives: the last begin that it waits for */
};

struct program {
	uint64_t *numbers;
	uint32_t ranks;
	struct op ops[RANKS][CALLS];
	uint32_t counts[RANKS];
	int64_t clock[RANKS];
	struct pending open[RANKS][EVENTS];
	uint32_t open_counts[RANKS];
	struct link links[LINKS];
	uint32_t link_count;
	uint64_t requests;
	uint32_t comms[3], comm_sizes[3], comm_ranks[3][RANKS];
};

static int64_t some(struct program *program, uint64_t below)
{
	return (int64_t)random_below(program->numbers, below);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* --------------------------------------------------------------------- program */

/* Begin a call after some computation, often none. */
static struct op *begin(struct program *program, uint32_t rank, const char *function)
{
	struct op *op = &program->ops[rank][program->counts[rank]++];

	assert_in_range(program->counts[rank], 1, CALLS);
	*op = (struct op){.function = function, .sender = -1, .receiver = -1, .member = -1};
	op->enter = program->clock[rank] + (some(program, 3) ? some(program, 12) : 0);
	return op;
}

/* End a call, which could not end before some time. */
static void end(struct program *program, uint32_t rank, struct op *op, int64_t not_before)
{
	op->leave = later(op->enter, not_before) + some(program, 4);
	program->clock[rank] = op->leave;
}

static uint32_t last(const struct program *program, uint32_t rank)
{
	return program->counts[rank] - 1;
}

static void event(struct op *op, struct mpi_event added)
{
	assert_in_range(op->events_count, 0, EVENTS - 1);
	op->events[op->events_count++] = added;
}

static struct link *link_calls(struct program *program, uint32_t from_rank, uint32_t from,
			       uint32_t to_rank, uint32_t to)
{
	assert_in_range(program->link_count, 0, LINKS - 1);
	program->links[program->link_count] =
		(struct link){from_rank, from, to_rank, to, -1, false, false};
	return &program->links[program->link_count++];
}

/* Let the last calls of two ranks be the halves that begin a message, one or both blocking. */
static void message(struct program *program)
{
	static const char *const sends[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend"};
	static const char *const isends[] = {"MPI_Isend", "MPI_Issend", "MPI_Ibsend"};
	const uint32_t from = (uint32_t)some(program, program->ranks);
	const uint32_t to = (from + 1 + (uint32_t)some(program, program->ranks - 1)) % program->ranks;
	const uint32_t tag = (uint32_t)some(program, 2);
	const uint32_t mode = (uint32_t)some(program, 3);
	const bool isend = program->open_counts[from] < EVENTS && some(program, 2);
	const bool irecv = program->open_counts[to] < EVENTS && some(program, 2);
	struct op *send = begin(program, from, isend ? isends[mode] : sends[mode]);
	struct op *recv = begin(program, to, irecv ? "MPI_Irecv" : "MPI_Recv");
	const uint32_t s = last(program, from), r = last(program, to);

	if (isend) {
		event(send, (struct mpi_event)ISEND(0, to, tag, 8, ++program->requests));
		program->open[from][program->open_counts[from]++] = (struct pending){
			.request = program->requests, .event = ISENT(program->requests), .begin = s,
			.send = true, .synchronous = mode == 1, .buffered = mode == 2,
			.peer = to, .peer_begin = r};
		end(program, from, send, 0);
	} else {
		const bool waits = mode == 1 || (mode == 0 && some(program, 2));

		event(send, (struct mpi_event)SEND(0, to, tag, 8));
		end(program, from, send, waits ? recv->enter : 0);
		if (mode == 1 || (mode == 0 && recv->enter > send->enter && send->leave >= recv->enter)) {
			send->receiver = recv->enter;
			link_calls(program, to, r, from, s)->back = true;
		}
	}
	if (irecv) {
		event(recv, (struct mpi_event)POST(++program->requests));
		program->open[to][program->open_counts[to]++] = (struct pending){
			.request = program->requests,
			.event = IRECV(0, from, tag, 8, program->requests), .begin = r,
			.peer = from, .peer_begin = s};
		end(program, to, recv, 0);
	} else {
		event(recv, (struct mpi_event)RECV(0, from, tag, 8));
		end(program, to, recv, send->enter);
		recv->sender = send->enter;
		link_calls(program, from, s, to, r);
	}
}

/* Complete some of the rank's requests, in any order. */
static void complete(struct program *program, uint32_t rank, bool all)
{
	struct op *op;
	int64_t not_before = 0;
	struct pending done[EVENTS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < program->open_counts[rank];) {
		if (!all && some(program, 2)) {
			i++;
			continue;
		}
		done[count++] = program->open[rank][i];
		program->open[rank][i] = program->open[rank][--program->open_counts[rank]];
	}
	if (!count)
		return;
	op = begin(program, rank, "MPI_Waitall");
	for (uint32_t i = 0; i < count; i++) {
		/* Of messages only. */
		const int64_t other = program->ops[done[i].peer][done[i].peer_begin].enter;

		event(op, done[i].event);
		if (done[i].event.kind == EVENT_IRECV) {
			op->sender = later(op->sender, other);
			not_before = later(not_before, other);
			link_calls(program, done[i].peer, done[i].peer_begin, rank, last(program, rank));
		} else if (done[i].event.kind == EVENT_COLLECTIVE_COMPLETE) {
			op->member = later(op->member, done[i].until);
			not_before = later(not_before, done[i].until);
			for (uint32_t l = 0; l < done[i].link_count; l++)
				program->links[done[i].links[l]].to = last(program, rank);
		} else if (done[i].synchronous || (!done[i].buffered && some(program, 2))) {
			not_before = later(not_before, other);
		}
	}
	end(program, rank, op, not_before);
	/* A call that has waited for a sender waits for a send only if that is synchronous. */
	for (uint32_t i = 0; i < count; i++) {
		int64_t other;

		if (!done[i].send || done[i].buffered)
			continue;
		other = program->ops[done[i].peer][done[i].peer_begin].enter;
		if (!done[i].synchronous && (op->sender > op->enter || other <= op->enter ||
					     op->leave < other))
			continue;
		op->receiver = later(op->receiver, other);
		link_calls(program, done[i].peer, done[i].peer_begin, rank, last(program, rank))->back =
			true;
	}
}

/* Whether member `to` cannot end before member `from` has begun. */
static bool needs(uint32_t kind, uint32_t root, uint32_t from, uint32_t to)
{
	switch (kind) {
	case COLL_BCAST:
		return from == root;
	case COLL_REDUCE:
		return to == root;
	case COLL_SCAN:
		return from <= to;
	default:
		return true;
	}
}

/* A collective, or a barrier of all ranks. */
static void collective(struct program *program, bool barrier)
{
	static const struct {
		uint32_t kind;
		const char *name, *iname;
	} kinds[] = {{COLL_BARRIER, "MPI_Barrier", "MPI_Ibarrier"},
		     {COLL_BCAST, "MPI_Bcast", "MPI_Ibcast"},
		     {COLL_REDUCE, "MPI_Reduce", "MPI_Ireduce"},
		     {COLL_SCAN, "MPI_Scan", "MPI_Iscan"}};
	const uint32_t k = barrier ? 0 : (uint32_t)some(program, 4);
	const uint32_t c = barrier ? 0 : (uint32_t)some(program, 3);
	const uint32_t size = program->comm_sizes[c], *ranks = program->comm_ranks[c];
	const uint32_t root = (uint32_t)some(program, size);
	const bool later_on = !barrier && some(program, 2);
	struct op *ops[RANKS];
	uint32_t at[RANKS];

	for (uint32_t m = 0; later_on && m < size; m++)
		if (program->open_counts[ranks[m]] == EVENTS)
			return;
	for (uint32_t m = 0; m < size; m++) {
		ops[m] = begin(program, ranks[m], later_on ? kinds[k].iname : kinds[k].name);
		at[m] = last(program, ranks[m]);
	}
	for (uint32_t m = 0; m < size; m++) {
		struct mpi_event part = COLLECTIVE(kinds[k].kind, program->comms[c]);
		struct pending pending = {.begin = at[m]};
		int64_t until = 0;

		part.root = kinds[k].kind == COLL_BCAST || kinds[k].kind == COLL_REDUCE ? root : NO_ROOT;
		for (uint32_t i = 0; i < size; i++)
			if (needs(kinds[k].kind, root, i, m))
				until = later(until, ops[i]->enter);
		for (uint32_t i = 0; i < size; i++)
			if (i != m && needs(kinds[k].kind, root, i, m)) {
				pending.links[pending.link_count++] = program->link_count;
				link_calls(program, ranks[i], at[i], ranks[m], at[m])->hub = until;
			}
		if (!later_on) {
			ops[m]->member = until;
			event(ops[m], part);
			end(program, ranks[m], ops[m], until);
			continue;
		}
		pending.request = ++program->requests;
		pending.until = until;
		event(ops[m], (struct mpi_event)ICOLL(pending.request));
		part.kind = EVENT_COLLECTIVE_COMPLETE;
		part.request = pending.request;
		pending.event = part;
		program->open[ranks[m]][program->open_counts[ranks[m]]++] = pending;
		end(program, ranks[m], ops[m], 0);
	}
}

static void synchronise(struct program *program)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		complete(program, r, true);
	collective(program, true);
}

static void make_program(struct program *program, uint64_t *numbers, uint32_t steps)
{
	memset(program, 0, sizeof *program);
	program->numbers = numbers;
	program->ranks = 2 + (uint32_t)some(program, RANKS - 1);
	program->comms[0] = 0;
	program->comms[1] = 2;
	program->comms[2] = 3;
	for (uint32_t r = 0; r < program->ranks; r++) {
		program->clock[r] = 0;
		program->comm_ranks[0][program->comm_sizes[0]++] = r;
		program->comm_ranks[1][program->comm_sizes[1]++] = program->ranks - 1 - r;
		if (r != 1)
			program->comm_ranks[2][program->comm_sizes[2]++] = r;
	}
	for (uint32_t i = 0; i < steps; i++) {
		const int64_t what = some(program, 10);

		if (what < 5)
			message(program);
		else if (what < 8)
			complete(program, (uint32_t)some(program, program->ranks), false);
		else if (some(program, 3))
			collective(program, false);
		else
			synchronise(program);
	}
	for (uint32_t r = 0; r < program->ranks; r++)
		complete(program, r, true);
}

/* ----------------------------------------------------------------------- graph */

/* Vertex: source 0, sink 1, then the start and the end of each call. */
struct edge {
	uint32_t from, to;
	int64_t wait;
	uint32_t rank, call;	/* whose activity it is; the call comes after computation */
	bool computes;
};

struct graph {
	uint32_t vertex_count, edge_count;
	int64_t times[VERTICES];
	struct edge edges[LINKS + 3 * RANKS * CALLS];
	uint32_t order[VERTICES];	/* topological */
	uint32_t first[RANKS];		/* vertex of each rank's first call */
	int64_t end;
};

static uint32_t start_of(const struct graph *graph, uint32_t rank, uint32_t call)
{
	return graph->first[rank] + 2 * call;
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to, int64_t wait,
		     const struct edge *what)
{
	struct edge *edge = &graph->edges[graph->edge_count++];

	/* No program of this generator has an edge back in time. */
	assert_true(graph->times[to] >= graph->times[from]);
	assert_true(wait >= 0 && wait <= graph->times[to] - graph->times[from]);
	*edge = *what;
	edge->from = from;
	edge->to = to;
	edge->wait = wait;
}

static int64_t wait_of(const struct op *op)
{
	const int64_t until = later(later(op->sender, op->receiver), op->member);

	return later(0, (until < op->leave ? until : op->leave) - op->enter);
}

static void add_rank(struct graph *graph, const struct program *program, uint32_t rank)
{
	const uint32_t count = program->counts[rank];
	uint32_t before = 0;

	for (uint32_t c = 0; c < count; c++) {
		const uint32_t start = start_of(graph, rank, c);

		add_edge(graph, before, start, 0, &(struct edge){.rank = rank, .call = c, .computes = true});
		add_edge(graph, start, start + 1, wait_of(&program->ops[rank][c]),
			 &(struct edge){.rank = rank, .call = c});
		before = start + 1;
	}
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
		 &(struct edge){.rank = link->to_rank, .call = link->to});
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

static void make_graph(struct graph *graph, const struct program *program)
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
		add_rank(graph, program, r);
	for (uint32_t l = 0; l < program->link_count; l++)
		add_link(graph, program, &program->links[l]);
	sort_vertices(graph);
}

/* Least waiting on any path, by dynamic programming. */
static int64_t least_wait(const struct graph *graph)
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

/* Least waiting by following every path; counts them, and gives up beyond PATHS. */
static int64_t least_of_all(const struct graph *graph, uint32_t vertex, int64_t waited,
			    uint32_t *paths)
{
	int64_t least = NEVER;

	if (vertex == 1) {
		++*paths;
		return waited;
	}
	for (uint32_t e = 0; e < graph->edge_count && *paths < PATHS; e++)
		if (graph->edges[e].from == vertex) {
			const int64_t found = least_of_all(graph, graph->edges[e].to,
							   waited + graph->edges[e].wait, paths);

			least = found < least ? found : least;
		}
	return least;
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

/* Whether the walk is a path from source to sink that never waits. */
static bool is_path(const struct graph *graph, const struct walk *walk,
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

/* Let the toolchain see the program, with the clocks of ranks set apart. */
static void make_run(struct made_run *made, const struct program *program, int64_t apart)
{
	made_begin(made, program->ranks);
	for (int c = 1; c < 3; c++)
		assert_int_equal(made_comm(made, program->comm_sizes[c], program->comm_ranks[c]),
				 program->comms[c]);
	for (uint32_t r = 0; r < program->ranks; r++) {
		made->clocks_ns[r] = apart * r;
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			const struct op *op = &program->ops[r][c];

			made_take(made, r, &(struct mpi_call){.function = op->function,
							      .enter_ns = (uint64_t)op->enter,
							      .leave_ns = (uint64_t)op->leave,
							      .events = op->events,
							      .event_count = op->events_count});
		}
	}
	made_end(made);
}

/* Check that parts of the graph find the same least wait together. */
static void check_parts(const struct program_graph *graph, uint64_t delta_ns, uint64_t least,
			uint64_t seed)
{
	uint64_t numbers = seed;

	for (uint32_t parts = 1; parts <= 7; parts++) {
		const uint64_t found = least_wait_by_parts(graph, parts, delta_ns, &numbers);

		if (found != least)
			fail_msg("seed %lu: by %u parts, with delta %lu, the least wait is %lu, not"
				 " %lu", seed, parts, delta_ns, found, least);
	}
}

static bool has_edge(const struct program_graph *graph, uint32_t from, uint32_t to)
{
	for (uint64_t i = graph->first_edge[from]; i < graph->first_edge[from + 1]; i++)
		if (graph->edges[i].to == to)
			return true;
	return false;
}

/* Whether the sink is reached without a hub, and without the calls that begin and complete it. */
static bool is_passed(const struct program_graph *graph, uint32_t hub)
{
	bool *reached = calloc(graph->vertex_count, sizeof *reached), changed = true;

	assert_non_null(reached);
	reached[graph->source] = true;
	while (changed) {
		changed = false;
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			for (uint64_t i = graph->first_edge[v];
			     reached[v] && v != hub && i < graph->first_edge[v + 1]; i++) {
				const uint32_t to = graph->edges[i].to;

				if (reached[to] || (to == v + 1 && has_edge(graph, v, hub) &&
						    has_edge(graph, hub, to)))
					continue;
				reached[to] = changed = true;
			}
	}
	changed = reached[graph->sink];
	free(reached);
	return changed;
}

static bool is_split(const struct splits *splits, uint32_t hub)
{
	for (size_t i = 0; i < splits->hubs.count; i++)
		if (splits->hubs.items[i] == hub)
			return true;
	return false;
}

/* Check that no path passes a split and, with clocks that are right, that no other such hub is. */
static void check_splits(const struct splits *splits, bool clocks_are_right)
{
	const struct program_graph *graph = splits->graph;
	const uint32_t ranks = graph->waits->run->rank_count;
	size_t found = 0;

	for (uint32_t hub = graph->first_vertex[ranks]; hub < graph->vertex_count; hub++) {
		const bool is_found = is_split(splits, hub);

		found += is_found;
		/* A rank may have no calls at all. */
		if (is_found || (clocks_are_right &&
				 graph->first_edge[hub + 1] - graph->first_edge[hub] == ranks))
			assert_int_equal(is_found, !is_passed(graph, hub));
	}
	assert_int_equal(found, splits->hubs.count);
}

/* Check that a search gives the least wait, and segments that cover the run. */
static void check_path(const struct made_run *made, const struct program_graph *graph,
		       const struct least_wait *path)
{
	struct error err;
	struct walk walk;
	uint64_t at = 0;

	MUST(least_wait_segments(&walk, path, graph, &err));
	for (size_t k = 0; k < walk.segments.count; k++) {
		assert_int_equal(walk.segments.items[k].start_ns, at);
		at = walk.segments.items[k].end_ns;
	}
	assert_int_equal(at, walk.length_ns);
	if (!made->run.violations.count)
		assert_int_equal(walk.category_ns[WALK_UNKNOWN], path->wait_ns);
	walk_release(&walk);
}

/* Take vertices without an edge from one that is left, until none is left: there is no cycle. */
static void check_no_cycle(const struct program_graph *graph)
{
	uint32_t *into = calloc(graph->vertex_count, sizeof *into);
	uint32_t *taken = calloc(graph->vertex_count, sizeof *taken), count = 0;

	assert_true(into && taken);
	for (uint64_t i = 0; i < graph->first_edge[graph->vertex_count]; i++)
		into[graph->edges[i].to]++;
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		if (!into[v])
			taken[count++] = v;
	for (uint32_t k = 0; k < count; k++)
		for (uint64_t i = graph->first_edge[taken[k]]; i < graph->first_edge[taken[k] + 1]; i++)
			if (!--into[graph->edges[i].to])
				taken[count++] = graph->edges[i].to;
	assert_int_equal(count, graph->vertex_count);
	free(into);
	free(taken);
}

static uint64_t splits_seen;

/* Check that all methods find the same least wait, and segments that cover the run. */
static uint64_t check_methods(const struct made_run *made, const struct waits *waits, uint64_t seed)
{
	static const uint64_t deltas[] = {0, 1, 7, 1000, UINT64_MAX};
	struct error err = {0};
	struct program_graph graph;
	struct splits splits;
	uint64_t least = 0;

	MUST(program_graph_build(&graph, waits, &err));
	MUST(splits_find(&splits, &graph, &err));
	check_no_cycle(&graph);
	check_splits(&splits, !made->run.violations.count);
	splits_seen += splits.hubs.count;
	for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
		struct least_wait path, by_splits;

		MUST(least_wait_delta(&path, &graph, deltas[i], &err));
		if (i && path.wait_ns != least)
			fail_msg("seed %lu: with delta %lu the least wait is %lu, not %lu", seed,
				 deltas[i], path.wait_ns, least);
		least = path.wait_ns;
		check_path(made, &graph, &path);
		MUST(least_wait_by_splits(&by_splits, &splits, deltas[i], 1 + i % 2, &err));
		if (by_splits.wait_ns != least)
			fail_msg("seed %lu: with delta %lu the least wait by splits is %lu, not %lu", seed,
				 deltas[i], by_splits.wait_ns, least);
		check_path(made, &graph, &by_splits);
		least_wait_release(&path);
		least_wait_release(&by_splits);
	}
	if (seed % SHARED == 0 && waits == &made->waits)
		share_methods_check(made, 1 + (uint32_t)(seed / SHARED % 5),
				    deltas[seed / SHARED % (sizeof deltas / sizeof *deltas)],
				    least);
	check_parts(&graph, deltas[seed % (sizeof deltas / sizeof *deltas)], least, seed);
	splits_release(&splits);
	program_graph_release(&graph);
	return least;
}

/* The last begin of a member of a collective, at the latest when a time was. */
static uint64_t last_begin(const struct measured_run *run, uint32_t instance, uint64_t time_ns)
{
	uint64_t last_ns = 0;

	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++) {
			const uint32_t begin = run->ranks[r].parts.items[i].begin;
			const uint64_t begin_ns = run->ranks[r].calls.items[begin].enter_ns;

			if (run->instance_of[r][i] == instance && begin_ns <= time_ns &&
			    begin_ns > last_ns)
				last_ns = begin_ns;
		}
	return last_ns;
}

/* Check that calls wait for all members that were observed, and no shorter than otherwise. */
static void check_observed(struct made_run *made, uint64_t seed, bool clocks_are_right)
{
	struct waits observed;
	struct walk walk;
	struct totals totals;
	struct error err;

	MUST(waits_find(&observed, &made->run, &err));
	MUST(waits_observe(&observed, &err));
	for (uint32_t r = 0; r < made->run.rank_count; r++) {
		const struct measured_rank *rank = &made->run.ranks[r];
		uint64_t until_ns[CALLS + 1] = {0};

		for (size_t i = 0; i < rank->parts.count; i++) {
			const uint32_t call = rank->parts.items[i].end;
			const uint64_t begin_ns = last_begin(&made->run, made->run.instance_of[r][i],
							     rank->calls.items[call].leave_ns);

			if (made->run.instance_of[r][i] != NO_MATCH && begin_ns > until_ns[call])
				until_ns[call] = begin_ns;
		}
		for (uint32_t c = 0; c < rank->calls.count; c++) {
			const struct measured_call *call = &rank->calls.items[c];
			const uint64_t known = wait_ns(&made->waits, r, c);
			const uint64_t more = until_ns[c] > call->enter_ns ? until_ns[c] - call->enter_ns
									   : 0;

			assert_int_equal(wait_ns(&observed, r, c), known > more ? known : more);
		}
	}
	MUST(walk_find(&walk, &observed, &err));
	MUST(totals_find(&totals, &observed, &walk, &err));
	made_check(&made->run, &observed, &walk, &totals);
	if (clocks_are_right)
		assert_int_equal(walk.category_ns[WALK_UNKNOWN], 0);
	totals_release(&totals);
	walk_release(&walk);
	if (check_methods(made, &observed, seed) && clocks_are_right)
		fail_msg("seed %lu: the least wait as observed is not 0", seed);
	waits_release(&observed);
}

/* Blocks of calls that are closer than the threshold, from what the generator knows. */
static uint64_t count_blocks(const struct program *program, int64_t threshold)
{
	uint64_t count = 0;

	for (uint32_t r = 0; r < program->ranks; r++) {
		int64_t left = 0; /* MPI_Init, which begins the first block */

		count += program->counts[r] > 0;
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			count += program->ops[r][c].enter - left >= threshold;
			left = program->ops[r][c].leave;
		}
	}
	return count;
}

/* Check that thresholds leave T as it is, and give ever fewer blocks. */
static void check_blocks(struct made_run *made, const struct program *program)
{
	static const int64_t thresholds[] = {0, 1, 2, 5, 9, 1000000};
	size_t segments = made->walk.segments.count;
	uint64_t intervals = UINT64_MAX;
	struct error err;

	for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		const uint64_t threshold_ns = (uint64_t)thresholds[i];
		struct blocks blocks;
		struct groups groups;

		MUST(blocks_count(&blocks, &made->run, threshold_ns, &err));
		assert_int_equal(blocks.count, count_blocks(program, thresholds[i]));
		blocks_join(&made->walk, &made->run, &blocks);
		made_check(&made->run, &made->waits, &made->walk, &made->totals);
		assert_true(made->walk.segments.count <= segments);
		segments = made->walk.segments.count;

		MUST(groups_find(&groups, &made->run, threshold_ns, &err));
		assert_true(groups.longest_ns <= made->walk.length_ns);
		/* Without an interval that bridges two others there may be more groups. */
		assert_true(groups.intervals <= intervals);
		intervals = groups.intervals;
		groups_release(&groups);
	}
	/* All that is left is one block for each stay of the path on a rank. */
	assert_true(segments <= made->walk.hand_overs + 2);
}

static void check_program(const struct program *program, const struct graph *graph,
			  uint64_t seed)
{
	struct made_run made;

	make_run(&made, program, 0);
	assert_int_equal(made.walk.length_ns, graph->end);
	assert_int_equal(made.walk.category_ns[WALK_UNKNOWN], 0);
	assert_int_equal(made.run.violations.count + made.run.lone_sends + made.run.lone_recvs, 0);
	for (uint32_t r = 0; r < program->ranks; r++)
		for (uint32_t c = 0; c < program->counts[r]; c++)
			if (wait_ns(&made.waits, r, c + 1) !=
			    (uint64_t)wait_of(&program->ops[r][c]))
				fail_msg("seed %lu: wait of call %u of rank %u", seed, c, r);
	if (!is_path(graph, &made.walk, program))
		fail_msg("seed %lu: the walk is no path", seed);
	if (check_methods(&made, &made.waits, seed))
		fail_msg("seed %lu: the least wait is not 0", seed);
	check_observed(&made, seed, true);
	check_blocks(&made, program);
	made_release(&made);
}

static bool is_empty(const struct program *program)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		if (program->counts[r])
			return false;
	return true;
}

static void the_walk_is_a_path_without_wait_in_random_programs(void **state)
{
	struct program *program = malloc(sizeof *program);
	struct graph *graph = malloc(sizeof *graph);
	uint32_t counted = 0;

	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		uint64_t numbers = seed;
		uint32_t paths = 0;

		make_program(program, &numbers, 1 + (uint32_t)(seed % (seed % 4 ? 8 : 30)));
		if (!graph || is_empty(program))
			continue;
		make_graph(graph, program);
		assert_int_equal(least_wait(graph), 0);
		if (least_of_all(graph, 0, 0, &paths) == 0 && paths < PATHS)
			counted++;
		assert_true(paths > 0);
		check_program(program, graph, seed);
	}
	assert_true(counted > PROGRAMS / 4);
	assert_true(splits_seen > PROGRAMS / 4);
	free(program);
	free(graph);
}

/* Invariants, which made_end checks, hold whatever the clocks are. */
static void the_walk_ends_in_random_programs_with_wrong_clocks(void **state)
{
	struct program *program = malloc(sizeof *program);
	uint64_t violations = 0;

	(void)state;
	for (uint64_t seed = 0; program && seed < PROGRAMS; seed++) {
		uint64_t numbers = seed;
		struct made_run made;

		make_program(program, &numbers, 1 + (uint32_t)(seed % 30));
		if (is_empty(program))
			continue;
		make_run(&made, program, 1 + (int64_t)(seed % 50));
		violations += made.run.violations.count;
		check_methods(&made, &made.waits, seed);
		check_observed(&made, seed, false);
		made_release(&made);
	}
	assert_true(violations > PROGRAMS);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walk_is_a_path_without_wait_in_random_programs),
		cmocka_unit_test(the_walk_ends_in_random_programs_with_wrong_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
