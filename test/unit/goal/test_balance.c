/* Computation shared equally: each rank gets the mean, nothing is lost, and all else stays. */
#include "goal/change/balance.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 4, CALLS = 60, KEYS = 3 };

static const struct goal_call_key keys[KEYS] = {{"MPI_Barrier", "a.c:1"},
						{"MPI_Barrier", "a.c:2"},
						{"MPI_Allreduce", "a.c:1"}};

/* What the test gave: the computation before the i-th call of a key, and its operation. */
struct given {
	uint64_t ns[RANKS][KEYS][CALLS];
	uint32_t op[RANKS][KEYS][CALLS], calls[RANKS][KEYS];
};

static char path[300], balanced[300];

/* Add a call with or without computation before it, and with a message to itself. */
static void add_call(struct goal_builder *builder, struct given *given, uint32_t rank,
		     uint64_t number, uint64_t *numbers)
{
	const uint32_t key = (uint32_t)random_below(numbers, KEYS);
	const uint32_t i = given->calls[rank][key]++;
	struct goal_call call = {.function = keys[key].function,
				 .site = keys[key].site,
				 .number = number};
	struct error err;

	if (random_below(numbers, 4)) {
		given->ns[rank][key][i] = 1 + random_below(numbers, 1000);
		MUST(goal_builder_calc(builder, given->ns[rank][key][i], &given->op[rank][key][i],
				       &err));
		call.before = true;
	}
	/* Computation of the call itself stays. */
	MUST(goal_builder_calc(builder, 7, NULL, &err));
	MUST(goal_builder_call(builder, &call, &err));
}

static void make(struct given *given, uint64_t *numbers)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct error err;

	*given = (struct given){0};
	snprintf(path, sizeof path, "%s/a.bin", scratch);
	snprintf(balanced, sizeof balanced, "%s/b.bin", scratch);
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.sites = true, .run_ns = 5},
			       &err));
	goal_builder_sites(&builder);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		goal_builder_clear(&builder);
		for (uint32_t c = 1; c <= random_below(numbers, CALLS); c++)
			add_call(&builder, given, rank, c, numbers);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
}

static void open_both(struct goal *goal, struct goal_calls *calls)
{
	struct error err;

	MUST(goal_open(goal, path, &err));
	assert_int_equal(goal_calls_open(calls, goal, path, &err), 0);
}

/* Balance the i-th calls of a key as the header says. */
static void share(struct given *given, uint32_t key, uint32_t i)
{
	uint64_t total = 0, ranks = 0, given_out = 0;

	for (uint32_t r = 0; r < RANKS; r++) {
		total += given->ns[r][key][i];
		ranks += given->ns[r][key][i] > 0;
	}
	for (uint32_t r = 0; r < RANKS; r++)
		if (given->ns[r][key][i])
			given->ns[r][key][i] = total / ranks + (given_out++ < total % ranks);
}

static void expect(const struct given *given, const struct goal *before, const struct goal *after)
{
	assert_int_equal(after->op_count, before->op_count);
	for (uint32_t r = 0; r < RANKS; r++) {
		for (uint32_t op = 0; op < before->ranks[r].op_count; op++) {
			struct goal_op was = goal_op(&before->ranks[r], op),
				       is = goal_op(&after->ranks[r], op);

			for (uint32_t k = 0; k < KEYS; k++)
				for (uint32_t i = 0; i < given->calls[r][k]; i++)
					if (given->ns[r][k][i] && given->op[r][k][i] == op)
						was.size = given->ns[r][k][i];
			assert_int_equal(is.size, was.size);
			assert_int_equal(is.kind, was.kind);
			assert_int_equal(is.dependencies, was.dependencies);
		}
	}
}

/* The balanced graph has the calls of the given one, and nobody has made its run. */
static void expect_calls(const struct goal_calls *before, const struct goal *after)
{
	struct goal_calls calls;
	struct error err;

	assert_int_equal(goal_calls_open(&calls, after, balanced, &err), 0);
	assert_true(calls.origin.sites);
	assert_int_equal(calls.origin.run_ns, 0);
	for (uint32_t r = 0; r < RANKS; r++) {
		const size_t bytes = (size_t)(before->ranks[r].end - before->ranks[r].entries);

		assert_int_equal(calls.ranks[r].end - calls.ranks[r].entries, bytes);
		assert_memory_equal(calls.ranks[r].entries, before->ranks[r].entries, bytes);
	}
	goal_calls_release(&calls);
}

static void ranks_that_compute_before_a_call_get_the_mean(void **state)
{
	uint64_t numbers = 7;
	struct error err;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct goal goal, after;
		struct goal_calls calls;
		struct goal_writer writer;
		struct given given;
		struct goal_call_key asked[2] = {keys[round % KEYS], {"MPI_Allreduce", NULL}};
		const size_t count = 1 + (size_t)round / 25;
		bool none;

		make(&given, &numbers);
		open_both(&goal, &calls);
		MUST(goal_writer_open(&writer, balanced, GOAL_BINARY, RANKS, &err));
		none = goal_balance(&goal, &calls, asked, count, NULL, &writer, &err) < 0;
		if (none) {
			assert_non_null(strstr(err.text, "no rank computes before a call of MPI_"));
			goal_writer_discard(&writer);
		} else {
			MUST(goal_writer_close(&writer, &err));
			for (uint32_t k = 0; k < KEYS; k++)
				for (uint32_t i = 0; i < CALLS; i++)
					if (k == (uint32_t)round % KEYS || (count > 1 && k == 2))
						share(&given, k, i);
			MUST(goal_open(&after, balanced, &err));
			expect(&given, &goal, &after);
			expect_calls(&calls, &after);
			goal_release(&after);
		}
		goal_calls_release(&calls);
		goal_release(&goal);
	}
}

