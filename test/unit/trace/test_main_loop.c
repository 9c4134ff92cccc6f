/* Tests of the main loop, its iterations, and of the steady state in which they are counted. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/sequence/main_loop.h"
#include "trace/sequence/steady.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LETTERS = 20000 };

/* Program of 0 to 3 letters before, steps of a body, letters after. */
static const char *repeat(const char *before, const char *body, int steps, const char *after)
{
	static char letters[MOST_LETTERS];

	strcpy(letters, before);
	for (int step = 0; step < steps; step++)
		strcat(letters, body);
	return strcat(letters, after);
}

/* Find the main loop of a sequence of letters, all of which take as long. */
static void find_main(struct main_loop *main_loop, const char *letters)
{
	struct flow_feed feed;
	struct flow *flow;
	struct flow_loops loops;
	struct error err;

	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, letters);
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_SITE});
	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	MUST(main_loop_find(main_loop, &flow->graphs.items[0], &loops, NULL, NULL, &err));
	flow_loops_release(&loops);
	flow_release(flow);
	flow_feed_release(&feed);
}

/* Write "10 of 3 from 1": iterations, round, first visit. */
static const char *main_of(const char *letters)
{
	static char text[80];
	struct main_loop main_loop;

	find_main(&main_loop, letters);
	sprintf(text, "none");
	if (main_loop.loop != NO_LOOP)
		sprintf(text, "%llu of %llu from %llu", (unsigned long long)main_loop.iterations,
			(unsigned long long)main_loop.round,
			(unsigned long long)main_loop.first_visit);
	main_loop_release(&main_loop);
	return text;
}

static void iterations_are_those_of_the_program(void **state)
{
	(void)state;
	assert_string_equal(main_of(repeat("I", "AB", 9, "F")), "9 of 1 from 0");
	assert_string_equal(main_of(repeat("IAXY", "AB", 9, "F")), "10 of 1 from 0");
	assert_string_equal(main_of("ABCDEF"), "none");
	assert_string_equal(main_of("A"), "none");
	/* Inner loops: the outermost one counts, however often they go round. */
	assert_string_equal(main_of("IABBBCABBCABBBBCABCF"), "4 of 1 from 0");
}

static void an_iteration_is_a_round_of_places_with_equal_calls(void **state)
{
	(void)state;
	/* As LULESH: one exchange before the first step, three in each, and the last step ends with another call. */
	assert_string_equal(main_of("IWAWBWCDWAWBWCDWAWBWCDWAWBWCF"), "4 of 3 from 0");
	assert_string_equal(main_of("IWXWAWBWCDWAWBWCDWAWBWCDWAWBWCF"), "4 of 3 from 1");
	/* An inner loop in one of the places. */
	assert_string_equal(main_of("WAWKKKKBWCDWAWKKBWCDWAWKKKBWCDWAWKKBWCF"), "4 of 3 from 0");
	/* A condition that is true now and then makes no rounds. */
	assert_string_equal(main_of(repeat("I", "WABWABWABWACB", 5, "F")), "20 of 1 from 0");
	assert_string_equal(main_of(repeat("I", "WABWXAB", 5, "F")), "10 of 1 from 0");
	/* If and else that do different things cannot be told from two places. */
	assert_string_equal(main_of(repeat("I", "WABWXY", 5, "F")), "5 of 2 from 0");
}

static void a_loop_with_less_than_a_fifth_of_the_time_is_not_the_main_one(void **state)
{
	(void)state;
	assert_string_equal(main_of("abcdefghijklmnopqrsABABt"), "none");
	assert_string_equal(main_of("abcdefghijklmABABABt"), "3 of 1 from 0");
}

/* ---------------------------------------------------------------------------- steady */

/* What the detector says of a sequence. */
struct watching {
	size_t found;	/* event at which it is steady first; SIZE_MAX: never */
	uint64_t count; /* iterations that it saw begin */
	uint64_t visits[MOST_LETTERS], numbers[MOST_LETTERS];
};

