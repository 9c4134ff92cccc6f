/* Efficiencies of small programs, whose answers follow from the definitions by hand. */
#include "critpath/graph/ideal_blocks.h"
#include "critpath/graph/ideal_run.h"
#include "critpath/match/run_match.h"
#include "critpath/tables/efficiency_parts.h"
#include "test/unit/lib/make/make_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "test/unit/lib/check/dist_check.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/random_calls.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/calls_graph.h"

static struct efficiency find_with(const struct made_run *made,
				   const struct efficiency_reference *reference,
				   const struct efficiency_graph *graph)
{
	static const struct efficiency_reference none;
	static const struct efficiency_threads no_threads;
	struct efficiency efficiency;
	uint64_t ideal_ns;
	struct error err;

	MUST(ideal_run_find(&ideal_ns, &made->waits, dist_alone(), &err));
	efficiency_find(&efficiency, &made->run, &made->totals, ideal_ns,
			reference ? reference : &none, graph, &no_threads);
	return efficiency;
}

static struct efficiency find(const struct made_run *made,
			      const struct efficiency_reference *reference)
{
	static const struct efficiency_graph none;

	return find_with(made, reference, &none);
}

static void expect_efficiency(const struct efficiency *efficiency, enum efficiency_kind kind,
			      double expected)
{
	if (fabs(efficiency->values[kind] - expected) > 1e-12)
		fail_msg("efficiency %d is %.17g", (int)kind, efficiency->values[kind]);
}

/* Expect load balance, communication, transfer and serialisation. */
static void expect_all(const struct efficiency *efficiency, double balance, double communication,
		       double transfer, double serialisation)
{
	expect_efficiency(efficiency, EFFICIENCY_LOAD_BALANCE, balance);
	expect_efficiency(efficiency, EFFICIENCY_COMMUNICATION, communication);
	expect_efficiency(efficiency, EFFICIENCY_TRANSFER, transfer);
	expect_efficiency(efficiency, EFFICIENCY_SERIALISATION, serialisation);
	expect_efficiency(efficiency, EFFICIENCY_PARALLEL, balance * communication);
	assert_true(fabs(transfer + efficiency->additive_serialisation - 1 - communication) <
		    1e-12);
}

static void a_ping_pong_with_work_is_serial(void **state)
{
	struct made_run made;
	struct efficiency efficiency;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Bsend", 10, 10, SEND(0, 1, 0, 8));
	made_call(&made, 1, "MPI_Recv", 0, 11, RECV(0, 0, 0, 8));
	made_call(&made, 1, "MPI_Bsend", 21, 21, SEND(0, 0, 0, 8));
	made_plain(&made, 1, "MPI_Finalize", 21, 23);
	made_call(&made, 0, "MPI_Recv", 10, 22, RECV(0, 1, 0, 8));
	made_plain(&made, 0, "MPI_Finalize", 22, 23);
	made_end(&made);
	efficiency = find(&made, NULL);
	assert_int_equal(efficiency.times.run_ns, 22);
	assert_int_equal(efficiency.times.ideal_ns, 20);
	expect_all(&efficiency, 1, 10.0 / 22, 20.0 / 22, 0.5);
	assert_true(isnan(efficiency.values[EFFICIENCY_SCALING]));
	made_release(&made);
}

static void turns_of_imbalance_are_serialisation(void **state)
{
	struct play play;
	struct efficiency efficiency;

	(void)state;
	play_begin(&play, 2);
	for (uint32_t i = 0; i < 10; i++) {
		play_compute(&play, i % 2, "work", 10);
		play_compute(&play, 1 - i % 2, "work", 6);
		play_barrier(&play);
	}
	play_end(&play);
	efficiency = find(&play.made, NULL);
	expect_all(&efficiency, 1, 0.8, 1, 0.8);
	made_release(&play.made);
}

