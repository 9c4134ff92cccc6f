/*
 * Deferred messages: runtimes by hand, by the equations of the model for random programs, and against
 * a play of these programs in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/units.h"
#include "llamp/graph/deferred.h"
#include "goal/match.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/overlap.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_calls.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"
#include "test/unit/lib/oracle/simulate.h"

#include <math.h>
#include <string.h>

static const struct program_network network = {.L = 1000, .o = 10, .G = 1, .S = 1000};

static struct loggps loggps_of(const struct program_network *of)
{
	struct loggps loggps = loggps_default;

	loggps_set(&loggps, VARIABLE_L, of->L * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_o, of->o * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_G, of->G * AS_PER_NS);
	loggps.S = (uint64_t)of->S;
	return loggps;
}

/* T by the equations of the model, in ns. */
static int64_t runtime_of_goal(const struct goal *goal, const struct program_network *of)
{
	const struct loggps loggps = loggps_of(of);
	struct envelope runtime;
	struct fraction at = {(wide)of->L * AS_PER_NS, 1};
	struct brute_line line;
	wide as;

	assert_true(brute_force(&runtime, goal, &loggps, VARIABLE_L));
	line = runtime.lines.items[envelope_right(&runtime, at)];
	as = line.constant + line.slope * at.numerator;
	envelope_release(&runtime);
	assert_true(as % AS_PER_NS == 0);
	return (int64_t)(as / AS_PER_NS);
}

static int64_t runtime_of(const struct program *program, const struct progress_table *table)
{
	struct goal goal;
	int64_t ns;

	program_graph(program, table, &goal);
	ns = runtime_of_goal(&goal, &network);
	goal_release(&goal);
	return ns;
}

/* A table of one row for all sizes above S. */
static struct progress_table table_of(double receiver)
{
	struct progress_table table;
	struct error err;

	MUST(progress_table_calls(&table, (uint64_t)network.S, false, &err));
	table.rows.items[0].receiver = receiver;
	return table;
}

static int64_t runtime_with(const struct program *program, double receiver)
{
	struct progress_table table = table_of(receiver);
	const int64_t ns = runtime_of(program, &table);

	progress_table_release(&table);
	return ns;
}

/* --------------------------------------------------------------------- by hand */

/* Rank 1 sends at once; rank 0 receives, computes and waits. */
static struct program receiver_computes(uint32_t bytes, uint64_t compute_ns)
{
	struct program program = {.rank_count = 2};

	program_add(&program, 0, (struct step){.what = DO_IRECV, .peer = 1, .request = 1});
	if (compute_ns)
		program_add(&program, 0, (struct step){.what = DO_COMPUTE, .ns = compute_ns});
	program_add(&program, 0, (struct step){.what = DO_WAIT, .request = 1});
	program_add(&program, 1, (struct step){.what = DO_ISEND, .bytes = bytes, .request = 1});
	program_add(&program, 1, (struct step){.what = DO_WAIT, .request = 1});
	program_pair(&program);
	return program;
}

enum { BYTES = 1000001, B = BYTES - 1, HALF = 500001, BH = HALF - 1 };

static void a_message_moves_at_any_time_or_after_the_computation(void **state)
{
	const struct program_network *n = &network;

	(void)state;
	for (int64_t c = 0; c <= 2000000; c += 400000) {
		const struct program program = receiver_computes(BYTES, (uint64_t)c);
		const int64_t announced = n->o + n->L, entered = c > announced ? c : announced;
		const int64_t async = announced + n->o + 3 * n->L + B;

		assert_true(runtime_of(&program, NULL) == (async > c ? async : c));
		assert_true(runtime_with(&program, 1) == (async > c ? async : c));
		assert_true(runtime_with(&program, 0) == entered + n->o + 3 * n->L + B);
		assert_true(program_play(&program, n) == entered + n->o + 3 * n->L + B);
	}
}

static void a_part_of_a_message_moves_while_the_receiver_computes(void **state)
{
	const struct program_network *n = &network;

	(void)state;
	for (int64_t c = 0; c <= 2000000; c += 100000) {
		const struct program program = receiver_computes(BYTES, (uint64_t)c);
		/* The first part is there, then the second one moves. */
		const int64_t first = 2 * n->o + 3 * n->L + BH;
		const int64_t second = (c && c > first ? c : first) + n->o + 3 * n->L +
				       (BYTES - HALF) - 1;
		/* Without computation the wait begins at the post: nothing is deferred. */
		const int64_t whole = 2 * n->o + 4 * n->L + B;
		const int64_t T = runtime_with(&program, 0.5);
		const double T_comm = (double)whole,
			     closed = fmax(T_comm, (double)c + 0.5 * T_comm);

		assert_true(T == (c ? second : whole));
		/* The closed form holds for B much longer than L and o. */
		assert_true(fabs((double)T - closed) <= 6 * (double)(n->L + n->o));
	}
}

