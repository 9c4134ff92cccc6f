/* Checking graphs, and the longest path of computation, by hand and by the equations of the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "goal/traversal/check.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"

static uint64_t path_of(const char *text)
{
	struct goal goal;
	struct error err;
	uint64_t path_ns;

	MUST(make_goal(&goal, text, &err));
	MUST(goal_find_computation(&path_ns, &goal, &err));
	goal_release(&goal);
	return path_ns;
}

/* Ranks 1 and 2 compute before they get the data of rank 0; rank 3 gets it from rank 2, and computes then. */
static void a_late_parent_in_a_tree_delays_its_children(void **state)
{
	static const char tree[] = "num_ranks 4\n"
				   "rank 0 {\na: send 1b to 1\nb: send 1b to 2\n}\n"
				   "rank 1 {\na: calc 10\nb: recv 1b from 0\nb requires a\n}\n"
				   "rank 2 {\na: calc 40\nb: recv 1b from 0\nb requires a\n"
				   "c: send 1b to 3\nc requires b\n}\n"
				   "rank 3 {\na: calc 10\nb: recv 1b from 2\nb requires a\n"
				   "c: calc 40\nc requires b\n}\n";

	(void)state;
	assert_int_equal(path_of(tree), 80);
}

/* What irequires a receive waits for its start only. */
static void a_receive_that_is_only_posted_delays_nothing(void **state)
{
	static const char form[] =
		"num_ranks 2\n"
		"rank 0 {\na: calc 100\nb: send 1b to 1\nb requires a\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: calc 30\nb %s a\nc: calc 1\nc requires b\n}\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof text, form, "irequires");
	assert_int_equal(path_of(text), 100);
	snprintf(text, sizeof text, form, "requires");
	assert_int_equal(path_of(text), 131);
}

static void the_path_is_that_of_the_model_without_a_network(void **state)
{
	struct loggps loggps = loggps_default;
	uint64_t numbers = 11;
	uint32_t runs = 0;

	(void)state;
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		loggps_set(&loggps, v, 0);
	for (uint32_t i = 0; i < 2000; i++) {
		struct envelope truth = {{0}};
		struct goal goal;
		struct error err;
		uint64_t path_ns;
		const bool ends = (random_graph(&goal, &numbers, 6, 40),
				   brute_force(&truth, &goal, &loggps, VARIABLE_L));

		if (ends) {
			MUST(goal_find_computation(&path_ns, &goal, &err));
			/* T at L = 0 is the constant of the first line. */
			assert_true(
				truth.lines.items[envelope_right(&truth, (struct fraction){0, 1})]
					.constant == (wide)path_ns * AS_PER_NS);
			runs++;
		} else {
			assert_int_equal(goal_find_computation(&path_ns, &goal, &err), -1);
			assert_int_equal(err.status, STATUS_DATA);
		}
		envelope_release(&truth);
		goal_release(&goal);
	}
	assert_true(runs > 1000);
}

static void operations_that_wait_for_each_other_are_an_error(void **state)
{
	static const char text[] =
		"num_ranks 2\n"
		"rank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n";
	struct goal goal;
	struct error err;
	uint64_t path_ns;

	(void)state;
	MUST(make_goal(&goal, text, &err));
	assert_int_equal(goal_find_computation(&path_ns, &goal, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_string_equal(
		err.text,
		"the graph is cyclic: 2 operations wait for each other in a circle: rank 0, operation 1 "
		"(send 1 byte to 1, tag 0), rank 1, operation 1 (send 1 byte to 0, tag 0)");
	goal_release(&goal);
}

static void a_path_beyond_64_bits_is_an_error(void **state)
{
	static const char text[] =
		"num_ranks 1\n"
		"rank 0 {\na: calc 18446744073709551615\nb: calc 1\nb requires a\n}\n";
	struct goal goal;
	struct error err;
	uint64_t path_ns;

	(void)state;
	MUST(make_goal(&goal, text, &err));
	assert_int_equal(goal_find_computation(&path_ns, &goal, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	goal_release(&goal);
}

static void a_path_of_the_most_that_64_bits_hold_is_found(void **state)
{
	(void)state;
	assert_true(
		path_of("num_ranks 1\n"
			"rank 0 {\na: calc 18446744073709551614\nb: calc 1\nb requires a\n}\n") ==
		UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_parent_in_a_tree_delays_its_children),
		cmocka_unit_test(a_receive_that_is_only_posted_delays_nothing),
		cmocka_unit_test(the_path_is_that_of_the_model_without_a_network),
		cmocka_unit_test(operations_that_wait_for_each_other_are_an_error),
		cmocka_unit_test(a_path_beyond_64_bits_is_an_error),
		cmocka_unit_test(a_path_of_the_most_that_64_bits_hold_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