static void watch_letters(struct watching *watching, const char *letters)
{
	uint32_t number_of[256], count = 0;
	struct steady steady;
	struct error err;

	memset(number_of, 0xff, sizeof number_of);
	steady_begin(&steady);
	watching->found = SIZE_MAX;
	watching->count = 0;
	for (size_t i = 0; letters[i]; i++) {
		uint32_t *number = &number_of[(unsigned char)letters[i]];
		enum steady_seen seen;

		if (*number == UINT32_MAX)
			*number = count++;
		MUST(steady_add(&steady, *number, 1000000 * i, 1000000 * i + 500000, &seen, &err));
		if (steady.state == STEADY_FOUND && watching->found == SIZE_MAX)
			watching->found = i;
		if (seen != STEADY_ITERATION)
			continue;
		watching->visits[watching->count] = steady.iteration_visit;
		watching->numbers[watching->count++] = steady.iteration;
	}
	steady_release(&steady);
}

/* Check that iterations on line begin with the visits of those of the whole run. */
static bool numbers_agree(const struct watching *watching, const char *letters)
{
	struct main_loop main_loop;
	struct flow_run run;
	uint64_t number = 0;
	size_t i = 0;
	bool agree = true;

	find_main(&main_loop, letters);
	run = flow_run_first(main_loop.starts.items, main_loop.starts.count);
	for (; run.begin != UINT64_MAX; flow_run_next(&run))
		for (uint64_t visit = run.begin; visit <= run.last; visit++, number++)
			if (i < watching->count && watching->numbers[i] == number)
				agree &= watching->visits[i++] == visit;
	main_loop_release(&main_loop);
	/* A round that has begun and does not end may be one more. */
	return agree && i + 1 >= watching->count;
}

static void steady_within_three_iterations_without_a_new_node(void **state)
{
	static struct watching watching;
	const char *letters = repeat("IabcdefghijklWX", "WAqrstuvwxyzWBWCD", 20, "F");

	(void)state;
	watch_letters(&watching, letters);
	/* The second step is the first without a new node or edge. */
	assert_in_range(watching.found, 15 + 2 * 17, 15 + 17 + 3 * 17);
	assert_true(watching.count >= 15);
	assert_true(numbers_agree(&watching, letters));
}

static void no_loop_is_never_steady(void **state)
{
	static struct watching watching;
	char letters[200];

	(void)state;
	for (size_t i = 0; i < sizeof letters - 1; i++)
		letters[i] = (char)(1 + i);
	letters[sizeof letters - 1] = 0;
	watch_letters(&watching, letters);
	assert_true(watching.found == SIZE_MAX);
	assert_int_equal(watching.count, 0);
}

static void numbers_on_line_are_mostly_those_of_the_whole_run_whatever_the_body(void **state)
{
	static struct watching watching;
	uint64_t numbers = 11;
	uint32_t found = 0, other = 0;

	(void)state;
	for (int round = 0; round < 500; round++) {
		char before[20] = "", body[20] = "";
		const uint64_t length = 1 + random_below(&numbers, 12);
		const char *letters;

		for (uint64_t i = 0; i < length; i++)
			body[i] = (char)('A' + random_below(&numbers, 8));
		for (uint64_t i = random_below(&numbers, 12); i > 0; i--)
			before[i - 1] = (char)('a' + random_below(&numbers, 12));
		letters = repeat(before, body, 8 + 64 / (int)length, "Z");
		watch_letters(&watching, letters);
		other += !numbers_agree(&watching, letters);
		found += watching.found != SIZE_MAX;
	}
	assert_true(found > 450);
	/* Bodies of random letters are hard: what is the main loop may depend on a single visit. */
	assert_in_range(other, 0, found / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iterations_are_those_of_the_program),
		cmocka_unit_test(an_iteration_is_a_round_of_places_with_equal_calls),
		cmocka_unit_test(a_loop_with_less_than_a_fifth_of_the_time_is_not_the_main_one),
		cmocka_unit_test(steady_within_three_iterations_without_a_new_node),
		cmocka_unit_test(no_loop_is_never_steady),
		cmocka_unit_test(
			numbers_on_line_are_mostly_those_of_the_whole_run_whatever_the_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
