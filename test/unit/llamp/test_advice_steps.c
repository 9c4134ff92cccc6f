/*
 * The order of changes: one after the other, as the tool chooses, they gain nearly what the best subset does.
 *
 * Programs are random graphs of computation, in which a change makes some vertices cheaper or, seldom, dearer.  Some changes
 * exclude each other.  The best subset is found by trying all.
 *
 *	PROGRAMS=500 build/test/unit/llamp/test_advice_steps
 */
#include "llamp/advise/advice_steps.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/make/random_graph.h"

enum { VERTICES = 24, CHANGES = 8, EDGES = 3 };

struct program {
	double ns[VERTICES], factor[CHANGES][VERTICES];
	uint32_t before[VERTICES][EDGES], edges[VERTICES];
	struct change changes[CHANGES];
};

/* harm: some changes make vertices dearer; exclude: some exclude others. */
static void make_program(struct program *program, bool harm, bool exclude, uint64_t *numbers)
{
	static const double factors[] = {1, 1, 1, 1, 1, 0.5, 0.5, 0.25, 1.25};
	const uint32_t factor_count = sizeof factors / sizeof *factors - !harm;

	*program = (struct program){0};
	for (uint32_t v = 0; v < VERTICES; v++) {
		program->ns[v] = 1 + (double)random_below(numbers, 100);
		program->edges[v] = v ? (uint32_t)random_below(numbers, EDGES + 1) : 0;
		for (uint32_t i = 0; i < program->edges[v]; i++)
			program->before[v][i] = (uint32_t)random_below(numbers, v);
	}
	for (uint32_t c = 0; c < CHANGES; c++) {
		/* Algorithms of 4 collectives at most, so that some exclude each other; or changes of any kind. */
		program->changes[c].kind = CHANGE_ALGORITHM;
		program->changes[c].group = exclude && random_below(numbers, 2)
						    ? (uint32_t)random_below(numbers, 4)
						    : 4 + c;
		for (uint32_t v = 0; v < VERTICES; v++)
			program->factor[c][v] = factors[random_below(numbers, factor_count)];
	}
}

/* Length of the longest path with the changes whose bits are set. */
static double run(const struct program *program, uint32_t set)
{
	double end[VERTICES], last = 0;

	for (uint32_t v = 0; v < VERTICES; v++) {
		double ns = program->ns[v], begin = 0;

		for (uint32_t i = 0; i < program->edges[v]; i++)
			begin = fmax(begin, end[program->before[v][i]]);
		for (uint32_t c = 0; c < CHANGES; c++)
			if (set >> c & 1)
				ns *= program->factor[c][v];
		end[v] = begin + ns;
		last = fmax(last, end[v]);
	}
	return last;
}

static int evaluate(void *data, const struct change *const *changes, size_t count,
		    struct evaluated *found, struct error *err)
{
	const struct program *program = data;
	uint32_t set = 0;

	(void)err;
	for (size_t i = 0; i < count; i++)
		set |= 1U << (changes[i] - program->changes);
	*found = (struct evaluated){.runtime_ns = run(program, set)};
	return 0;
}

static bool can_be_made(const struct program *program, uint32_t set)
{
	for (uint32_t c = 0; c < CHANGES; c++)
		for (uint32_t d = 0; d < c; d++)
			if (set >> c & set >> d & 1 &&
			    program->changes[c].group == program->changes[d].group)
				return false;
	return true;
}

static double best_of_all(const struct program *program)
{
	double best = run(program, 0);

	for (uint32_t set = 0; set < 1U << CHANGES; set++)
		if (can_be_made(program, set))
			best = fmin(best, run(program, set));
	return best;
}

