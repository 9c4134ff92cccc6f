/* Plans of the overlap benchmark: which cells, in which order. */
#include "measure/overlap/plan.h"

#include "common/array.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

static struct error err;

static struct plan_options defaults(void)
{
	return (struct plan_options){
		.benches[BENCH_SENDER] = true,
		.kernels[KERNEL_WORK] = true,
		.side = SIDE_COUNT,
		.least_bytes = 1024,
		.most_bytes = 32 << 20,
		.least_compute_ns = 1e3,
		.most_compute_ns = 20e6,
		.per_octave = 2,
		.most_threads = 4,
		.pending = 1,
	};
}

static struct plan make(const struct plan_options *options)
{
	struct plan plan = {0};

	MUST(plan_make(options, &plan, &err));
	return plan;
}

static bool has(const struct plan *plan, uint64_t bytes, double compute_ns)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->items[i].bytes == bytes && plan->items[i].compute_ns == compute_ns)
			return true;
	return false;
}

static void axes_are_powers_of_the_root_of_2(void **state)
{
	const struct plan_options options = defaults();
	struct plan plan = make(&options);

	(void)state;
	assert_int_equal(plan.count, 31 * 29);
	assert_true(has(&plan, 1024, 1000));
	assert_true(has(&plan, 1472, 1414)); /* 1448 rounded to 64 */
	assert_true(has(&plan, 32 << 20, 16384000));
	for (size_t i = 0; i < plan.count; i++)
		assert_int_equal(plan.items[i].bytes % 64, 0);
	array_release(&plan);
}