static void an_eager_message_stays_as_it_is(void **state)
{
	const struct program program = receiver_computes(1000, 50000);
	struct goal goal;

	(void)state;
	for (int f = 0; f < 2; f++) {
		struct progress_table table = table_of(f);
		struct goal_deferred deferred;
		struct error err;

		program_graph(&program, &table, &goal);
		MUST(goal_deferred_find(&deferred, &goal, &err));
		assert_int_equal(deferred.ops.count, 0);
		goal_deferred_release(&deferred);
		goal_release(&goal);
		progress_table_release(&table);
	}
}

static void parts_that_would_be_eager_are_not_split_off(void **state)
{
	struct progress_table table = table_of(0.5);

	(void)state;
	assert_true(progress_table_early(&table, false, 1000) == 1000);
	assert_true(progress_table_early(&table, false, 1001) == 0);
	assert_true(progress_table_early(&table, false, 2001) == 0);
	assert_true(progress_table_early(&table, false, 2002) == 1001);
	assert_true(progress_table_early(&table, false, 2003) == 1002);
	table.rows.items[0].receiver = 0.999;
	assert_true(progress_table_early(&table, false, 100000) == 0);
	table.rows.items[0].receiver = 1;
	assert_true(progress_table_early(&table, false, 100000) == 100000);
	table.rows.items[0].to_bytes = 5000;
	table.rows.items[0].receiver = 0;
	assert_true(progress_table_early(&table, false, 5000) == 0);
	assert_true(progress_table_early(&table, false, 5001) == 5001);
	progress_table_release(&table);
}

/* Rank 1 sends, computes and waits; rank 0 receives at once. */
static struct program sender_computes(uint32_t bytes, uint64_t compute_ns)
{
	struct program program = {.rank_count = 2};

	program_add(&program, 0, (struct step){.what = DO_RECV, .peer = 1});
	program_add(&program, 1, (struct step){.what = DO_ISEND, .bytes = bytes, .request = 1});
	if (compute_ns)
		program_add(&program, 1, (struct step){.what = DO_COMPUTE, .ns = compute_ns});
	program_add(&program, 1, (struct step){.what = DO_WAIT, .request = 1});
	program_pair(&program);
	return program;
}

static void a_message_waits_for_its_sender_if_both_sides_have_to_act(void **state)
{
	const struct program_network *n = &network;

	(void)state;
	for (int64_t c = 0; c <= 2000000; c += 400000) {
		const struct program program = sender_computes(BYTES, (uint64_t)c);
		struct progress_table table = table_of(0);
		const int64_t whole = 2 * n->o + 4 * n->L + B;
		const int64_t async = whole > n->o + c ? whole : n->o + c;

		/* The receiver alone does not compute. */
		assert_true(runtime_of(&program, &table) == async);
		/* The send begins o + c later, after its announcement and the computation. */
		table.rows.items[0].sender = 0;
		assert_true(runtime_of(&program, &table) == (c ? n->o + c + whole : whole));
		table.rows.items[0].sender = 1;
		assert_true(runtime_of(&program, &table) == async);
		progress_table_release(&table);
	}
}

/* Both ranks: Irecv; Send; compute; Wait.  Each is in its send when the message of the other comes. */
static void a_call_that_waits_before_the_wait_moves_the_message(void **state)
{
	struct program program = {.rank_count = 2};
	const struct program_network *n = &network;
	/* Each message is announced at o + L, in the send: it moves then. */
	const int64_t sent = n->o + n->L + n->o + 3 * n->L + B;

	(void)state;
	for (uint32_t rank = 0; rank < 2; rank++) {
		program_add(&program, rank,
			    (struct step){.what = DO_IRECV, .peer = !rank, .request = 1});
		program_add(&program, rank,
			    (struct step){.what = DO_SEND, .peer = !rank, .bytes = BYTES});
		program_add(&program, rank, (struct step){.what = DO_COMPUTE, .ns = 30000});
		program_add(&program, rank, (struct step){.what = DO_WAIT, .request = 1});
	}
	program_pair(&program);
	assert_true(program_play(&program, n) == sent + 30000);
	/*
	 * The graph does not know that it comes in the send: it may come just after it and wait
	 * for 30 us.
	 */
	assert_true(runtime_with(&program, 0) >= sent + 30000);
	assert_true(runtime_with(&program, 0) <= sent + 60000 + n->o);
}

