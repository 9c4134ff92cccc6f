/* Tests: readings of the time-stamp counter become times of CLOCK_MONOTONIC. */
/* The library of tests hides the choice of the clock: this program has its own. */
#include "common/machine/ticks.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static bool choose(const char *source)
{
	char name[] = "/tmp/ticks-XXXXXX";
	const int file = mkstemp(name);

	assert_true(file >= 0);
	assert_true(dprintf(file, "%s\n", source) > 0);
	close(file);
	ticks_choose(name);
	unlink(name);
	return ticks_are_cycles;
}

/* Where the kernel does not use the counter, processors may have different ones. */
static bool can_choose(void)
{
	ticks_choose(TICKS_SOURCE);
	return ticks_are_cycles;
}

static void another_clock_of_the_kernel_is_read_itself(void **state)
{
	struct ticks_clock clock = {0};
	uint64_t enter = 5, leave = 7;

	(void)state;
	assert_false(choose("hpet"));
	ticks_clock_times(&clock, &enter, &leave);
	assert_int_equal(enter, 5);
	assert_int_equal(leave, 7);
	assert_int_equal(ticks_hz((struct ticks_rate){0.5}), 0);
}

static void times_are_between_those_of_the_other_clock_and_never_run_back(void **state)
{
	enum { CALLS = 20000, BETWEEN = 5000, TOLERANCE_NS = 5000 };
	struct ticks_clock clock = {0};
	uint64_t latest = 0;

	(void)state;
	if (!can_choose())
		skip();
	for (int i = 0; i < CALLS; i++) {
		const uint64_t before = now_ns();
		uint64_t enter = ticks_now(), leave = ticks_now();
		const uint64_t after = now_ns();

		/* A pause that is longer than the last reading is good for. */
		if (i % BETWEEN == 0)
			usleep(3000);
		ticks_clock_times(&clock, &enter, &leave);
		assert_true(enter >= latest && leave >= enter);
		assert_true(enter + TOLERANCE_NS >= before && leave <= after + TOLERANCE_NS);
		latest = leave;
	}
}

static void the_frequency_is_that_of_the_rate(void **state)
{
	(void)state;
	if (!can_choose())
		skip();
	assert_int_equal(ticks_hz((struct ticks_rate){0.5}), 2000000000);
	assert_int_equal(ticks_hz((struct ticks_rate){0}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_clock_of_the_kernel_is_read_itself),
		cmocka_unit_test(times_are_between_those_of_the_other_clock_and_never_run_back),
		cmocka_unit_test(the_frequency_is_that_of_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
