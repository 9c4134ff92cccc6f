/* Tests of what graphs answer: times of iterations, growth, times of single edges, graphs that ranks share. */
#include "eventflow/graph/graph_times.h"
#include "eventflow/graph/growth.h"
#include "eventflow/graph/timed_walk.h"
#include "eventflow/loops/evolution.h"
#include "eventflow/loops/iterations.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MS = 1000000 };

static const struct flow_options all_options = {.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE};

/* Add a letter after a time of computation, with a duration. */
static void add_timed(struct flow_feed *feed, uint32_t rank, char letter, uint64_t gap_ns,
		      uint64_t duration_ns)
{
	struct flow_feed_rank *calls = &feed->ranks[rank];
	struct mpi_call *call;

	flow_feed_letters(feed, rank, (const char[]){letter, 0});
	call = &calls->calls.items[calls->calls.count - 1].call;
	if (calls->calls.count > 1)
		call->enter_ns = calls->calls.items[calls->calls.count - 2].call.leave_ns + gap_ns;
	call->leave_ns = call->enter_ns + duration_ns;
}

/* Add a nest of loops whose calls take random times: bodies are the same each time or are not. */
static void add_nest(struct flow_feed *feed, uint64_t *numbers, int depth)
{
	const uint64_t parts = 1 + random_below(numbers, 4), body = *numbers;

	for (uint64_t trips = 1 + random_below(numbers, 5); trips; trips--) {
		uint64_t again = body;

		for (uint64_t part = 0; part < parts && feed->ranks[0].calls.count < 3000; part++) {
			if (depth && random_below(&again, 2))
				add_nest(feed, trips & 1 ? &again : numbers, depth - 1);
			else
				add_timed(feed, 0, (char)('A' + random_below(&again, 20)),
					  random_below(numbers, 50), random_below(numbers, 9));
		}
	}
}

/* -------------------------------------------------------------------------- iterations */

static void check_walk(const struct flow_feed *feed, const struct flow *flow)
{
	struct timed_walk walk;
	struct error err;
	size_t count = 0;
	int more;

	MUST(timed_walk_begin(&walk, flow, &flow->ranks[0].threads.items[0], &err));
	for (; (more = timed_walk_next(&walk, &err)) > 0; count++) {
		assert_int_equal(walk.enter_ns, feed->ranks[0].calls.items[count].call.enter_ns);
		assert_int_equal(walk.leave_ns, feed->ranks[0].calls.items[count].call.leave_ns);
	}
	MUST(more);
	assert_int_equal(count, feed->ranks[0].calls.count);
	timed_walk_release(&walk);
}

/* Check that a loop is entered at its header only. */
static bool has_one_entry(const struct flow_graph *graph, const struct flow_loops *loops,
			  uint32_t loop)
{
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (edge->to != loops->loops.items[loop].header &&
		    flow_loop_is_in(loops, loops->of[edge->to], loop) &&
		    !flow_loop_is_in(loops, loops->of[edge->from], loop))
			return false;
	}
	return true;
}

static void check_iterations(const struct flow *flow)
{
	struct graph_times *times;
	struct flow_loops loops;
	struct flow_stat *stats;
	struct error err;

	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	MUST(graph_times_find(&times, flow, UINT32_MAX, &err));
	MUST(allocate(&stats, loops.loops.count, sizeof *stats, &err));
	MUST(loop_iterations_add(stats, flow, &flow->ranks[0].threads.items[0], &loops, &err));
	for (uint32_t l = 0; l < loops.loops.count; l++) {
		const uint64_t time_ns = main_loop_time(&flow->graphs.items[0], &loops, l,
							times->nodes, times->edges);

		assert_int_equal(stats[l].count, loops.loops.items[l].iterations);
		/* What comes before the header is in no iteration. */
		if (has_one_entry(&flow->graphs.items[0], &loops, l))
			assert_int_equal(stats[l].sum, time_ns);
		else
			assert_true(stats[l].sum <= time_ns);
	}
	free(stats);
	graph_times_release(times, flow);
	flow_loops_release(&loops);
}

