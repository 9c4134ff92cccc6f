/* Imbalance of small programs, whose times are given to the nanosecond. */
#include "critpath/tables/imbalance_iterations.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

#define COLL(k, c)                                                                    \
	{                                                                             \
		.kind = EVENT_COLLECTIVE, .collective = k, .comm = c, .root = NO_ROOT \
	}

static void find(struct imbalance *imbalance, const struct made_run *made)
{
	struct error err;

	MUST(imbalance_find(imbalance, &made->waits, dist_alone(), &err));
}

static void expect_parts(const struct call_parts *parts, uint64_t before_ns, uint64_t execution_ns,
			 uint64_t after_ns)
{
	assert_int_equal(parts->before_ns, before_ns);
	assert_int_equal(parts->execution_ns, execution_ns);
	assert_int_equal(parts->after_ns, after_ns);
}

/* The parts of calls add up to them, and those of ranks to their run. */
static void expect_sums(const struct imbalance *imbalance, const struct made_run *made)
{
	struct imbalance_iterations iterations;
	struct iteration_parts all = {0};
	struct error err;

	MUST(imbalance_iterations_find(&iterations, imbalance, dist_alone(), &err));
	for (size_t i = 0; i < iterations.list.count; i++) {
		all.computation_ns += iterations.list.items[i].computation_ns;
		all.calls.before_ns += iterations.list.items[i].calls.before_ns;
		all.calls.execution_ns += iterations.list.items[i].calls.execution_ns;
		all.calls.after_ns += iterations.list.items[i].calls.after_ns;
	}
	imbalance_iterations_release(&iterations);
	assert_int_equal(all.computation_ns, imbalance->sum.first_thread_ns);
	assert_memory_equal(&all.calls, &imbalance->sum.calls, sizeof all.calls);
	for (uint32_t r = 0; r < made->run.rank_count; r++) {
		const struct measured_rank *rank = &made->run.ranks[r];
		const struct rank_parts *parts = &imbalance->ranks[r];

		for (uint32_t c = 0; c < rank->calls.count; c++) {
			const struct call_parts call = imbalance_of_call(imbalance, r, c);

			assert_int_equal(call.before_ns + call.execution_ns + call.after_ns,
					 rank->calls.items[c].leave_ns -
						 rank->calls.items[c].enter_ns);
		}
		assert_int_equal(parts->computation_ns + parts->unknown_ns +
					 parts->calls.before_ns + parts->calls.execution_ns +
					 parts->calls.after_ns,
				 parts->run_ns);
	}
}

/* Ranks 0 to 2 enter a barrier at 100, 150 and 180 and leave it at 200, 210 and 230. */
static void make_barrier(struct made_run *made)
{
	made_begin(made, 3);
	made_call(made, 0, "MPI_Barrier", 100, 200, COLL(COLL_BARRIER, 0));
	made_call(made, 1, "MPI_Barrier", 150, 210, COLL(COLL_BARRIER, 0));
	made_call(made, 2, "MPI_Barrier", 180, 230, COLL(COLL_BARRIER, 0));
	for (uint32_t r = 0; r < 3; r++)
		made_plain(made, r, "MPI_Finalize", 240, 300);
	made_end(made);
}

