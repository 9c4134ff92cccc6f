/* Order statistics and fits, also of samples that make no sense. */
#include "measure/statistics/fit.h"
#include "measure/statistics/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct summary summarise(double *items, size_t count)
{
	struct samples samples = {.items = items, .count = count};

	return samples_summary(&samples);
}

static void quartiles_of_unsorted_samples(void **state)
{
	double items[] = {5, 1, 4, 2, 3};
	const struct summary summary = summarise(items, COUNT(items));

	(void)state;
	assert_int_equal(summary.count, 5);
	assert_float_equal(summary.lower_decile, 1.4, 1e-15);
	assert_float_equal(summary.lower_quartile, 2, 0);
	assert_float_equal(summary.median, 3, 0);
	assert_float_equal(summary.upper_quartile, 4, 0);
	assert_float_equal(summary_spread(&summary), 2.0 / 3, 1e-15);
}

static void quartiles_between_samples_are_interpolated(void **state)
{
	double items[] = {1, 2, 3, 4};
	const struct summary summary = summarise(items, COUNT(items));

	(void)state;
	assert_float_equal(summary.lower_quartile, 1.75, 1e-15);
	assert_float_equal(summary.median, 2.5, 1e-15);
}

static void outliers_do_not_move_the_median(void **state)
{
	double items[] = {100, 101, 99, 100, 3e7, 100, 102};

	(void)state;
	assert_float_equal(summarise(items, COUNT(items)).median, 100, 0);
}

static void samples_that_are_not_finite_are_left_out(void **state)
{
	double items[] = {NAN, 2, INFINITY, 2, -INFINITY};
	double nothing[] = {NAN};
	const struct summary summary = summarise(items, COUNT(items)), none = summarise(nothing, 1);

	(void)state;
	assert_int_equal(summary.count, 2);
	assert_float_equal(summary.median, 2, 0);
	assert_float_equal(summary_spread(&summary), 0, 0);
	assert_int_equal(none.count, 0);
	assert_true(isnan(none.median));
	assert_true(isinf(summary_spread(&none)));
}

static void line_through_exact_points(void **state)
{
	const struct point points[] = {{0, 7, 7}, {10, 12, 12}, {1000, 507, 507}};
	const struct line line = fit_line(points, COUNT(points));

	(void)state;
	assert_float_equal(line.intercept, 7, 1e-9);
	assert_float_equal(line.slope, 0.5, 1e-12);
	assert_float_equal(line.residual, 0, 1e-12);
	assert_int_equal(line.points, 3);
}

static void residual_is_relative_to_the_scale(void **state)
{
	const struct point points[] = {{0, 110, 100}, {0, 90, 100}};

	(void)state;
	assert_float_equal(fit_line(points, 2).residual, 0.1, 1e-12);
}

static void lines_are_never_negative(void **state)
{
	const struct point falling[] = {{0, 10, 1}, {1, 8, 1}, {2, 6, 1}};
	const struct point steep[] = {{1, 0, 1}, {2, 10, 1}, {3, 20, 1}};
	const struct line down = fit_line(falling, 3), up = fit_line(steep, 3);

	(void)state;
	assert_float_equal(down.slope, 0, 0);
	assert_float_equal(down.intercept, 8, 1e-12);
	assert_float_equal(up.intercept, 0, 0);
	assert_float_equal(up.slope, 80.0 / 14, 1e-12);
}

static void points_without_sense_are_left_out(void **state)
{
	const struct point points[] = {{0, NAN, 1}, {0, 3, 3},	      {10, 13, 13},
				       {5, 1e9, 0}, {INFINITY, 1, 1}, {7, 7, -1}};
	const struct line line = fit_line(points, COUNT(points));

	(void)state;
	assert_int_equal(line.points, 2);
	assert_float_equal(line.intercept, 3, 1e-9);
	assert_float_equal(line.slope, 1, 1e-9);
}

static void one_size_gives_a_horizontal_line(void **state)
{
	const struct point points[] = {{8, 3, 1}, {8, 5, 1}};
	const struct line line = fit_line(points, 2), none = fit_line(points, 0);

	(void)state;
	assert_float_equal(line.intercept, 4, 1e-12);
	assert_float_equal(line.slope, 0, 0);
	assert_float_equal(none.intercept, 0, 0);
	assert_true(isnan(none.residual));
}

static void slope_through_a_given_point(void **state)
{
	const struct point points[] = {{1, 12, 1}, {2, 14, 1}, {3, 16, 1}};

	(void)state;
	assert_float_equal(fit_slope(points, 3, 10).slope, 2, 1e-12);
	assert_float_equal(fit_slope(points, 3, 100).slope, 0, 0);
}

static void a_jump_is_found_behind_its_last_size(void **state)
{
	struct point points[12];
	size_t last = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		const double x = (double)(1u << i), y = 100 + 0.1 * x + (i > 6 ? 60 : 0);

		points[i] = (struct point){x, y, y};
	}
	assert_true(fit_change(points, COUNT(points), 0.01, &last));
	assert_int_equal(last, 6);
}

static void a_straight_line_has_no_change(void **state)
{
	struct point points[12];
	size_t last = 99;

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++)
		points[i] = (struct point){(double)i, 100 + (double)(i % 2), 100};
	assert_false(fit_change(points, COUNT(points), 0.025, &last));
	assert_false(fit_change(points, 5, 0, &last));
	assert_false(fit_change(points, 0, 0, &last));
	assert_int_equal(last, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quartiles_of_unsorted_samples),
		cmocka_unit_test(quartiles_between_samples_are_interpolated),
		cmocka_unit_test(outliers_do_not_move_the_median),
		cmocka_unit_test(samples_that_are_not_finite_are_left_out),
		cmocka_unit_test(line_through_exact_points),
		cmocka_unit_test(residual_is_relative_to_the_scale),
		cmocka_unit_test(lines_are_never_negative),
		cmocka_unit_test(points_without_sense_are_left_out),
		cmocka_unit_test(one_size_gives_a_horizontal_line),
		cmocka_unit_test(slope_through_a_given_point),
		cmocka_unit_test(a_jump_is_found_behind_its_last_size),
		cmocka_unit_test(a_straight_line_has_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