static void a_pipeline_is_serialised_and_unbalanced(void **state)
{
	struct play play;
	struct efficiency efficiency;

	(void)state;
	play_begin(&play, 4);
	play_compute(&play, 0, "delay", 50);
	play_compute(&play, 0, "work", 10);
	for (uint32_t r = 0; r + 1 < 4; r++) {
		play_message(&play, r, r + 1);
		play_compute(&play, r + 1, "work", 10);
	}
	play_end(&play);
	efficiency = find(&play.made, NULL);
	expect_all(&efficiency, 0.375, 60.0 / 90, 1, 60.0 / 90);
	assert_int_equal(efficiency.times.busiest, 0);
	made_release(&play.made);
}

/* Rank 3 gets its data of a broadcast from rank 2, which is late. */
static void what_an_algorithm_waits_for_is_transfer(void **state)
{
	static const struct efficiency_graph tree = {.path = "tree", .ideal_ns = 80};
	struct made_run made;
	struct efficiency efficiency;

	(void)state;
	made_begin(&made, 4);
	made_call(&made, 0, "MPI_Bcast", 0, 0, ROOTED(COLL_BCAST, 0, 0));
	made_call(&made, 1, "MPI_Bcast", 10, 10, ROOTED(COLL_BCAST, 0, 0));
	made_call(&made, 2, "MPI_Bcast", 40, 40, ROOTED(COLL_BCAST, 0, 0));
	made_call(&made, 3, "MPI_Bcast", 10, 40, ROOTED(COLL_BCAST, 0, 0));
	made_plain(&made, 0, "MPI_Finalize", 0, 81);
	made_plain(&made, 1, "MPI_Finalize", 10, 81);
	made_plain(&made, 2, "MPI_Finalize", 40, 81);
	made_plain(&made, 3, "MPI_Finalize", 80, 81);
	made_end(&made);
	efficiency = find(&made, NULL);
	assert_int_equal(efficiency.times.run_ns, 80);
	assert_int_equal(efficiency.times.ideal_ns, 50);
	expect_all(&efficiency, 0.5, 50.0 / 80, 50.0 / 80, 1);
	assert_true(isnan(efficiency.values[EFFICIENCY_ALGORITHMS]));
	assert_true(isnan(efficiency.values[EFFICIENCY_NETWORK]));
	efficiency = find_with(&made, NULL, &tree);
	expect_all(&efficiency, 0.5, 50.0 / 80, 50.0 / 80, 1);
	expect_efficiency(&efficiency, EFFICIENCY_ALGORITHMS, 50.0 / 80);
	expect_efficiency(&efficiency, EFFICIENCY_NETWORK, 1);
	made_release(&made);
}

static void computation_scales_from_a_reference(void **state)
{
	struct efficiency_reference reference = {.path = "less", .ranks = 1, .compute_ns = 60};
	struct play play;
	struct efficiency efficiency;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "work", 40);
	play_compute(&play, 1, "work", 35);
	play_barrier(&play);
	play_end(&play);
	efficiency = find(&play.made, &reference);
	expect_efficiency(&efficiency, EFFICIENCY_SCALING, 60.0 / 75);
	expect_efficiency(&efficiency, EFFICIENCY_GLOBAL, 75.0 / 80 * 60 / 75);
	reference.weak = true;
	efficiency = find(&play.made, &reference);
	expect_efficiency(&efficiency, EFFICIENCY_SCALING, 60.0 / 75 * 2);
	made_release(&play.made);
}

/* However calls depend on each other, most C <= ideal <= T; and all clocks may be shifted. */
static void the_ideal_run_is_between_computation_and_run(void **state)
{
	struct program *program = malloc(sizeof *program);
	uint64_t between = 0;

	(void)state;
	for (uint64_t seed = 0; program && seed < 100; seed++) {
		uint64_t numbers = seed;
		struct efficiency efficiency;
		struct made_run made;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 20));
		if (program_is_empty(program))
			continue;
		program_run(&made, program, 0);
		efficiency = find(&made, NULL);
		assert_true(efficiency.times.ideal_ns >= efficiency.times.most_compute_ns);
		assert_true(efficiency.times.ideal_ns <= efficiency.times.run_ns);
		between += efficiency.times.ideal_ns > efficiency.times.most_compute_ns &&
			   efficiency.times.ideal_ns < efficiency.times.run_ns;
		made_release(&made);
	}
	assert_true(between > 10);
	free(program);
}