/* Add a call with computation before it in two parts, and one of 0 ns in front of them, as goal_move leaves it. */
static void add_divided(struct goal_builder *builder, uint64_t first_ns, uint64_t rest_ns)
{
	const uint64_t parts[] = {0, first_ns, rest_ns};
	const struct goal_call call = {.function = "MPI_Allreduce", .number = 1, .before = true};
	struct error err;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		MUST(goal_builder_calc(builder, parts[i], NULL, &err));
		if (i + 1 == sizeof parts / sizeof *parts)
			MUST(goal_builder_calc(builder, 7, NULL, &err));
		MUST(goal_builder_call(builder, &call, &err));
	}
}

/* The mean of 100 and 40 ns is 70 ns, in the proportions of the parts: 17.5 and 52.5 ns, and 63 and 7 ns. */
static void a_computation_in_parts_is_one(void **state)
{
	static const uint64_t wanted[2][4] = {{0, 17, 53, 7}, {0, 63, 7, 7}};
	const struct goal_call_key key = {"MPI_Allreduce", NULL};
	struct goal_builder builder = {.cpu = 0};
	struct goal_balance_sums sums;
	struct goal_writer writer;
	struct goal_calls calls;
	struct goal goal, after;
	struct error err;

	(void)state;
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, 2, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	add_divided(&builder, 25, 75);
	MUST(goal_writer_rank(&writer, &builder, &err));
	goal_builder_clear(&builder);
	add_divided(&builder, 36, 4);
	MUST(goal_writer_rank(&writer, &builder, &err));
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
	open_both(&goal, &calls);
	MUST(goal_balance_survey(&sums, &goal, &calls, &err));
	assert_int_equal(sums.list.items[0].total_ns, 140);
	assert_int_equal(sums.list.items[0].excess_ns, 30);
	goal_balance_sums_release(&sums);
	MUST(goal_writer_open(&writer, balanced, GOAL_BINARY, 2, &err));
	MUST(goal_balance(&goal, &calls, &key, 1, NULL, &writer, &err));
	MUST(goal_writer_close(&writer, &err));
	MUST(goal_open(&after, balanced, &err));
	for (uint32_t r = 0; r < 2; r++)
		for (uint32_t op = 0; op < 4; op++)
			assert_int_equal(goal_op(&after.ranks[r], op).size, wanted[r][op]);
	goal_release(&after);
	goal_calls_release(&calls);
	goal_release(&goal);
}

static void the_survey_tells_what_balancing_can_save(void **state)
{
	uint64_t numbers = 3;
	struct goal goal;
	struct goal_calls calls;
	struct goal_balance_sums sums;
	struct given given;
	struct error err;

	(void)state;
	make(&given, &numbers);
	open_both(&goal, &calls);
	MUST(goal_balance_survey(&sums, &goal, &calls, &err));
	assert_int_equal(sums.list.count, KEYS);
	for (size_t s = 0; s < KEYS; s++) {
		const struct goal_balance_sum *sum = &sums.list.items[s];
		uint64_t total = 0, excess = 0;
		uint32_t k = 0;

		while (strcmp(keys[k].function, sum->key.function) ||
		       strcmp(keys[k].site, sum->key.site))
			k++;
		for (uint32_t i = 0; i < CALLS; i++) {
			uint64_t all = 0, most = 0, ranks = 0;

			for (uint32_t r = 0; r < RANKS; r++) {
				const uint64_t ns = given.ns[r][k][i];

				all += ns;
				ranks += ns > 0;
				most = ns > most ? ns : most;
			}
			total += all;
			excess += ranks ? most - all / ranks : 0;
		}
		assert_int_equal(sum->total_ns, total);
		assert_int_equal(sum->excess_ns, excess);
		assert_true(s == 0 || sums.list.items[s - 1].excess_ns >= excess);
	}
	goal_balance_sums_release(&sums);
	goal_calls_release(&calls);
	goal_release(&goal);
}

static void a_key_is_a_function_and_may_have_a_site(void **state)
{
	char plain[] = "MPI_Send", sited[] = "MPI_Send@a.c:5";
	struct goal_call_key key;
	struct error err;

	(void)state;
	MUST(goal_call_key_parse(plain, &key, &err));
	assert_string_equal(key.function, "MPI_Send");
	assert_null(key.site);
	MUST(goal_call_key_parse(sited, &key, &err));
	assert_string_equal(key.function, "MPI_Send");
	assert_string_equal(key.site, "a.c:5");
	for (int i = 0; i < 3; i++) {
		char wrong[3][12] = {"", "@a.c:5", "MPI_Send@"};

		assert_int_equal(goal_call_key_parse(wrong[i], &key, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_that_compute_before_a_call_get_the_mean),
		cmocka_unit_test(a_computation_in_parts_is_one),
		cmocka_unit_test(the_survey_tells_what_balancing_can_save),
		cmocka_unit_test(a_key_is_a_function_and_may_have_a_site),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