static void no_cell_is_planned_twice(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.least_bytes = 0;
	options.most_bytes = 300;
	options.most_compute_ns = 8e3;
	options.per_octave = 4;
	options.kernels[KERNEL_TIME] = true;
	options.benches[BENCH_NLOAD] = options.benches[BENCH_IBARRIER] = true;
	plan = make(&options);
	for (size_t i = 0; i < plan.count; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(cell_spec_equal(&plan.items[i], &plan.items[j]));
	assert_true(has(&plan, 0, 1000) && has(&plan, 1, 1000) && has(&plan, 3, 1000));
	array_release(&plan);
}

/* The number of a value on an axis of powers of the root of 2. */
static unsigned number_of(double value, double first)
{
	return (unsigned)lround(2 * log2(value / first));
}

static void coarse_grids_come_before_fine_ones(void **state)
{
	const struct plan_options options = defaults();
	struct plan plan = make(&options);
	unsigned stride = 8;

	(void)state;
	for (size_t i = 0; i < plan.count; i++) {
		const unsigned x = number_of((double)plan.items[i].bytes, 1024);
		const unsigned y = number_of(plan.items[i].compute_ns, 1000);

		while (x % stride || y % stride)
			stride /= 2;
		/* The cell is of no grid before this one. */
		assert_true(stride == 8 || x % (2 * stride) || y % (2 * stride));
	}
	assert_int_equal(stride, 1);
	array_release(&plan);
}

static void a_range_of_one_value_is_that_value(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.least_bytes = options.most_bytes = 500;
	options.least_compute_ns = options.most_compute_ns = 777;
	plan = make(&options);
	assert_int_equal(plan.count, 1);
	assert_int_equal(plan.items[0].bytes, 500);
	assert_true(plan.items[0].compute_ns == 777);
	array_release(&plan);
}

static void a_range_between_two_powers_is_its_first_value(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.least_compute_ns = 1100;
	options.most_compute_ns = 1200;
	plan = make(&options);
	assert_int_equal(plan.count, 31);
	assert_true(plan.items[0].compute_ns == 1100);
	array_release(&plan);
}

static void nload_has_threads_and_no_kernel(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.benches[BENCH_SENDER] = false;
	options.benches[BENCH_NLOAD] = true;
	options.kernels[KERNEL_TIME] = true;
	options.pending = 3;
	options.tests_ns = 100;
	plan = make(&options);
	assert_int_equal(plan.count, 31 * 5);
	for (size_t i = 0; i < plan.count; i++) {
		assert_true(plan.items[i].compute_ns == 0 && plan.items[i].tests_ns == 0);
		assert_int_equal(plan.items[i].kernel, KERNEL_WORK);
		assert_int_equal(plan.items[i].side, SIDE_BOTH);
		assert_int_equal(plan.items[i].pending, 1);
		assert_in_range(plan.items[i].threads, 0, 4);
	}
	array_release(&plan);
}

static void sides_are_those_of_benchmarks_that_have_one(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	for (unsigned i = 0; i < BENCH_COUNT; i++)
		options.benches[i] = true;
	options.side = SIDE_RECEIVER;
	options.most_bytes = 1024;
	plan = make(&options);
	for (size_t i = 0; i < plan.count; i++) {
		const enum bench bench = plan.items[i].bench;

		assert_int_equal(plan.items[i].side, bench == BENCH_NONCONTIG ||
								     bench == BENCH_CPU ||
								     bench == BENCH_NLOAD
							     ? SIDE_RECEIVER
							     : SIDE_SENDER);
	}
	array_release(&plan);
}

static void a_barrier_has_no_data(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.benches[BENCH_SENDER] = false;
	options.benches[BENCH_IBARRIER] = true;
	plan = make(&options);
	assert_int_equal(plan.count, 29);
	for (size_t i = 0; i < plan.count; i++)
		assert_int_equal(plan.items[i].bytes, 0);
	array_release(&plan);
}

static void blocks_of_collectives_have_a_limit(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.benches[BENCH_IALLTOALL] = true;
	options.least_compute_ns = options.most_compute_ns = 1e3;
	options.most_block_bytes = 1 << 20;
	plan = make(&options);
	assert_int_equal(plan.count, 31 + 21);
	for (size_t i = 0; i < plan.count; i++)
		assert_true(plan.items[i].bench == BENCH_SENDER || plan.items[i].bytes <= 1 << 20);
	array_release(&plan);
}

static void quick_plans_have_powers_of_4_and_take_turns(void **state)
{
	struct plan_options options = defaults();
	struct plan plan;

	(void)state;
	options.quick = true;
	options.benches[BENCH_RECEIVER] = true;
	options.benches[BENCH_NLOAD] = true;
	options.most_threads = 64;
	plan = make(&options);
	assert_int_equal(plan.count, 8 + 8 + 8 * 3);
	for (size_t i = 0; i < plan.count; i++) {
		assert_int_equal(plan.items[i].bytes, plan.items[i - i % 5].bytes);
		assert_true(plan.items[i].threads <= 1 || plan.items[i].threads == 64);
		assert_int_equal(plan_is_quick(&options, &plan.items[i]),
				 plan.items[i].bench != BENCH_NLOAD);
	}
	assert_int_equal(plan.items[0].bytes, 1024);
	assert_int_equal(plan.items[5].bytes, 262144);
	array_release(&plan);
}

static void quick_computations_are_around_the_message(void **state)
{
	(void)state;
	assert_true(plan_quick_compute_ns(64e3, 0) == 16e3);
	assert_true(plan_quick_compute_ns(64e3, 1) == 64e3);
	assert_true(plan_quick_compute_ns(64e3, 2) == 256e3);
	assert_true(plan_quick_compute_ns(60e3, 1) == 64e3);
	assert_true(plan_quick_compute_ns(10, 0) == 1e3);
	assert_true(plan_quick_compute_ns(10, 2) == 16e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes_are_powers_of_the_root_of_2),
		cmocka_unit_test(no_cell_is_planned_twice),
		cmocka_unit_test(coarse_grids_come_before_fine_ones),
		cmocka_unit_test(a_range_of_one_value_is_that_value),
		cmocka_unit_test(a_range_between_two_powers_is_its_first_value),
		cmocka_unit_test(nload_has_threads_and_no_kernel),
		cmocka_unit_test(sides_are_those_of_benchmarks_that_have_one),
		cmocka_unit_test(a_barrier_has_no_data),
		cmocka_unit_test(blocks_of_collectives_have_a_limit),
		cmocka_unit_test(quick_plans_have_powers_of_4_and_take_turns),
		cmocka_unit_test(quick_computations_are_around_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