/* Choose changes, whose set can be made and has the T that the last one has. */
static double choose(struct program *program)
{
	struct evaluation evaluation = {.evaluate = evaluate, .data = program};
	struct advice advice = {.error = NAN};
	double last;
	uint32_t set = 0;
	struct error err;

	advice.base.runtime_ns = last = run(program, 0);
	for (uint32_t c = 0; c < CHANGES; c++)
		MUST(array_push(&advice.advised, ((struct advised){.change = &program->changes[c]}),
				&err));
	MUST(advice_choose(&advice, &evaluation, 0.0001, CHANGES, &err));
	for (uint32_t step = 1; step <= advice.chosen; step++)
		for (uint32_t c = 0; c < CHANGES; c++) {
			const struct advised *each = &advice.advised.items[c];

			if (each->step != step)
				continue;
			set |= 1U << (each->change - program->changes);
			last = each->then.runtime_ns;
		}
	assert_true(can_be_made(program, set));
	assert_true(fabs(run(program, set) - last) < 1e-6);
	advice_release(&advice);
	return last;
}

/* Expect steps to gain at least these shares of what the best subset gains: on each graph, and on average. */
static void expect_shares(bool harm, bool exclude, double each, double average)
{
	const char *wanted = getenv("PROGRAMS");
	const uint32_t graphs = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : 30;
	uint64_t numbers = 17;
	uint32_t near = 0, known = 0;
	double sum = 0, least = 1;

	for (uint32_t i = 0; i < graphs; i++) {
		struct program program;
		double before, gained, best;

		make_program(&program, harm, exclude, &numbers);
		before = run(&program, 0);
		best = before - best_of_all(&program);
		gained = before - choose(&program);
		if (!(best > 0))
			continue;
		known++;
		sum += gained / best;
		least = fmin(least, gained / best);
		near += gained >= 0.95 * best;
	}
	printf("# %u graphs: %.1f %% of the best gain on average, %.1f %% at least, 95 %% of it on %u\n",
	       known, 100 * sum / known, 100 * least, near);
	assert_true(known > graphs / 2);
	assert_true(least >= each);
	assert_true(sum / known >= average);
}

static void steps_gain_what_the_best_subset_gains_where_no_change_harms(void **state)
{
	(void)state;
	expect_shares(false, false, 0.95, 0.99);
}

static void steps_gain_nearly_as_much_on_average_where_some_changes_harm(void **state)
{
	(void)state;
	expect_shares(true, false, 0.6, 0.98);
}

static void steps_gain_most_of_it_on_average_where_some_exclude_others(void **state)
{
	(void)state;
	expect_shares(true, true, 0.4, 0.95);
}

/* ------------------------------------------------------------- given times */

/* T of each set of two changes, whose bits are the index; from the refused evaluation on, sets of one change fail. */
struct given {
	struct change changes[2];
	double runtime_ns[4];
	_Atomic uint32_t evaluations; /* by several threads */
	uint32_t refused;
};

static int evaluate_given(void *data, const struct change *const *changes, size_t count,
			  struct evaluated *found, struct error *err)
{
	struct given *given = data;
	uint32_t set = 0;

	for (size_t i = 0; i < count; i++)
		set |= 1U << (changes[i] - given->changes);
	if (++given->evaluations > given->refused && given->refused && count == 1)
		return error_set(err, STATUS_DATA, "refused");
	*found = (struct evaluated){.runtime_ns = given->runtime_ns[set]};
	return 0;
}

/* Choose from the two changes what gains a percent.  End with advice_release. */
static void choose_given(struct given *given, struct advice *advice)
{
	struct evaluation evaluation = {.evaluate = evaluate_given, .data = given};
	struct error err;

	*advice = (struct advice){.error = NAN, .base.runtime_ns = given->runtime_ns[0]};
	for (uint32_t c = 0; c < 2; c++)
		MUST(array_push(&advice->advised, ((struct advised){.change = &given->changes[c]}),
				&err));
	MUST(advice_choose(advice, &evaluation, 0.01, 2, &err));
}