/* --------------------------------------------------------------------- operations */

/* Feed rank 1, who receives, and rank 0, who sends; expect the graph of one of them in the second reading. */
static void expect_deferred(void (*receive)(struct feed *), void (*send)(struct feed *),
			    uint32_t rank, const char *graph)
{
	struct progress_table table = table_of(0);
	struct convert_options options = {.compute_scale = 1, .copies = 1, .progress = &table};
	void (*const calls[])(struct feed *) = {send, receive};
	struct deferred deferred;
	struct feed feed;
	struct error err;

	MUST(deferred_init(&deferred, 4, feed_world.world_comm, &err));
	feed_init(&feed, &options);
	for (uint32_t i = 0; i < 2; i++) {
		feed_begin(&feed, i);
		calls[i](&feed);
		feed_end(&feed);
		MUST(deferred_add(&deferred, i, &feed.convert.deferral.found, &feed.convert.tags,
				  &err));
	}
	feed_release(&feed);
	deferred_match(&deferred, &table);
	options.deferred = &deferred;
	feed_init(&feed, &options);
	feed_begin(&feed, rank);
	calls[rank](&feed);
	feed_end(&feed);
	feed_expect(&feed, graph);
	feed_release(&feed);
	deferred_release(&deferred);
	progress_table_release(&table);
}

/* Two receives of one tag, waited for in the other order, the first one across a long computation. */
static void receive_two(struct feed *feed)
{
	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 300, "MPI_Wait", IRECV(0, 0, 7, 3000, 2));
	feed_ok(feed, 9000, "MPI_Wait", IRECV(0, 0, 7, 2000, 1));
}

static void send_two(struct feed *feed)
{
	feed_ok(feed, 0, "MPI_Send", SEND(0, 1, 7, 2000));
	feed_ok(feed, 0, "MPI_Send", SEND(0, 1, 7, 3000));
}

static void a_receive_waits_for_the_first_call_and_after_its_announcement(void **state)
{
	(void)state;
	expect_deferred(receive_two, send_two, 1,
			"recv 0 from 0 tag 2147483649\n"
			"recv 2000 from 0 tag 2147483650 > 3 4\n"
			"recv 3000 from 0 tag 2147483648 > 3\n"
			"calc 300\n"
			"calc 9000 > 0\n"
			"calc 9000 > 3 2\n");
	expect_deferred(receive_two, send_two, 0,
			"send 0 to 1 tag 2147483648\n"
			"send 2000 to 1 tag 2147483649\n"
			"send 3000 to 1 tag 2147483650 > 1\n");
}

/* A send is cancelled between two others: the second receive is that of the last one. */
static void send_and_cancel(struct feed *feed)
{
	feed_ok(feed, 0, "MPI_Send", SEND(0, 1, 7, 8));
	feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 7, 5000, 1));
	feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 7, 2000, 2));
	feed_ok(feed, 0, "MPI_Wait", CANCELLED(1));
	feed_ok(feed, 0, "MPI_Wait", ISENT(2));
}

static void receive_after_an_eager_one(struct feed *feed)
{
	feed_ok(feed, 0, "MPI_Recv", RECV(0, 0, 7, 8));
	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 300, "MPI_Wait", IRECV(0, 0, 7, 2000, 1));
}

static void cancelled_sends_do_not_count_in_the_order_of_messages(void **state)
{
	(void)state;
	expect_deferred(receive_after_an_eager_one, send_and_cancel, 0,
			"send 8 to 1 tag 7\n"
			"calc 0 > 0\n"
			"send 2000 to 1 tag 2147483648 >> 1\n");
}

/* Thread 1 completes what thread 0 has posted. */
static void receive_by_another_thread(struct feed *feed)
{
	const struct mpi_event events[] = {IRECV(0, 0, 7, 2000, 1), IRECV(0, 0, 7, 3000, 2)};
	const struct mpi_call call = {.function = "MPI_Waitall",
				      .thread = 1,
				      .enter_ns = feed->now_ns + 300,
				      .leave_ns = feed->now_ns + 310,
				      .events = events,
				      .event_count = 2};

	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_must(feed, convert_call(&feed->convert, &call, &feed->err));
	feed->now_ns = call.leave_ns;
}

