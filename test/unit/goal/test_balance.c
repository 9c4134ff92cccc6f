/* Computation shared equally: each rank gets the mean, nothing is lost, and all else stays. */
#include "goal/balance.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 4, CALLS = 60, KEYS = 3 };

static const struct goal_balance_key keys[KEYS] = {
	{"MPI_Barrier", "a.c:1", false}, {"MPI_Barrier", "a.c:2", false}, {"MPI_Allreduce", "a.c:1", false}};

/* What the test gave: the computation before the i-th call of a key, 0: none, and number and key of each call. */
struct given {
	uint64_t ns[RANKS][KEYS][CALLS];
	uint32_t calls[RANKS][KEYS], all_calls[RANKS];
	uint32_t key_of[RANKS][CALLS], index_of[RANKS][CALLS];
};

static char path[300], balanced[300];

/* Add a computation that waits for the operation before it. */
static void add_calc(struct goal_builder *builder, uint64_t ns)
{
	struct error err;
	uint32_t op;

	MUST(goal_builder_calc(builder, ns, &op, &err));
	if (op)
		MUST(goal_builder_requires(builder, op, op - 1, &err));
}

/* Add a call with or without computation before it, which is an entry of its own or not. */
static void add_call(struct goal_builder *builder, struct given *given, uint32_t rank, uint64_t number,
		     uint64_t *numbers)
{
	const uint32_t key = (uint32_t)random_below(numbers, KEYS);
	const uint32_t i = given->calls[rank][key]++;
	struct goal_call call = {.function = keys[key].function, .site = keys[key].site, .number = number};
	struct error err;

	if (random_below(numbers, 4)) {
		given->ns[rank][key][i] = 1 + random_below(numbers, 1000);
		add_calc(builder, given->ns[rank][key][i]);
		call.before = true;
		if (random_below(numbers, 2)) {
			MUST(goal_builder_call(builder, &call, &err));
			call.before = false;
		}
	}
	/* Computation of the call itself stays. */
	add_calc(builder, 7);
	MUST(goal_builder_call(builder, &call, &err));
	given->key_of[rank][given->all_calls[rank]] = key;
	given->index_of[rank][given->all_calls[rank]++] = i;
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
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.sites = true, .run_ns = 5}, &err));
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
		ranks += given->calls[r][key] > i;
	}
	for (uint32_t r = 0; r < RANKS; r++)
		if (given->calls[r][key] > i)
			given->ns[r][key][i] = total / ranks + (given_out++ < total % ranks);
}

/* Each operation waits for the one before it alone. */
static void expect_chain(const struct goal_block *block)
{
	for (uint32_t op = 0; op < block->op_count; op++) {
		const struct goal_op is = goal_op(block, op);

		assert_int_equal(is.kind, GOAL_CALC);
		assert_int_equal(is.dependencies, op > 0);
		assert_int_equal(is.requires_count, op + 1 < block->op_count);
		assert_int_equal(is.irequires_count, 0);
		if (is.requires_count)
			assert_int_equal(goal_successor(block, is.requires_first), op + 1);
	}
}

/* The calls of a rank have the computation that the test has found, and are 7 ns long. */
static void expect_rank(const struct given *given, const struct goal_block *block,
			struct goal_calls_cursor *cursor, uint32_t rank)
{
	struct goal_call call;
	struct error err;
	uint32_t op = 0;

	for (uint32_t c = 0; c < given->all_calls[rank]; c++) {
		const uint32_t key = given->key_of[rank][c];
		const uint64_t ns = given->ns[rank][key][given->index_of[rank][c]];

		assert_int_equal(goal_calls_find(cursor, op, &call, &err), 0);
		assert_int_equal(call.number, c + 1);
		assert_string_equal(call.function, keys[key].function);
		assert_string_equal(call.site, keys[key].site);
		assert_int_equal(call.before, ns > 0);
		if (ns)
			assert_int_equal(goal_op(block, op++).size, ns);
		assert_int_equal(goal_calls_find(cursor, op, &call, &err), 0);
		assert_int_equal(call.number, c + 1);
		assert_int_equal(goal_op(block, op++).size, 7);
	}
	assert_int_equal(op, block->op_count);
}

/* The balanced graph has the calls of the given one, and nobody has made its run. */
static void expect(const struct given *given, const struct goal *after)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_calls calls;
	struct error err;

	assert_int_equal(goal_calls_open(&calls, after, balanced, &err), 0);
	assert_true(calls.origin.sites);
	assert_int_equal(calls.origin.run_ns, 0);
	for (uint32_t r = 0; r < RANKS; r++) {
		expect_chain(&after->ranks[r]);
		goal_calls_cursor_start(&cursor, &calls, r);
		expect_rank(given, &after->ranks[r], &cursor, r);
	}
	goal_calls_cursor_release(&cursor);
	goal_calls_release(&calls);
}

