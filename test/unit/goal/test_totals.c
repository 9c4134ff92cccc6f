/* Ranks that compute equally long in total: each in its proportions, and those that computed nothing in front of their calls. */
#include "goal/change/totals.h"
#include "goal/traversal/check.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 4, ROUNDS = 12 };

/* In each round every rank computes, and one of each pair sends the other one a message. */
struct program {
	uint64_t ns[RANKS][ROUNDS]; /* 0: no computation */
	uint32_t partner[RANKS][ROUNDS];
	bool sends[RANKS][ROUNDS];
	uint32_t rounds;
};

static char path[300], shared[300];

static void pair(struct program *program, uint32_t round, uint32_t one, uint32_t other, bool sends)
{
	program->partner[one][round] = other;
	program->partner[other][round] = one;
	program->sends[one][round] = sends;
	program->sends[other][round] = !sends;
}

/* Make a program, in which the last rank may compute nothing. */
static void make_program(struct program *program, bool is_idle, uint64_t *numbers)
{
	*program = (struct program){.rounds = 1 + (uint32_t)random_below(numbers, ROUNDS)};
	for (uint32_t i = 0; i < program->rounds; i++) {
		const uint32_t with = 1 + (uint32_t)random_below(numbers, RANKS - 1);
		const uint32_t next = with == 1 ? 2 : 1;

		pair(program, i, 0, with, random_below(numbers, 2));
		pair(program, i, next, RANKS * (RANKS - 1) / 2 - with - next, random_below(numbers, 2));
		for (uint32_t r = 0; r < (uint32_t)RANKS - is_idle; r++)
			if (!i || random_below(numbers, 3))
				program->ns[r][i] = 1 + random_below(numbers, 1000000);
	}
}

static void add(struct goal_builder *builder, uint32_t op)
{
	struct error err;

	if (op)
		MUST(goal_builder_requires(builder, op, op - 1, &err));
}

static void build_rank(struct goal_builder *builder, const struct program *program, uint32_t rank)
{
	struct error err;
	uint32_t op;

	goal_builder_clear(builder);
	for (uint32_t i = 0; i < program->rounds; i++) {
		struct goal_call call = {.function = program->sends[rank][i] ? "MPI_Send" : "MPI_Recv",
					 .number = i + 2};

		if (program->ns[rank][i]) {
			MUST(goal_builder_calc(builder, program->ns[rank][i], &op, &err));
			add(builder, op);
			call.before = true;
			MUST(goal_builder_call(builder, &call, &err));
			call.before = false;
		}
		if (program->sends[rank][i])
			MUST(goal_builder_send(builder, 8, program->partner[rank][i], 0, &op, &err));
		else
			MUST(goal_builder_recv(builder, 8, program->partner[rank][i], 0, &op, &err));
		add(builder, op);
		MUST(goal_builder_call(builder, &call, &err));
	}
}

static void write_program(const struct program *program)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct error err;

	snprintf(path, sizeof path, "%s/a.bin", scratch);
	snprintf(shared, sizeof shared, "%s/b.bin", scratch);
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		build_rank(&builder, program, rank);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
}

/* Write the graph with equal totals. */
static int make_equal(struct error *failure)
{
	struct error err;
	struct goal goal;
	struct goal_calls calls;
	struct goal_writer writer;
	int result;

	MUST(goal_open(&goal, path, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, path, &err), 0);
	MUST(goal_writer_open(&writer, shared, GOAL_BINARY, goal.rank_count, &err));
	result = goal_balance_totals(&goal, &calls, &writer, failure);
	if (result < 0)
		goal_writer_discard(&writer);
	else
		MUST(goal_writer_close(&writer, &err));
	goal_calls_release(&calls);
	goal_release(&goal);
	return result;
}

static double total_of(const struct program *program, uint32_t rank)
{
	double total = 0;

	for (uint32_t i = 0; i < program->rounds; i++)
		total += (double)program->ns[rank][i];
	return total;
}

/* Run the program, in rounds, with computation shared as the header says, but for what does not divide. */
static double run(const struct program *program)
{
	double now[RANKS] = {0}, all = 0, end = 0;

	for (uint32_t r = 0; r < RANKS; r++)
		all += total_of(program, r);
	for (uint32_t i = 0; i < program->rounds; i++) {
		double of_all = 0;

		for (uint32_t r = 0; r < RANKS; r++)
			of_all += (double)program->ns[r][i];
		for (uint32_t r = 0; r < RANKS; r++) {
			const double own = total_of(program, r);

			now[r] += own > 0 ? (double)program->ns[r][i] * all / RANKS / own : of_all / RANKS;
		}
		for (uint32_t r = 0; r < RANKS; r++) {
			const double sent = now[program->partner[r][i]];

			if (!program->sends[r][i] && sent > now[r])
				now[r] = sent;
		}
	}
	for (uint32_t r = 0; r < RANKS; r++)
		end = now[r] > end ? now[r] : end;
	return end;
}