static void iterations_of_a_loop_take_all_of_its_time(void **state)
{
	uint64_t numbers = 11;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct flow_feed feed;
		struct flow *flow;

		flow_feed_begin(&feed, 1);
		add_nest(&feed, &numbers, 3);
		flow = flow_feed_build(&feed, &all_options);
		check_walk(&feed, flow);
		check_iterations(flow);
		flow_release(flow);
		flow_feed_release(&feed);
	}
}

/* 10 steps of three exchanges, each of which begins with a call A: step i of rank r takes 60 + 10 i + 5 r ns. */
static void iterations_are_those_of_the_program(void **state)
{
	struct flow_feed feed;
	struct evolution evolution;
	struct flow *flow;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 3);
	for (uint32_t rank = 0; rank < 3; rank++) {
		add_timed(&feed, rank, 'I', 0, 7);
		for (uint64_t step = 0; step < 10; step++)
			for (const char *call = "AXAYAZ"; *call; call++)
				add_timed(&feed, rank, *call, 5,
					  *call == 'Y' ? 5 + 10 * step + 5 * rank : 5);
		add_timed(&feed, rank, 'F', 3, 7);
	}
	flow = flow_feed_build(&feed, &all_options);
	MUST(evolution_find(&evolution, flow, UINT32_MAX, 100, &err));
	assert_int_equal(evolution.ranks, 3);
	assert_int_equal(evolution.rows, 3);
	assert_int_equal(evolution.columns, 10);
	assert_int_equal(evolution.times.count, 30);
	/* The last one ends with the loop: the time before F is in none. */
	for (uint64_t cell = 0; cell < 30; cell++)
		assert_int_equal(evolution.cells[cell].sum_ns, 60 + 10 * (cell % 10) +
								       5 * (cell / 10) -
								       (cell % 10 == 9 ? 5 : 0));
	evolution_release(&evolution);
	/* Cells of 2 ranks and 4 iterations. */
	MUST(evolution_find(&evolution, flow, UINT32_MAX, 3, &err));
	assert_int_equal(evolution.columns, 3);
	assert_int_equal(evolution.iterations_in_column, 4);
	assert_int_equal(evolution.cells[0].count, 4);
	assert_int_equal(evolution.cells[0].sum_ns, 4 * 60 + 10 * 6);
	assert_int_equal(evolution.cells[2].count, 2);
	evolution_release(&evolution);
	flow_release(flow);
	flow_feed_release(&feed);
}

/* ------------------------------------------------------------------------------ growth */

static void check_growth(const char *letters)
{
	bool nodes[128] = {false}, edges[128][128] = {{false}};
	uint32_t node_count = 0, edge_count = 0;
	struct flow_feed feed;
	struct growth growth;
	struct flow *flow;
	struct error err;
	size_t point = 0;

	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, letters);
	flow = flow_feed_build(&feed, &all_options);
	MUST(growth_find(&growth, &flow->graphs.items[0], &err));
	for (size_t i = 0; letters[i]; i++) {
		const int own = letters[i], before = i ? letters[i - 1] : 0;

		if (nodes[own] && edges[before][own])
			continue;
		node_count += !nodes[own];
		edge_count += i && !edges[before][own];
		nodes[own] = edges[before][own] = true;
		assert_true(point < growth.points.count);
		assert_int_equal(growth.points.items[point].events, i + 1);
		assert_int_equal(growth.points.items[point].nodes, node_count);
		assert_int_equal(growth.points.items[point++].edges, edge_count);
	}
	assert_int_equal(point, growth.points.count);
	growth_release(&growth);
	flow_release(flow);
	flow_feed_release(&feed);
}

static void growth_has_each_event_that_is_new(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	check_growth("A");
	check_growth("AAAA");
	check_growth("IABABABABF");
	for (int round = 0; round < 200; round++) {
		char letters[301] = {0};

		for (int i = 0; i < 300; i++)
			letters[i] = (char)('A' + random_below(&numbers, 1 + (uint64_t)round % 26));
		check_growth(letters);
	}
}

/* ---------------------------------------------------------------------- ranks and edges */