/* The graph of the definitions, made of what the generator of the programs knows, has the same longest path. */
static void the_ideal_run_is_the_longest_path_of_the_definitions(void **state)
{
	struct program *program = malloc(sizeof *program);
	struct graph *graph = malloc(sizeof *graph);
	uint64_t serialised = 0;

	(void)state;
	for (uint64_t seed = 0; program && graph && seed < 300; seed++) {
		uint64_t numbers = seed, ideal_ns;
		struct made_run made;
		struct error err;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 30));
		/* Polls are other calls in the run than in the program. */
		if (program_is_empty(program) || program->polls)
			continue;
		program_run(&made, program, 0);
		calls_graph_make(graph, program, false);
		MUST(ideal_run_find(&ideal_ns, &made.waits, dist_alone(), &err));
		if (ideal_ns != (uint64_t)calls_graph_ideal(graph, program))
			fail_msg("seed %lu: %lu ns", seed, ideal_ns);
		for (uint32_t r = 0, most = 0; r < program->ranks; r++) {
			most += made.totals.ranks[r].compute_ns < ideal_ns;
			serialised += r + 1 == program->ranks && most == program->ranks;
		}
		made_release(&made);
	}
	assert_true(serialised > 30);
	free(program);
	free(graph);
}

/* ------------------------------------------------------------------------- parts */

enum { PARTS = 16 };

/* Find the efficiencies of parts. */
static void find_parts(struct efficiency_parts *found, const struct made_run *made,
		       const struct measured_parts *parts)
{
	uint64_t ideal_ns[PARTS];
	struct error err;

	assert_in_range(parts->most, 1, PARTS);
	MUST(ideal_parts_find(ideal_ns, parts, &made->waits, dist_alone(), &err));
	MUST(efficiency_parts_find(found, &made->run, parts, ideal_ns, dist_alone(), &err));
}

/* Parts of ranks, which are added one after the other. */
static void parts_begin(struct measured_parts *parts, uint32_t ranks)
{
	struct error err;

	*parts = (struct measured_parts){.rank_count = ranks};
	MUST(allocate(&parts->ranks, ranks, sizeof *parts->ranks, &err));
}

static void parts_add(struct measured_parts *parts, uint32_t rank, uint64_t begin_ns,
		      uint64_t end_ns)
{
	const struct time_span span = {MADE_BEGIN_NS + begin_ns, MADE_BEGIN_NS + end_ns};
	struct error err;

	MUST(array_push(&parts->ranks[rank].spans, span, &err));
	if (parts->ranks[rank].spans.count > parts->most)
		parts->most = (uint32_t)parts->ranks[rank].spans.count;
}

static void expect_values(const struct efficiency_times *times, double balance,
			  double serialisation, double transfer)
{
	double values[EFFICIENCIES];

	efficiency_values(values, times);
	assert_true(fabs(values[EFFICIENCY_LOAD_BALANCE] - balance) < 1e-12);
	assert_true(fabs(values[EFFICIENCY_SERIALISATION] - serialisation) < 1e-12);
	assert_true(fabs(values[EFFICIENCY_TRANSFER] - transfer) < 1e-12);
}

/* What is serialisation of the whole run is imbalance of each iteration. */
static void iterations_show_the_imbalance_that_the_run_hides(void **state)
{
	struct efficiency_parts found;
	struct measured_parts parts;
	struct play play;

	(void)state;
	play_begin(&play, 2);
	parts_begin(&parts, 2);
	for (uint32_t i = 0; i < 10; i++) {
		for (uint32_t r = 0; r < 2; r++)
			parts_add(&parts, r, 10 * i, 10 * (i + 1));
		play_compute(&play, i % 2, "work", 10);
		play_compute(&play, 1 - i % 2, "work", 6);
		play_barrier(&play);
	}
	play_end(&play);
	find_parts(&found, &play.made, &parts);
	assert_int_equal(found.count, 10);
	for (uint32_t i = 0; i < found.count; i++) {
		const struct efficiency_times *times = &found.list[i].times;

		assert_int_equal(found.list[i].start_ns, MADE_BEGIN_NS + 10 * i);
		assert_int_equal(times->run_ns, 10);
		assert_int_equal(times->ideal_ns, 10);
		assert_int_equal(times->busiest, i % 2);
		expect_values(times, 0.8, 1, 1);
	}
	efficiency_parts_release(&found);
	measured_parts_release(&parts);
	made_release(&play.made);
}