static void a_message_that_another_thread_completes_is_not_deferred(void **state)
{
	(void)state;
	expect_deferred(receive_by_another_thread, send_two, 1,
			"recv 2000 from 0 tag 7\n"
			"recv 3000 from 0 tag 7\n"
			"calc 300 cpu 1\n");
}

/* A request that is never completed, and one that another call than a wait completes, are not deferred. */
static void receive_and_free(struct feed *feed)
{
	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 300, "MPI_Recv", RECV(0, 0, 8, 4));
}

static void receives_without_an_end_are_left_out(void **state)
{
	(void)state;
	expect_deferred(receive_and_free, send_two, 1,
			"calc 0\n"
			"calc 0\n"
			"calc 300\n"
			"recv 4 from 0 tag 8 > 2\n");
}

/* -------------------------------------------------------------------- at random */

static struct input image_of(const struct program *program, const struct progress_table *table,
			     struct goal *goal)
{
	program_graph(program, table, goal);
	return goal->image;
}

static void expect_same_graph(const struct program *program, const struct progress_table *table)
{
	struct goal plain, other;
	const struct input a = image_of(program, NULL, &plain),
			   b = image_of(program, table, &other);

	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.bytes, b.bytes, a.count);
	goal_release(&plain);
	goal_release(&other);
}

/* All messages match by pairs of the same size, and no two of a channel have changed places. */
static void expect_matches(const struct goal *goal)
{
	struct goal_matching matching;
	struct error err;

	MUST(goal_match(&matching, goal, &err));
	for (uint32_t op = 0; op < goal->op_count; op++) {
		const struct goal_block *block = &goal->ranks[goal_rank_of(goal, op)];
		const struct goal_op one = goal_op(block, op - block->first_op);
		const uint32_t other = matching.partner[op];

		if (one.kind == GOAL_CALC)
			continue;
		block = &goal->ranks[one.peer];
		assert_true(goal_op(block, other - block->first_op).size == one.size);
	}
	goal_matching_release(&matching);
}

/*
 * The engines agree on T of the graph, and T without deferral is that of the plain graph.  Returns whether a
 * message is deferred.
 */
static bool expect_engines_agree(struct goal *goal, int64_t runtime_ns, int64_t async_ns)
{
	const double percents[] = {1};
	const struct analysis_request request = {.engine = ENGINE_LP,
						 .varied = VARIABLE_L,
						 .percents = percents,
						 .percent_count = 1};
	struct model model = {.path = "program", .loggps = loggps_of(&network), .goal = *goal};
	const struct simulate_network limits = simulate_network_from(&model.loggps, 1);
	struct simulation simulation;
	struct critical_path path;
	struct analysis analysis;
	struct overlap overlap;
	struct error err;
	bool deferred;

	MUST(graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err));
	MUST(analysis_run(&analysis, &model, &request, &err));
	assert_true(llround(analysis.runtime_ns) == runtime_ns);
	MUST(critical_path_find(&path, &model, &err));
	assert_true(path.runtime_as == (int128)runtime_ns * AS_PER_NS);
	assert_true(simulate(&simulation, goal, &limits));
	assert_true(simulation.runtime == (wide)runtime_ns * AS_PER_NS);
	MUST(overlap_find(&overlap, &model, &path, &err));
	assert_true(!overlap.messages || overlap.async_as == (int128)async_ns * AS_PER_NS);
	deferred = overlap.messages > 0;
	overlap_release(&overlap);
	simulation_release(&simulation);
	critical_path_release(&path);
	analysis_release(&analysis);
	cost_graph_release(&model.graph);
	execution_graph_release(&model.execution);
	return deferred;
}

/* Overheads of sends that are started in computation: the graph does not count them there. */
static int64_t overheads(const struct program *program)
{
	int64_t count = 0;

	for (uint32_t rank = 0; rank < program->rank_count; rank++)
		for (uint32_t i = 0; i < program->ranks[rank].count; i++)
			count += program->ranks[rank].steps[i].what == DO_ISEND;
	return count * network.o;
}