static void send(struct flow_feed *feed, uint32_t rank, uint32_t to)
{
	flow_feed_add(feed, rank, "MPI_Send",
		      &(struct mpi_event){.kind = EVENT_SEND, .peer = to, .bytes = 8}, 1);
}

static void receive(struct flow_feed *feed, uint32_t rank, uint32_t from)
{
	flow_feed_add(feed, rank, "MPI_Recv",
		      &(struct mpi_event){.kind = EVENT_RECV, .peer = from, .bytes = 8}, 1);
}

/* Five ranks of a ring, 20 steps; rank 3 computes 1 ms more before each receive if `late`. */
static struct flow *make_ring_flow(uint32_t ranks, bool late)
{
	struct flow_feed feed;
	struct flow *flow;

	flow_feed_begin(&feed, ranks);
	for (uint32_t rank = 0; rank < ranks; rank++)
		for (int step = 0; step < 20; step++) {
			struct flow_feed_rank *calls = &feed.ranks[rank];

			send(&feed, rank, (rank + 1) % ranks);
			receive(&feed, rank, (rank + ranks - 1) % ranks);
			if (late && rank == 3) {
				calls->calls.items[calls->calls.count - 1].call.enter_ns += MS;
				calls->calls.items[calls->calls.count - 1].call.leave_ns += MS;
			}
		}
	flow = flow_feed_build(&feed, &all_options);
	flow_feed_release(&feed);
	return flow;
}

static void work_before_a_call_is_time_of_one_edge_of_one_rank(void **state)
{
	struct flow *flow = make_ring_flow(5, false), *late = make_ring_flow(5, true);

	(void)state;
	assert_int_equal(flow->graphs.count, 1);
	assert_int_equal(late->graphs.count, 1);
	for (uint32_t rank = 0; rank < 5; rank++) {
		struct graph_times *times, *more;
		struct error err;

		MUST(graph_times_find(&times, flow, rank, &err));
		MUST(graph_times_find(&more, late, rank, &err));
		for (size_t n = 0; n < flow->graphs.items[0].nodes.count; n++)
			assert_int_equal(times->nodes[n], more->nodes[n]);
		for (size_t e = 0; e < flow->graphs.items[0].edges.count; e++) {
			const struct flow_edge *edge = &flow->graphs.items[0].edges.items[e];
			/* Node 0 is the send. */
			const uint64_t added = rank == 3 && edge->from == 0 ? edge->count * MS : 0;

			assert_int_equal(more->edges[e], times->edges[e] + added);
		}
		graph_times_release(times, flow);
		graph_times_release(more, late);
	}
	flow_release(flow);
	flow_release(late);
}

static void ranks_of_a_ring_have_one_graph(void **state)
{
	(void)state;
	for (uint32_t ranks = 4; ranks <= 8; ranks += 4) {
		struct flow *flow = make_ring_flow(ranks, false);

		assert_int_equal(flow->graphs.count, 1);
		flow_release(flow);
	}
}

static void ranks_of_a_stencil_without_period_have_nine_graphs(void **state)
{
	static const int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
	struct flow_feed feed;
	struct flow *flow;

	(void)state;
	flow_feed_begin(&feed, 25);
	for (int rank = 0; rank < 25; rank++)
		for (int i = 0; i < 12; i++) {
			const int x = rank % 5 + steps[i % 4][0], y = rank / 5 + steps[i % 4][1];

			if (x < 0 || x > 4 || y < 0 || y > 4)
				continue;
			send(&feed, (uint32_t)rank, (uint32_t)(5 * y + x));
			receive(&feed, (uint32_t)rank, (uint32_t)(5 * y + x));
		}
	flow = flow_feed_build(&feed, &all_options);
	assert_int_equal(flow->graphs.count, 9);
	flow_release(flow);
	flow_feed_release(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iterations_of_a_loop_take_all_of_its_time),
		cmocka_unit_test(iterations_are_those_of_the_program),
		cmocka_unit_test(growth_has_each_event_that_is_new),
		cmocka_unit_test(work_before_a_call_is_time_of_one_edge_of_one_rank),
		cmocka_unit_test(ranks_of_a_ring_have_one_graph),
		cmocka_unit_test(ranks_of_a_stencil_without_period_have_nine_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