/* A region begins and ends within computation, on one rank without any call. */
static void a_region_has_the_computation_between_its_begin_and_its_end(void **state)
{
	struct efficiency_parts found;
	struct measured_parts parts;
	struct play play;

	(void)state;
	play_begin(&play, 3);
	parts_begin(&parts, 3);
	play_compute(&play, 0, "work", 10);
	play_message(&play, 0, 1);
	play_compute(&play, 0, "work", 20);
	play_compute(&play, 1, "work", 30);
	play_compute(&play, 2, "work", 50);
	play_end(&play);
	parts_add(&parts, 0, 4, 10); /* 6, and sends at the end of it */
	parts_add(&parts, 1, 5,
		  25); /* waits from 0 to 10: the call began before, so it is not of the part */
	parts_add(&parts, 2, 20, 24); /* 4 */
	find_parts(&found, &play.made, &parts);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.list[0].times.ranks, 3);
	assert_int_equal(found.list[0].times.run_ns, 21);
	assert_int_equal(found.list[0].times.compute_ns, 6 + 15 + 4);
	assert_int_equal(found.list[0].times.most_compute_ns, 15);
	assert_int_equal(found.list[0].times.busiest, 1);
	assert_int_equal(found.list[0].times.ideal_ns, 15);
	efficiency_parts_release(&found);
	measured_parts_release(&parts);
	made_release(&play.made);
}

/* Let ranks compute and communicate at random. */
static void play_at_random(struct play *play, uint32_t ranks, uint64_t seed)
{
	uint64_t numbers = seed;

	for (uint32_t i = 0; i < 30; i++) {
		const uint32_t a = (uint32_t)random_below(&numbers, ranks);
		const uint32_t b = (a + 1 + (uint32_t)random_below(&numbers, ranks - 1)) % ranks;

		play_compute(play, a, "work", random_below(&numbers, 1000));
		/* Not synchronous: there the graph has an edge only if the sender waited. */
		if (random_below(&numbers, 3))
			play_message(play, a, b);
	}
	/* Calls without length at the end of a part would be in the next one. */
	for (uint32_t r = 0; r < ranks; r++)
		play_compute(play, r, "end", 1);
}

/* Two programs one after the other, on ranks that are not in step between them, are as each of them alone. */
static void parts_are_as_if_they_were_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		const uint32_t ranks = 2 + (uint32_t)(seed % 4);
		struct efficiency_parts found;
		struct measured_parts parts;
		struct play both;

		play_begin(&both, ranks);
		parts_begin(&parts, ranks);
		for (uint32_t part = 0; part < 2; part++) {
			uint64_t begin_ns[MADE_RANKS];

			memcpy(begin_ns, both.at_ns, sizeof begin_ns);
			play_at_random(&both, ranks, 2 * seed + part);
			for (uint32_t r = 0; r < ranks; r++)
				parts_add(&parts, r, begin_ns[r], both.at_ns[r]);
		}
		play_end(&both);
		find_parts(&found, &both.made, &parts);
		for (uint32_t part = 0; part < 2; part++) {
			struct efficiency alone;
			struct play play;

			play_begin(&play, ranks);
			play_at_random(&play, ranks, 2 * seed + part);
			play_end(&play);
			alone = find(&play.made, NULL);
			assert_int_equal(found.list[part].times.ideal_ns,
					 alone.times.ideal_ns);
			assert_int_equal(found.list[part].times.compute_ns,
					 alone.times.compute_ns);
			assert_int_equal(found.list[part].times.most_compute_ns,
					 alone.times.most_compute_ns);
			made_release(&play.made);
		}
		efficiency_parts_release(&found);
		measured_parts_release(&parts);
		made_release(&both.made);
	}
}

