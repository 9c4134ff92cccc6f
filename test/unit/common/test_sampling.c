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

static void sums_of_independent_numbers_are_within_in_95_of_100_cases(void **state)
{
	(void)state;
	for (size_t count = 4; count <= 64; count *= 2)
		assert_in_range(within(count, 0), 930, 1000);
}

static void nearly_so_are_those_of_numbers_that_resemble_the_ones_before_them(void **state)
{
	(void)state;
	for (size_t count = 16; count <= 64; count *= 2) {
		assert_in_range(within(count, 0.3), 900, 1000);
		assert_in_range(within(count, 0.6), 850, 1000);
	}
}

static void what_cannot_be_known_is_not(void **state)
{
	static const double numbers[] = {5, 5, 5, 5, 7};

	(void)state;
	assert_true(sampling_deviation(number_at, numbers, 0) == 0);
	assert_true(sampling_deviation(number_at, numbers, 1) == 0);
	assert_true(sampling_deviation(number_at, numbers, 4) == 0);
	assert_true(sampling_deviation(number_at, numbers, 5) > 0);
	/* Two numbers, 5 and 7: 12.7 times their deviation, the root of 2. */
	assert_true(fabs(sampling_deviation(number_at, numbers + 3, 2) / (12.706 * sqrt(2)) - 1) <
		    0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_independent_numbers_are_within_in_95_of_100_cases),
		cmocka_unit_test(nearly_so_are_those_of_numbers_that_resemble_the_ones_before_them),
		cmocka_unit_test(what_cannot_be_known_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
