/* Efficiencies of small programs, whose answers follow from the definitions by hand. */
#include "critpath/graph/ideal_run.h"
#include "critpath/tables/efficiency.h"
#include "test/unit/lib/make/make_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/random_calls.h"
#include "test/unit/lib/must.h"

static struct efficiency find_with(const struct made_run *made,
				   const struct efficiency_reference *reference,
				   const struct efficiency_graph *graph)
{
	static const struct efficiency_reference none;
	struct efficiency efficiency;
	uint64_t ideal_ns;
	struct error err;

	MUST(ideal_run_find(&ideal_ns, &made->waits, &err));
	efficiency_find(&efficiency, &made->run, &made->totals, ideal_ns,
			reference ? reference : &none, graph);
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
	assert_int_equal(efficiency.run_ns, 22);
	assert_int_equal(efficiency.ideal_ns, 20);
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
	assert_int_equal(efficiency.busiest, 0);
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
	assert_int_equal(efficiency.run_ns, 80);
	assert_int_equal(efficiency.ideal_ns, 50);
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
		assert_true(efficiency.ideal_ns >= efficiency.most_compute_ns);
		assert_true(efficiency.ideal_ns <= efficiency.run_ns);
		between += efficiency.ideal_ns > efficiency.most_compute_ns &&
			   efficiency.ideal_ns < efficiency.run_ns;
		made_release(&made);
	}
	assert_true(between > 10);
	free(program);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
