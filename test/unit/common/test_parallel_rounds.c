/* Threads that work in rounds. */
#include "common/parallel/parallel_rounds.h"

#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS = 5, ROUNDS = 2000 };

/*
 * Each part adds up what all parts had at the end of the round before.  So the numbers tell
 * whether no part was a round ahead or behind.
 */
struct sums {
	uint64_t now[PARTS], before[PARTS];
	uint32_t rounds;
	uint32_t fails_in; /* the round in which parts 2 and 4 fail; UINT32_MAX: never */
	uint32_t last;	   /* the round between which and the next one it fails */
};

static int add_up(void *shared, uint32_t part, struct error *err)
{
	struct sums *sums = shared;

	for (uint32_t i = 0; i < PARTS; i++)
		sums->now[part] += (i + 1) * sums->before[i];
	if (sums->rounds == sums->fails_in && part && part % 2 == 0)
		return error_set(err, STATUS_DATA, "part %u", (unsigned)part);
	return 0;
}

static int take_over(void *shared, struct error *err)
{
	struct sums *sums = shared;

	memcpy(sums->before, sums->now, sizeof sums->now);
	if (sums->rounds == sums->last)
		return error_set(err, STATUS_LIMIT, "the last round");
	return ++sums->rounds < ROUNDS;
}

static int run_sums(struct sums *sums, unsigned threads, uint32_t fails_in, uint32_t last,
		    struct error *err)
{
	const struct parallel_rounds_work work = {add_up, take_over, sums};

	*sums = (struct sums){.before = {1, 2, 3, 4, 5}, .fails_in = fails_in, .last = last};
	return parallel_rounds(&work, PARTS, threads, err);
}

static void the_result_does_not_depend_on_the_number_of_threads(void **unused)
{
	struct sums alone, sums;
	struct error err;

	(void)unused;
	MUST(run_sums(&alone, 1, UINT32_MAX, UINT32_MAX, &err));
	assert_int_equal(alone.rounds, ROUNDS);
	for (unsigned threads = 2; threads <= 8; threads++) {
		MUST(run_sums(&sums, threads, UINT32_MAX, UINT32_MAX, &err));
		assert_memory_equal(&sums, &alone, sizeof sums);
	}
}

static void the_first_part_that_fails_ends_the_rounds(void **unused)
{
	(void)unused;
	for (unsigned threads = 1; threads <= 6; threads++) {
		struct sums sums;
		struct error err;

		assert_int_equal(run_sums(&sums, threads, 7, UINT32_MAX, &err), -1);
		assert_int_equal(sums.rounds, 7);
		assert_string_equal(err.text, "part 2");
	}
}

static void what_is_between_two_rounds_may_fail(void **unused)
{
	(void)unused;
	for (unsigned threads = 1; threads <= 6; threads++) {
		struct sums sums;
		struct error err;

		assert_int_equal(run_sums(&sums, threads, UINT32_MAX, 9, &err), -1);
		assert_int_equal(sums.rounds, 9);
		assert_int_equal(err.status, STATUS_LIMIT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_result_does_not_depend_on_the_number_of_threads),
		cmocka_unit_test(the_first_part_that_fails_ends_the_rounds),
		cmocka_unit_test(what_is_between_two_rounds_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