/* Alone equal totals gain 10 of 12 ns, and after the other change 20. */
static void equal_totals_that_gain_more_than_they_can_beside_others_are_no_step(void **state)
{
	struct given given = {.changes = {{.kind = CHANGE_ALGORITHM},
					  {.kind = CHANGE_TOTALS, .most_ns = 12}},
			      .runtime_ns = {100, 80, 90, 60}};
	struct advice advice;

	(void)state;
	choose_given(&given, &advice);
	assert_int_equal(advice.chosen, 1);
	assert_int_equal(advice.advised.items[0].step, 1);
	assert_int_equal(advice.advised.items[1].step, 0);
	assert_non_null(advice.advised.items[1].failure);
	assert_non_null(strstr(advice.advised.items[1].failure, "ranks take turns"));
	advice_release(&advice);
}

/* T is a double, and crosses a power of two. */
static void equal_totals_may_gain_all_that_they_can(void **state)
{
	struct given given = {.changes = {{.kind = CHANGE_ALGORITHM, .group = 1},
					  {.kind = CHANGE_TOTALS, .most_ns = 1e6}},
			      .runtime_ns = {9e6, 9e6, 8e6 - 0.3, 8e6 - 0.3}};
	struct advice advice;

	(void)state;
	choose_given(&given, &advice);
	assert_null(advice.advised.items[1].failure);
	assert_int_equal(advice.advised.items[1].step, 1);
	advice_release(&advice);
}

/* Both are evaluated alone, together twice (as all and as a pair), and then one alone again, which is refused. */
static void a_pair_that_is_refused_later_is_not_chosen_and_ends_no_advice(void **state)
{
	struct given given = {.changes = {{.kind = CHANGE_ALGORITHM, .group = 1},
					  {.kind = CHANGE_ALGORITHM, .group = 2}},
			      .runtime_ns = {100, 100, 100, 80},
			      .refused = 4};
	struct advice advice;

	(void)state;
	choose_given(&given, &advice);
	assert_true(given.evaluations > given.refused);
	assert_int_equal(advice.chosen, 0);
	assert_string_equal(advice.advised.items[0].failure, "refused");
	advice_release(&advice);
}

static void a_change_of_all_calls_excludes_those_of_their_sites(void **state)
{
	static char balanced[] = "MPI_Recv", all[] = "100%:MPI_Recv", one[] = "50%:MPI_Recv@a.c:5",
		    other[] = "25%:MPI_Recv@b.c:5", matched[] = "50%:MPI_Recv_init@a.c:5";
	const struct change waits[] = {
		{.kind = CHANGE_WAITS, .group = 0, .value_of_option = all},
		{.kind = CHANGE_WAITS, .group = 1, .value_of_option = one},
		{.kind = CHANGE_WAITS, .group = 2, .value_of_option = other},
		{.kind = CHANGE_WAITS, .group = 3, .value_of_option = matched},
		{.kind = CHANGE_BALANCE, .group = 0, .value_of_option = balanced},
	};

	(void)state;
	for (size_t i = 1; i < sizeof waits / sizeof *waits; i++) {
		assert_true(change_excludes(&waits[0], &waits[i]) == (i < 3));
		assert_true(change_excludes(&waits[i], &waits[0]) == (i < 3));
	}
	assert_false(change_excludes(&waits[1], &waits[2]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			equal_totals_that_gain_more_than_they_can_beside_others_are_no_step),
		cmocka_unit_test(a_change_of_all_calls_excludes_those_of_their_sites),
		cmocka_unit_test(equal_totals_may_gain_all_that_they_can),
		cmocka_unit_test(a_pair_that_is_refused_later_is_not_chosen_and_ends_no_advice),
		cmocka_unit_test(steps_gain_what_the_best_subset_gains_where_no_change_harms),
		cmocka_unit_test(steps_gain_nearly_as_much_on_average_where_some_changes_harm),
		cmocka_unit_test(steps_gain_most_of_it_on_average_where_some_exclude_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