static void ranks_that_make_a_call_get_the_mean_of_what_is_computed_before_it(void **state)
{
	uint64_t numbers = 7;
	struct error err;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct goal goal, after;
		struct goal_calls calls;
		struct goal_writer writer;
		struct given given;
		struct goal_balance_key asked[2] = {keys[round % KEYS], {"MPI_Allreduce", NULL, false}};
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
			expect(&given, &after);
			goal_release(&after);
		}
		goal_calls_release(&calls);
		goal_release(&goal);
	}
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

		while (strcmp(keys[k].function, sum->key.function) || strcmp(keys[k].site, sum->key.site))
			k++;
		for (uint32_t i = 0; i < CALLS; i++) {
			uint64_t all = 0, most = 0, ranks = 0;

			for (uint32_t r = 0; r < RANKS; r++) {
				const uint64_t ns = given.ns[r][k][i];

				all += ns;
				ranks += given.calls[r][k] > i;
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

static void several_keys_that_are_joined_count_their_calls_together(void **state)
{
	const struct goal_balance_key joined[] = {{"MPI_Allreduce", NULL, false}, {"MPI_Barrier", NULL, true}};
	uint64_t numbers = 11;
	struct goal goal, after;
	struct goal_calls calls;
	struct goal_writer writer;
	struct given given, all = {0};
	struct error err;

	(void)state;
	make(&given, &numbers);
	open_both(&goal, &calls);
	MUST(goal_writer_open(&writer, balanced, GOAL_BINARY, RANKS, &err));
	MUST(goal_balance(&goal, &calls, joined, 2, NULL, &writer, &err));
	MUST(goal_writer_close(&writer, &err));
	for (uint32_t r = 0; r < RANKS; r++)
		for (uint32_t c = 0; c < given.all_calls[r]; c++)
			all.ns[r][0][all.calls[r][0]++] =
				given.ns[r][given.key_of[r][c]][given.index_of[r][c]];
	for (uint32_t i = 0; i < CALLS; i++)
		share(&all, 0, i);
	for (uint32_t r = 0; r < RANKS; r++)
		for (uint32_t c = 0; c < given.all_calls[r]; c++)
			given.ns[r][given.key_of[r][c]][given.index_of[r][c]] = all.ns[r][0][c];
	MUST(goal_open(&after, balanced, &err));
	expect(&given, &after);
	goal_release(&after);
	goal_calls_release(&calls);
	goal_release(&goal);
}

/* What "+" joins, and what is a key. */
static void expect_parts(const char *text, size_t count, const struct goal_balance_key *parts)
{
	goal_balance_key_list found = {0};
	char copy[64];
	struct error err;

	snprintf(copy, sizeof copy, "%s", text);
	MUST(goal_balance_key_parse(copy, &found, &err));
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(found.items[i].function, parts[i].function);
		assert_int_equal(found.items[i].joins, i > 0);
		if (parts[i].site)
			assert_string_equal(found.items[i].site, parts[i].site);
		else
			assert_null(found.items[i].site);
	}
	array_release(&found);
}

static void a_key_is_a_function_and_may_have_a_site_and_join_others(void **state)
{
	static const struct goal_balance_key parts[] = {{"MPI_Send", "a.c:5", false}, {"MPI_Recv", NULL, true}};
	static const struct goal_balance_key plus[] = {{"MPI_Send", "c++/a.c:5", false}};
	struct error err;

	(void)state;
	expect_parts("MPI_Recv", 1, parts + 1);
	expect_parts("MPI_Send@a.c:5", 1, parts);
	expect_parts("MPI_Send@a.c:5+MPI_Recv", 2, parts);
	expect_parts("MPI_Send@c++/a.c:5", 1, plus);
	for (int i = 0; i < 5; i++) {
		char wrong[5][24] = {"", "@a.c:5", "MPI_Send@", "MPI_Send@+MPI_Recv", "+MPI_Recv"};
		goal_balance_key_list found = {0};

		assert_int_equal(goal_balance_key_parse(wrong[i], &found, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
		array_release(&found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_that_make_a_call_get_the_mean_of_what_is_computed_before_it),
		cmocka_unit_test(the_survey_tells_what_balancing_can_save),
		cmocka_unit_test(several_keys_that_are_joined_count_their_calls_together),
		cmocka_unit_test(a_key_is_a_function_and_may_have_a_site_and_join_others),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