static void the_runtime_of_random_programs_lies_between_async_and_calls(void **state)
{
	uint32_t deferred = 0, between = 0, exact = 0, programs = 0;
	uint64_t numbers = 7;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct progress_table calls = table_of(0);
		struct program program;
		struct goal goal;
		int64_t async_ns, calls_ns, played_ns;

		program_random(&program, &numbers);
		async_ns = runtime_of(&program, NULL);
		program_graph(&program, &calls, &goal);
		expect_matches(&goal);
		calls_ns = runtime_of_goal(&goal, &network);
		played_ns = program_play(&program, &network);
		assert_true(async_ns <= played_ns);
		if (played_ns > calls_ns + overheads(&program))
			fail_msg("program %d takes %lld ns, at most %lld expected", i,
				 (long long)played_ns, (long long)calls_ns);
		if (i % 4 == 0)
			expect_engines_agree(&goal, calls_ns, async_ns);
		programs++;
		deferred += calls_ns > async_ns;
		between += played_ns > async_ns;
		exact += played_ns == calls_ns;
		goal_release(&goal);
		progress_table_release(&calls);
	}
	/* The interval is of use. */
	assert_true(deferred > programs / 4 && between > programs / 4 && exact > programs / 3);
}

/* Tables with any fraction for both sides; 0 and 1 are frequent. */
static struct progress_table random_table(uint64_t *numbers)
{
	struct progress_table table = table_of((double)random_below(numbers, 5) / 4);

	table.rows.items[0].sender = (double)random_below(numbers, 5) / 4;
	return table;
}

static void messages_that_wait_for_both_sides_match_and_take_no_less_than_async(void **state)
{
	uint32_t longer = 0, deferred = 0;
	uint64_t numbers = 17;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct progress_table table = random_table(&numbers);
		const bool whole = fmod(table.rows.items[0].sender, 1) == 0 &&
				   fmod(table.rows.items[0].receiver, 1) == 0;
		struct program program;
		struct goal goal;
		int64_t async_ns, ns;

		program_random(&program, &numbers);
		async_ns = runtime_of(&program, NULL);
		program_graph(&program, &table, &goal);
		expect_matches(&goal);
		ns = runtime_of_goal(&goal, &network);
		assert_true(ns >= async_ns);
		longer += ns > async_ns;
		if (whole)
			deferred += expect_engines_agree(&goal, ns, async_ns);
		goal_release(&goal);
		progress_table_release(&table);
	}
	assert_true(longer > 300 && deferred > 50);
}

static void full_overlap_and_a_high_threshold_leave_the_graph_as_it_is(void **state)
{
	uint64_t numbers = 11;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct progress_table table = table_of(i % 2);
		struct program program;

		if (i % 2 == 0)
			table.threshold = 1000000;
		program_random(&program, &numbers);
		expect_same_graph(&program, &table);
		progress_table_release(&table);
	}
}

static void parts_of_messages_match_and_take_no_less_than_async(void **state)
{
	uint64_t numbers = 13;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct progress_table table = table_of((double)(1 + random_below(&numbers, 99)) /
						       100);
		struct program program;
		struct goal goal;

		program_random(&program, &numbers);
		program_graph(&program, &table, &goal);
		expect_matches(&goal);
		assert_true(runtime_of_goal(&goal, &network) >= runtime_of(&program, NULL));
		goal_release(&goal);
		progress_table_release(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_moves_at_any_time_or_after_the_computation),
		cmocka_unit_test(a_part_of_a_message_moves_while_the_receiver_computes),
		cmocka_unit_test(an_eager_message_stays_as_it_is),
		cmocka_unit_test(parts_that_would_be_eager_are_not_split_off),
		cmocka_unit_test(a_message_waits_for_its_sender_if_both_sides_have_to_act),
		cmocka_unit_test(
			messages_that_wait_for_both_sides_match_and_take_no_less_than_async),
		cmocka_unit_test(a_call_that_waits_before_the_wait_moves_the_message),
		cmocka_unit_test(a_receive_waits_for_the_first_call_and_after_its_announcement),
		cmocka_unit_test(cancelled_sends_do_not_count_in_the_order_of_messages),
		cmocka_unit_test(a_message_that_another_thread_completes_is_not_deferred),
		cmocka_unit_test(receives_without_an_end_are_left_out),
		cmocka_unit_test(the_runtime_of_random_programs_lies_between_async_and_calls),
		cmocka_unit_test(full_overlap_and_a_high_threshold_leave_the_graph_as_it_is),
		cmocka_unit_test(parts_of_messages_match_and_take_no_less_than_async),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
