/* Computation of the overlap benchmark: how much is done, not how long it takes. */
#include "measure/overlap/kernel.h"
#include "measure/overlap/load.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct error err;

/* Kernels for which an operation takes 10 ns. */
static struct kernels made(void)
{
	return (struct kernels){
		.operation_ns = {[KERNEL_WORK] = 10, [KERNEL_MEMORY] = 10},
		.value = 0.3,
	};
}

static void count_test(void *context)
{
	++*(unsigned *)context;
}

static double value_after(double compute_ns, double tests_ns, unsigned *tests)
{
	struct kernels kernels = made();

	kernel_run(&kernels, KERNEL_WORK, compute_ns, tests_ns, count_test, tests);
	return kernels.value;
}

static double chain(unsigned operations)
{
	double value = 0.3;

	kernel_work(&value, operations);
	return value;
}

static void work_is_proportional_to_the_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		assert_true(value_after(10.0 * i, 0, NULL) == chain(i));
		assert_true(chain(i) != chain(i + 1));
		assert_true(chain(i) > 0 && chain(i) < 1);
	}
}

static void tests_do_not_change_the_amount_of_work(void **state)
{
	(void)state;
	for (unsigned i = 1; i < 40; i++) {
		unsigned tests = 0;

		assert_true(value_after(1000, 25.5 * i, &tests) == chain(100));
		assert_int_equal(tests, (unsigned)(1000 / (25.5 * i)));
	}
}

static void tests_that_are_as_long_as_the_computation_are_none(void **state)
{
	unsigned tests = 0;

	(void)state;
	value_after(1000, 1000, &tests);
	value_after(1000, 2000, &tests);
	value_after(0, 10, &tests);
	assert_int_equal(tests, 0);
}

static void the_kernel_time_computes_and_tests(void **state)
{
	struct kernels kernels = made();
	unsigned tests = 0;

	(void)state;
	kernel_run(&kernels, KERNEL_TIME, 2e6, 0.3e6, count_test, &tests);
	assert_int_equal(tests, 6);
	assert_true(kernels.value != 0.3);
}

static void memory_is_changed_line_by_line_and_around(void **state)
{
	struct kernels kernels = made();

	(void)state;
	kernels.line_count = 8;
	kernels.lines = calloc(8, 64);
	assert_non_null(kernels.lines);
	kernel_run(&kernels, KERNEL_MEMORY, 190, 0, NULL, NULL);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(kernels.lines[i], i / 8 < 3 ? 3 : 2);
	assert_int_equal(kernels.next_line, 3);
	kernels_release(&kernels);
}

static void calibration_finds_times_of_operations(void **state)
{
	struct kernels kernels;

	(void)state;
	MUST(kernels_init(&kernels, true, &err));
	assert_true(kernels.operation_ns[KERNEL_WORK] > 0);
	assert_true(kernels.operation_ns[KERNEL_MEMORY] > 0);
	assert_true(kernels_measure_work(&kernels) > 0);
	assert_true(kernel_operations(&kernels, KERNEL_WORK, 2e9) >
		    kernel_operations(&kernels, KERNEL_WORK, 1e9));
	kernels_release(&kernels);
}

static void threads_compute_only_while_the_load_is_on(void **state)
{
	struct load load;

	(void)state;
	for (unsigned pin = 0; pin < 2; pin++) {
		MUST(load_begin(&load, 3, pin, &err));
		for (int i = 0; i < 20; i++) {
			load_set(&load, true);
			assert_int_equal(load.computing, 3);
			load_set(&load, false);
			assert_int_equal(load.computing, 0);
		}
		load_set(&load, true);
		load_end(&load);
	}
	load_end(&load);
}

static void a_load_without_threads_is_none(void **state)
{
	struct load load;

	(void)state;
	MUST(load_begin(&load, 0, false, &err));
	load_set(&load, true);
	load_set(&load, false);
	load_end(&load);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_proportional_to_the_time),
		cmocka_unit_test(tests_do_not_change_the_amount_of_work),
		cmocka_unit_test(tests_that_are_as_long_as_the_computation_are_none),
		cmocka_unit_test(the_kernel_time_computes_and_tests),
		cmocka_unit_test(memory_is_changed_line_by_line_and_around),
		cmocka_unit_test(calibration_finds_times_of_operations),
		cmocka_unit_test(threads_compute_only_while_the_load_is_on),
		cmocka_unit_test(a_load_without_threads_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
