/* When a message may be received (inject/delay.h). */
#include "inject/delay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

static void gap_is_size_times_gap_per_byte(void **state)
{
	const struct delay delay = {.gap_as_per_byte = 18000000};	/* 0.018 ns */

	(void)state;
	assert_int_equal(delay_gap_ns(&delay, 0), 0);
	assert_int_equal(delay_gap_ns(&delay, 1000), 18);
	assert_int_equal(delay_gap_ns(&delay, 1000000000), 18000000);
}

static void gap_is_rounded_up(void **state)
{
	const struct delay delay = {.gap_as_per_byte = 1};

	(void)state;
	assert_int_equal(delay_gap_ns(&delay, 1), 1);
	assert_int_equal(delay_gap_ns(&delay, 1000000001), 2);
}

static void largest_gap_does_not_overflow(void **state)
{
	const struct delay delay = {.latency_ns = INT64_MAX / 4, .gap_as_per_byte = INT64_MAX};

	(void)state;
	assert_true(delay_due_ns(&delay, INT64_MAX / 4, SIZE_MAX) > 0);
}

static void message_is_due_after_latency_and_gap(void **state)
{
	const struct delay delay = {.latency_ns = 100000, .gap_as_per_byte = 2000000000};

	(void)state;
	assert_int_equal(delay_due_ns(&delay, 5000, 0), 105000);
	assert_int_equal(delay_due_ns(&delay, 5000, 10), 105020);
}

static void native_times_are_added(void **state)
{
	struct delay delay = {.latency_ns = 100000, .gap_as_per_byte = 1000000000};

	(void)state;
	delay_add_native(&delay, 8, 1008, 1008, 2008);	/* 1 us and 1 ns per byte */
	assert_int_equal(delay.latency_ns, 101000);
	assert_int_equal(delay.gap_as_per_byte, 2000000000);
}

static void native_gap_is_never_negative(void **state)
{
	struct delay delay = {.latency_ns = 100};

	(void)state;
	delay_add_native(&delay, 8, 500, 1000, 400);
	assert_int_equal(delay.latency_ns, 600);
	assert_int_equal(delay.gap_as_per_byte, 0);
}

static void variables_are_read(void **state)
{
	struct delay delay;
	struct error err;

	(void)state;
	setenv(DELAY_LATENCY, "123", 1);
	setenv(DELAY_GAP, "456", 1);
	setenv(DELAY_ADD, "1", 1);
	assert_int_equal(delay_read(&delay, &err), 0);
	assert_int_equal(delay.latency_ns, 123);
	assert_int_equal(delay.gap_as_per_byte, 456);
	assert_true(delay.add);
}

static void missing_and_wrong_variables_are_errors(void **state)
{
	struct delay delay;
	struct error err;

	(void)state;
	setenv(DELAY_LATENCY, "123", 1);
	setenv(DELAY_GAP, "-1", 1);
	setenv(DELAY_ADD, "0", 1);
	assert_int_equal(delay_read(&delay, &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	unsetenv(DELAY_GAP);
	assert_int_equal(delay_read(&delay, &err), -1);
	assert_non_null(strstr(err.text, DELAY_GAP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_is_size_times_gap_per_byte),
		cmocka_unit_test(gap_is_rounded_up),
		cmocka_unit_test(largest_gap_does_not_overflow),
		cmocka_unit_test(message_is_due_after_latency_and_gap),
		cmocka_unit_test(native_times_are_added),
		cmocka_unit_test(native_gap_is_never_negative),
		cmocka_unit_test(variables_are_read),
		cmocka_unit_test(missing_and_wrong_variables_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