static void members_of_a_collective_wait_before_and_after_it(void **state)
{
	struct imbalance imbalance;
	struct call_parts parts;
	struct made_run made;

	(void)state;
	make_barrier(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	parts = imbalance_of_call(&imbalance, 0, 1);
	expect_parts(&parts, 80, 20, 0);
	parts = imbalance_of_call(&imbalance, 1, 1);
	expect_parts(&parts, 30, 20, 10);
	parts = imbalance_of_call(&imbalance, 2, 1);
	expect_parts(&parts, 0, 20, 30);
	assert_int_equal(imbalance.instance_states[INSTANCE_SYNCHRONOUS], 1);
	expect_parts(&imbalance.instances[0], 110, 60, 40);
	assert_int_equal(imbalance.comms.count, 1);
	expect_parts(&imbalance.comms.items[0].calls, 110, 60, 40);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void imbalance_of_processes_counts_their_computation(void **state)
{
	struct imbalance imbalance;
	struct made_run made;

	(void)state;
	make_barrier(&made);
	find(&imbalance, &made);
	/* Rank 0 computes 100 and 40, and waits 80 around 20. */
	assert_int_equal(imbalance.ranks[0].computation_ns, 140);
	assert_true(imbalance_ratio(&imbalance.ranks[0].calls, 140) == 80.0 / 160);
	assert_true(imbalance_ratio(&imbalance.ranks[0].calls, 0) == 80.0 / 20);
	/* All: 140 + 180 + 190 of computation. */
	assert_int_equal(imbalance.sum.computation_ns, 510);
	assert_true(imbalance_ratio(&imbalance.sum.calls, 510) == 150.0 / 570);
	assert_int_equal(imbalance.busiest, 2);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void ratios_without_execution_are_zero_or_infinite(void **state)
{
	(void)state;
	assert_true(imbalance_ratio(&(struct call_parts){0}, 0) == 0);
	assert_true(isinf(imbalance_ratio(&(struct call_parts){.after_ns = 1}, 0)));
}

static void collectives_that_a_member_leaves_early_are_left_out(void **state)
{
	struct imbalance imbalance;
	struct call_parts parts;
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Bcast", 50, 60, ROOTED(COLL_BCAST, 0, 0));
	made_call(&made, 1, "MPI_Bcast", 80, 95, ROOTED(COLL_BCAST, 0, 0));
	made_call(&made, 0, "MPI_Bcast", 200, 210, ROOTED(COLL_BCAST, 0, 1));
	made_call(&made, 1, "MPI_Bcast", 230, 240, ROOTED(COLL_BCAST, 0, 1));
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	assert_int_equal(imbalance.instance_states[INSTANCE_NOT_SYNCHRONOUS], 2);
	assert_int_equal(imbalance.instance_states[INSTANCE_SYNCHRONOUS], 0);
	parts = imbalance_of_call(&imbalance, 1, 1);
	expect_parts(&parts, 0, 15, 0);
	assert_int_equal(imbalance.comms.items[0].left_out, 2);
	expect_parts(&imbalance.comms.items[0].calls, 0, 0, 0);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void collectives_that_do_not_block_are_left_out(void **state)
{
	struct imbalance imbalance;
	struct call_parts parts;
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	for (uint32_t r = 0; r < 2; r++) {
		made_call(&made, r, "MPI_Ibarrier", 10 + 40 * r, 12 + 40 * r, ICOLL(7));
		made_call(&made, r, "MPI_Wait", 20 + 40 * r, 70, ICOLL_DONE(COLL_BARRIER, 0, 7));
	}
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	assert_int_equal(imbalance.instance_states[INSTANCE_NOT_BLOCKING], 1);
	parts = imbalance_of_call(&imbalance, 0, 2);
	expect_parts(&parts, 30, 20, 0);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void collectives_without_all_members_are_left_out(void **state)
{
	struct imbalance imbalance;
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Barrier", 10, 30, COLL(COLL_BARRIER, 0));
	made_call(&made, 1, "MPI_Barrier", 20, 30, COLL(COLL_BARRIER, 0));
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	assert_int_equal(imbalance.instance_states[INSTANCE_INCOMPLETE], 1);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void messages_wait_only_before(void **state)
{
	struct imbalance imbalance;
	struct call_parts parts;
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Send", 70, 75, SEND(0, 1, 5, 8));
	made_call(&made, 1, "MPI_Recv", 30, 90, RECV(0, 0, 5, 8));
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	parts = imbalance_of_call(&imbalance, 1, 1);
	expect_parts(&parts, 40, 20, 0);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void threads_have_computation_between_their_calls(void **state)
{
	struct imbalance imbalance;
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_thread_call(&made, 0, 1, "MPI_Send", 50, 60, SEND(0, 1, 5, 8));
	made_thread_call(&made, 0, 1, "MPI_Send", 90, 100, SEND(0, 1, 5, 8));
	made_call(&made, 1, "MPI_Recv", 55, 70, RECV(0, 0, 5, 8));
	made_call(&made, 1, "MPI_Recv", 95, 110, RECV(0, 0, 5, 8));
	made_plain(&made, 0, "MPI_Finalize", 200, 210);
	made_plain(&made, 1, "MPI_Finalize", 200, 210);
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	assert_int_equal(imbalance.ranks[0].first_thread_ns, 200);
	assert_int_equal(imbalance.ranks[0].computation_ns, 230);
	assert_int_equal(imbalance.ranks[0].run_ns, 250);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void iterations_have_the_computation_and_the_waits_that_begin_in_them(void **state)
{
	struct imbalance_iterations iterations;
	const struct iteration_parts *parts;
	struct imbalance imbalance;
	struct made_run made;
	struct error err;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t i = 0; i < 4; i++) {
		const uint64_t at = 1000 * (i + 1);

		made_call(&made, 0, "MPI_Barrier", at + 100, at + 500, COLLECTIVE(COLL_BARRIER, 0));
		made_call(&made, 0, "MPI_Send", at + 600, at + 610, SEND(0, 1, 5, 8));
		made_call(&made, 1, "MPI_Barrier", at + 450 + i, at + 520, COLLECTIVE(COLL_BARRIER, 0));
		made_call(&made, 1, "MPI_Recv", at + 550, at + 620, RECV(0, 0, 5, 8));
	}
	made_plain(&made, 0, "MPI_Finalize", 6000, 6010);
	made_plain(&made, 1, "MPI_Finalize", 6000, 6010);
	made_end(&made);
	find(&imbalance, &made);
	expect_sums(&imbalance, &made);
	MUST(imbalance_iterations_find(&iterations, &imbalance, dist_alone(), &err));
	assert_int_equal(iterations.most, 4);
	assert_int_equal(iterations.list.count, 5);
	assert_true(iterations.list.items[0].iteration == NO_ITERATION);
	parts = &iterations.list.items[2];
	assert_int_equal(parts->iteration, 1);
	assert_int_equal(parts->ranks, 2);
	assert_int_equal(parts->start_ns, MADE_BEGIN_NS + 1610);
	/* An iteration begins where the one before ends: 1610 on rank 0, 1620 on rank 1. */
	assert_int_equal(parts->computation_ns, (490 + 100) + (831 + 30));
	assert_int_equal(parts->most_ns, 831 + 30);
	assert_int_equal(parts->busiest, 1);
	/* Rank 0 waits from 2100 to 2451 in the barrier, rank 1 for the send from 2550 to 2600. */
	assert_int_equal(parts->calls.before_ns, 351 + 50);
	assert_int_equal(parts->calls.after_ns, 20);
	imbalance_iterations_release(&iterations);
	imbalance_release(&imbalance);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_a_collective_wait_before_and_after_it),
		cmocka_unit_test(imbalance_of_processes_counts_their_computation),
		cmocka_unit_test(ratios_without_execution_are_zero_or_infinite),
		cmocka_unit_test(collectives_that_a_member_leaves_early_are_left_out),
		cmocka_unit_test(collectives_that_do_not_block_are_left_out),
		cmocka_unit_test(collectives_without_all_members_are_left_out),
		cmocka_unit_test(messages_wait_only_before),
		cmocka_unit_test(threads_have_computation_between_their_calls),
		cmocka_unit_test(
			iterations_have_the_computation_and_the_waits_that_begin_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