static void parts_at_random(struct measured_parts *parts, const struct program *program,
			    uint64_t *numbers)
{
	parts_begin(parts, program->ranks);
	for (uint32_t r = 0; r < program->ranks; r++) {
		const uint64_t end_ns = (uint64_t)program->clock[r];
		uint64_t begin_ns = random_below(numbers, 1 + end_ns / 4);

		for (uint32_t part = 0; part < PARTS - 1; part++) {
			const uint64_t ns = random_below(numbers, 1 + end_ns / 8);

			if (begin_ns + ns <= end_ns)
				parts_add(parts, r, begin_ns, begin_ns + ns);
			begin_ns += ns + (part % 2) * (ns / 3);
		}
		parts_add(parts, r, end_ns, end_ns);
	}
}

/* Wherever parts begin and end, most C <= ideal <= T. */
static void the_ideal_of_a_part_is_between_computation_and_run(void **state)
{
	struct program *program = malloc(sizeof *program);

	(void)state;
	for (uint64_t seed = 0; program && seed < 200; seed++) {
		uint64_t numbers = seed;
		struct efficiency_parts found;
		struct measured_parts parts;
		struct made_run made;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 30));
		if (program_is_empty(program))
			continue;
		program_run(&made, program, 0);
		parts_at_random(&parts, program, &numbers);
		find_parts(&found, &made, &parts);
		for (uint32_t part = 0; part < found.count; part++) {
			const struct efficiency_times *times = &found.list[part].times;

			assert_true(times->most_compute_ns <= times->ideal_ns);
			if (times->ideal_ns > times->run_ns)
				fail_msg("seed %lu, part %u: %lu in %lu ns", seed, part,
					 times->ideal_ns, times->run_ns);
		}
		efficiency_parts_release(&found);
		measured_parts_release(&parts);
		made_release(&made);
	}
	free(program);
}

/* -------------------------------------------------------------------- processes */

enum { PROCESSES = 7 };

/* What processes find together, and what one finds alone. */
struct together {
	const struct made_run *made;
	const struct measured_parts *parts;
	struct efficiency_parts alone;
	uint64_t ideal_ns;
	bool same[PROCESSES];
	int results[PROCESSES];
	struct error errors[PROCESSES];
};

static bool same_parts(const struct efficiency_parts *a, const struct efficiency_parts *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++) {
		const struct efficiency_part *x = &a->list[i], *y = &b->list[i];

		same = x->start_ns == y->start_ns && x->end_ns == y->end_ns &&
		       x->times.ranks == y->times.ranks && x->times.busiest == y->times.busiest &&
		       x->times.ideal_ns == y->times.ideal_ns &&
		       x->times.compute_ns == y->times.compute_ns &&
		       x->times.most_compute_ns == y->times.most_compute_ns;
	}
	return same;
}

static int find_own(struct together *together, const struct waits *waits, struct dist *dist,
		    struct error *err)
{
	struct efficiency_parts parts;
	uint64_t ideal_ns, parts_ns[PARTS];

	TRY(ideal_run_find(&ideal_ns, waits, dist, err));
	TRY(ideal_parts_find(parts_ns, together->parts, waits, dist, err));
	TRY(efficiency_parts_find(&parts, waits->run, together->parts, parts_ns, dist, err));
	together->same[dist->rank] = ideal_ns == together->ideal_ns &&
				     same_parts(&parts, &together->alone);
	efficiency_parts_release(&parts);
	return 0;
}

static int share_and_find(struct together *together, struct dist *dist, struct error *err)
{
	struct measured_run own;
	struct waits waits;
	int result = dist_check_take(&own, &together->made->run, dist, err);

	TRY(dist_agree(dist, result, err));
	result = run_match(&own, dist, err);
	if (result == 0)
		result = waits_find(&waits, &own, dist, err);
	if (result == 0) {
		result = find_own(together, &waits, dist, err);
		waits_release(&waits);
	}
	measured_run_release(&own);
	return result;
}

