/* Tests of what samples tell of a sum: it is within in 95 of 100 cases, also where numbers resemble those before them. */
#include "common/statistics/sampling.h"
#include "test/unit/lib/make/random_graph.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ALL = 240, SERIES = 400 };

static double number_at(const void *data, size_t number)
{
	return ((const double *)data)[number];
}

/* Number from a distribution near the normal one. */
static double normal(uint64_t *numbers)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(numbers, 1 << 20) / (1 << 20) - 0.5;
	return sum;
}

/* Of how many series the sum is within, of 1000: `count` samples in a row somewhere; each number has r of the one before. */
static uint32_t within(size_t count, double r)
{
	uint64_t numbers = count * 1000 + (uint64_t)(r * 100);
	uint32_t found = 0;

	for (uint32_t s = 0; s < SERIES; s++) {
		const size_t first = random_below(&numbers, ALL - count + 1);
		const double more = ALL - (double)count;
		double series[ALL], sum = 0, samples = 0, deviation;

		series[0] = normal(&numbers);
		for (size_t i = 1; i < ALL; i++)
			series[i] = r * series[i - 1] + sqrt(1 - r * r) * normal(&numbers);
		for (size_t i = 0; i < ALL; i++)
			*(i >= first && i < first + count ? &samples : &sum) += series[i];
		deviation = sampling_deviation(number_at, series + first, count);
		found += fabs(sum - more * samples / (double)count) <=
			 deviation * more * sqrt(1 / (double)count + 1 / more);
	}
	return found * 1000 / SERIES;
}

/* Below 95 % by chance, as 400 series have a standard error of 1 %. */
static void sums_of_independent_numbers_are_within_in_95_of_100_cases(void **state)
{
	(void)state;
	for (size_t count = 4; count <= 64; count *= 2)
		assert_in_range(within(count, 0), 930, 1000);
}

static void so_are_those_of_numbers_that_resemble_the_ones_before_them_a_little(void **state)
{
	(void)state;
	for (size_t count = 4; count <= 64; count *= 2)
		assert_in_range(within(count, 0.3), 920, 1000);
}

static void nearly_so_are_those_of_numbers_that_resemble_them_more(void **state)
{
	(void)state;
	for (size_t count = 16; count <= 64; count *= 2) {
		assert_in_range(within(count, 0.6), 890, 1000);
	}
	/* A few samples hardly tell how much they do. */
	assert_in_range(within(16, 0.8), 750, 1000);
	assert_in_range(within(64, 0.8), 890, 1000);
}

/* The width is not just a large one. */
static void sums_of_many_samples_are_not_always_within(void **state)
{
	(void)state;
	assert_in_range(within(64, 0), 930, 985);
	assert_in_range(within(64, 0.3), 920, 985);
}

/* Quantiles of 97.5 % from tables of Student's distribution. */
static void students_distribution_is_that_of_tables(void **state)
{
	static const struct {
		size_t freedom;
		double quantile;
	} rows[] = {{1, 12.7062}, {2, 4.30265},	 {3, 3.18245},	{4, 2.77645},
		    {9, 2.26216}, {10, 2.22814}, {30, 2.04227}, {120, 1.97993}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(fabs(sampling_student(rows[i].quantile, rows[i].freedom) - 0.95) <
			    1e-5);
		assert_true(fabs(sampling_student(-rows[i].quantile, rows[i].freedom) + 0.95) <
			    1e-5);
	}
	/* Beyond that it is the normal one. */
	assert_true(fabs(sampling_student(1.959964, 1000000) - 0.95) < 1e-5);
}

/* Deviations of samples, times so much, are so much larger, and where they begin does not count. */
static void the_deviation_has_the_unit_of_the_samples(void **state)
{
	static const double numbers[] = {3, 4, 5, 2, 2, 5, 5, 3};
	double others[8];
	const double deviation = sampling_deviation(number_at, numbers, 8);

	(void)state;
	for (int i = 0; i < 8; i++)
		others[i] = 1000 + 7 * numbers[7 - i];
	assert_true(fabs(sampling_deviation(number_at, others, 8) / (7 * deviation) - 1) < 1e-9);
}

static void what_cannot_be_known_is_not(void **state)
{
	static const double numbers[] = {5, 5, 5, 5, 7};

	(void)state;
	assert_true(sampling_deviation(number_at, numbers, 0) == 0);
	assert_true(sampling_deviation(number_at, numbers, 1) == 0);
	assert_true(sampling_deviation(number_at, numbers, 4) == 0);
	assert_true(sampling_deviation(number_at, numbers, 5) > 0);
	/* Two numbers are not known to be independent: more than 12.7 times their deviation, the root of 2. */
	assert_true(sampling_deviation(number_at, numbers + 3, 2) > 12.706 * sqrt(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_independent_numbers_are_within_in_95_of_100_cases),
		cmocka_unit_test(
			so_are_those_of_numbers_that_resemble_the_ones_before_them_a_little),
		cmocka_unit_test(nearly_so_are_those_of_numbers_that_resemble_them_more),
		cmocka_unit_test(sums_of_many_samples_are_not_always_within),
		cmocka_unit_test(students_distribution_is_that_of_tables),
		cmocka_unit_test(the_deviation_has_the_unit_of_the_samples),
		cmocka_unit_test(what_cannot_be_known_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