/* The ranks of the shared graph compute for the mean, to the last ns. */
static void expect_totals(const struct program *program, const struct goal *goal)
{
	uint64_t total = 0;

	for (uint32_t r = 0; r < RANKS; r++)
		total += (uint64_t)total_of(program, r);
	for (uint32_t r = 0; r < RANKS; r++) {
		uint64_t of = 0;

		for (uint32_t op = 0; op < goal->ranks[r].op_count; op++)
			if (goal_op(&goal->ranks[r], op).kind == GOAL_CALC)
				of += goal_op(&goal->ranks[r], op).size;
		assert_int_equal(of, total / RANKS + (r < total % RANKS));
	}
}

static void a_program_in_rounds_takes_what_its_ranks_with_equal_totals_take(void **state)
{
	uint64_t numbers = 11;
	struct error err;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct program program;
		struct goal goal;
		struct goal_calls calls;
		uint64_t path_ns;

		make_program(&program, round % 2, &numbers);
		write_program(&program);
		assert_int_equal(make_equal(&err), 0);
		MUST(goal_open(&goal, shared, &err));
		assert_int_equal(goal_calls_open(&calls, &goal, shared, &err), 0);
		assert_int_equal(calls.origin.run_ns, 0);
		MUST(goal_find_computation(&path_ns, &goal, &err));
		/* Each computation is off by a ns at most. */
		assert_true(fabs((double)path_ns - run(&program)) <= 2.0 * RANKS * ROUNDS);
		expect_totals(&program, &goal);
		goal_calls_release(&calls);
		goal_release(&goal);
	}
}

static void the_excess_is_the_largest_total_less_the_mean(void **state)
{
	struct program program = {.rounds = 1};
	struct goal_totals totals;
	struct goal goal;
	struct goal_calls calls;
	struct error err;

	(void)state;
	pair(&program, 0, 0, 1, true);
	pair(&program, 0, 2, 3, true);
	for (uint32_t r = 0; r < RANKS; r++)
		program.ns[r][0] = 10 * r;
	write_program(&program);
	MUST(goal_open(&goal, path, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, path, &err), 0);
	MUST(goal_totals_find(&totals, &goal, &calls, &err));
	assert_int_equal(totals.total_ns, 60);
	assert_int_equal(goal_totals_excess(&totals), 15);
	assert_true(totals.has_idle);
	goal_totals_release(&totals);
	goal_calls_release(&calls);
	goal_release(&goal);
}

static void where_ranks_make_different_numbers_of_calls_an_idle_one_gets_nothing(void **state)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct program program = {.rounds = 2};
	struct error err;

	(void)state;
	pair(&program, 0, 0, 1, true);
	pair(&program, 0, 2, 3, true);
	pair(&program, 1, 0, 1, true);
	pair(&program, 1, 2, 3, true);
	write_program(&program);
	assert_int_equal(make_equal(&err), -1);
	assert_non_null(strstr(err.text, "no rank computes"));
	program.ns[0][0] = 10;
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		program.rounds = rank < 2 ? 1 : 2;
		build_rank(&builder, &program, rank);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
	assert_int_equal(make_equal(&err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "ranks 0 and 2 make different numbers of calls"));
}

/* Rank 1 begins its second call by two messages, of which one waits for a message of the first call, and one for the other. */
static void where_operations_of_a_call_wait_for_nothing_in_common_none_is_put_before_it(void **state)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct goal_call call = {.function = "MPI_Alltoall", .number = 1};
	struct error err;

	(void)state;
	snprintf(path, sizeof path, "%s/a.bin", scratch);
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, 2, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < 2; rank++) {
		goal_builder_clear(&builder);
		call.number = 1;
		if (rank == 0) {
			MUST(goal_builder_calc(&builder, 10, NULL, &err));
			call.before = true;
			MUST(goal_builder_call(&builder, &call, &err));
			call.before = false;
		}
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t op;

			if (rank == 0)
				MUST(goal_builder_send(&builder, 8, 1, i, &op, &err));
			else
				MUST(goal_builder_recv(&builder, 8, 0, i, &op, &err));
			if (rank == 1 && i >= 2)
				MUST(goal_builder_requires(&builder, op, op - 2, &err));
			if (i % 2) {
				MUST(goal_builder_call(&builder, &call, &err));
				call.number++;
				if (rank == 0 && i == 1) {
					MUST(goal_builder_calc(&builder, 10, &op, &err));
					call.before = true;
					MUST(goal_builder_call(&builder, &call, &err));
					call.before = false;
				}
			}
		}
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
	assert_int_equal(make_equal(&err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "rank 1 computes nothing, and none can be put in front of operation 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_in_rounds_takes_what_its_ranks_with_equal_totals_take),
		cmocka_unit_test(the_excess_is_the_largest_total_less_the_mean),
		cmocka_unit_test(where_ranks_make_different_numbers_of_calls_an_idle_one_gets_nothing),
		cmocka_unit_test(where_operations_of_a_call_wait_for_nothing_in_common_none_is_put_before_it),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