static void find_together(struct dist *dist, void *data)
{
	struct together *together = data;
	const uint32_t p = dist->rank;

	together->results[p] = share_and_find(together, dist, &together->errors[p]);
}

static void expect_together(struct together *together, uint32_t processes, uint64_t seed)
{
	dist_play(processes, find_together, together);
	for (uint32_t p = 0; p < processes; p++) {
		if (together->results[p] < 0)
			fail_msg("seed %lu: %s", seed, together->errors[p].text);
		if (!together->same[p])
			fail_msg("seed %lu: process %u of %u differs", seed, p, processes);
	}
}

/* Also where processes have no rank, and collectives are of some ranks, in several parts or not blocking. */
static void processes_find_the_efficiencies_of_one(void **state)
{
	struct program *program = malloc(sizeof *program);

	(void)state;
	for (uint64_t seed = 0; program && seed < 120; seed++) {
		struct together together = {0};
		uint64_t numbers = seed, parts_ns[PARTS];
		struct measured_parts parts;
		struct made_run made;
		struct error err;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 30));
		if (program_is_empty(program))
			continue;
		program_run(&made, program, 0);
		parts_at_random(&parts, program, &numbers);
		together.made = &made;
		together.parts = &parts;
		MUST(ideal_run_find(&together.ideal_ns, &made.waits, dist_alone(), &err));
		MUST(ideal_parts_find(parts_ns, &parts, &made.waits, dist_alone(), &err));
		MUST(efficiency_parts_find(&together.alone, &made.run, &parts, parts_ns,
					   dist_alone(), &err));
		expect_together(&together, 2 + (uint32_t)(seed % (PROCESSES - 1)), seed);
		efficiency_parts_release(&together.alone);
		measured_parts_release(&parts);
		made_release(&made);
	}
	free(program);
}

/* Also where a message is under way past a barrier, and where the last call of a rank is one. */
static void blocks_end_where_all_ranks_meet(void **state)
{
	struct ideal_graph graph;
	struct made_run made;
	struct error err;
	uint64_t count, ideal_ns;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Bsend", 10, 10, SEND(0, 1, 0, 8));
	for (uint32_t r = 0; r < 2; r++) {
		made_call(&made, r, "MPI_Barrier", 10 + r, 11, COLLECTIVE(COLL_BARRIER, 0));
		made_call(&made, r, "MPI_Barrier", 15 - 3 * r, 15, COLLECTIVE(COLL_BARRIER, 0));
	}
	made_call(&made, 1, "MPI_Recv", 16, 16, RECV(0, 0, 0, 8));
	made_plain(&made, 0, "MPI_Finalize", 19, 20);
	made_plain(&made, 1, "MPI_Finalize", 18, 20);
	made_end(&made);
	MUST(ideal_graph_build(&graph, &made.waits, dist_alone(), &err));
	MUST(ideal_blocks_find(&count, &graph, dist_alone(), &err));
	ideal_graph_release(&graph);
	assert_int_equal(count, 3);
	MUST(ideal_run_find(&ideal_ns, &made.waits, dist_alone(), &err));
	assert_int_equal(ideal_ns, 11 + 4 + 4);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ping_pong_with_work_is_serial),
		cmocka_unit_test(turns_of_imbalance_are_serialisation),
		cmocka_unit_test(a_pipeline_is_serialised_and_unbalanced),
		cmocka_unit_test(what_an_algorithm_waits_for_is_transfer),
		cmocka_unit_test(computation_scales_from_a_reference),
		cmocka_unit_test(the_ideal_run_is_between_computation_and_run),
		cmocka_unit_test(the_ideal_run_is_the_longest_path_of_the_definitions),
		cmocka_unit_test(iterations_show_the_imbalance_that_the_run_hides),
		cmocka_unit_test(a_region_has_the_computation_between_its_begin_and_its_end),
		cmocka_unit_test(parts_are_as_if_they_were_alone),
		cmocka_unit_test(the_ideal_of_a_part_is_between_computation_and_run),
		cmocka_unit_test(processes_find_the_efficiencies_of_one),
		cmocka_unit_test(blocks_end_where_all_ranks_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
