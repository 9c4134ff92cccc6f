/* Tests of clock offsets from round trips of messages. */
#include "trace/journal/trace_clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct clock_point origin = {.time_ns = 77, .offset_ns = 0};

/* Add a round trip to a clock that is `offset` ahead, with delays `there` and `back`. */
static bool trip(struct clock_bounds *bounds, uint64_t sent, int64_t offset, uint64_t there,
		 uint64_t back)
{
	return clock_bounds_add(bounds, sent, sent + there + (uint64_t)offset, sent + there + back);
}

static void equal_delays_give_the_exact_offset(void **state)
{
	static const int64_t offsets[] = {5000, -5000, INT64_C(1) << 60, -(INT64_C(1) << 60)};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct clock_bounds bounds = {0};
		struct clock_point point;

		assert_true(trip(&bounds, UINT64_C(1) << 61, offsets[i], 300, 300));
		point = clock_bounds_point(&bounds, &origin);
		assert_int_equal(point.offset_ns, offsets[i]);
		assert_int_equal(point.time_ns, (UINT64_C(1) << 61) + 300);
		assert_true(fabs(point.deviation_ns - 600 / sqrt(12)) < 1e-6);
	}
}

static void the_shortest_way_of_each_direction_counts(void **state)
{
	struct clock_bounds bounds = {0};
	struct clock_point point;

	(void)state;
	assert_true(trip(&bounds, 100000, 50000, 9000, 400));
	assert_false(trip(&bounds, 200000, 50000, 9500, 500));
	assert_true(trip(&bounds, 300000, 50000, 400, 7000));
	assert_int_equal(bounds.trips, 3);
	assert_false(clock_bounds_same(&bounds));
	point = clock_bounds_point(&bounds, &origin);
	assert_int_equal(point.offset_ns, 50000);
	assert_int_equal(point.time_ns, (109400 + 300000) / 2);
	assert_true(fabs(point.deviation_ns - 800 / sqrt(12)) < 1e-6);
}

/* All measured messages arrive after they are sent. */
static void unequal_delays_are_shared_out(void **state)
{
	struct clock_bounds bounds = {0};

	(void)state;
	trip(&bounds, 1000, 20000, 100, 700);
	assert_int_equal(clock_bounds_point(&bounds, &origin).offset_ns, 20000 + 100 - 400);
}

static void offsets_add_up(void **state)
{
	const struct clock_point other = {.time_ns = 5, .offset_ns = -30000, .deviation_ns = 3};
	struct clock_bounds bounds = {0};
	struct clock_point point;

	(void)state;
	trip(&bounds, 1000, 20000, 100, 100);
	point = clock_bounds_point(&bounds, &other);
	assert_int_equal(point.offset_ns, -10000);
	assert_true(fabs(point.deviation_ns - sqrt(200 * 200 / 12. + 9)) < 1e-6);
}

static void indistinguishable_clocks_are_the_same(void **state)
{
	const struct clock_point other = {.time_ns = 5, .offset_ns = -30000, .deviation_ns = 3};
	struct clock_bounds bounds = {0};
	struct clock_point point;

	(void)state;
	trip(&bounds, 1000, 0, 100, 5000);
	assert_true(clock_bounds_same(&bounds));
	point = clock_bounds_point(&bounds, &other);
	assert_int_equal(point.time_ns, other.time_ns);
	assert_int_equal(point.offset_ns, other.offset_ns);
	/* A difference larger than the times of the messages is a difference of the clocks. */
	bounds = (struct clock_bounds){0};
	trip(&bounds, 1000, 101, 100, 100);
	assert_false(clock_bounds_same(&bounds));
}

/* The clock drifts during the trips: the lower bound ends above the upper one. */
static void crossed_bounds_give_the_middle(void **state)
{
	struct clock_bounds bounds = {0};

	(void)state;
	trip(&bounds, 1000, 9000, 100, 100);
	trip(&bounds, 2000000, 9400, 100, 100);
	assert_int_equal(clock_bounds_point(&bounds, &origin).offset_ns, 9200);
	assert_false(clock_bounds_same(&bounds));
	/* ... or 0, if that is between them. */
	bounds = (struct clock_bounds){0};
	trip(&bounds, 1000, -200, 100, 100);
	trip(&bounds, 2000000, 300, 100, 100);
	assert_true(clock_bounds_same(&bounds));
}

static void offsets_are_interpolated_and_extrapolated(void **state)
{
	const struct clock_point points[] = {{1000000, 500, 1}, {3000000, 700, 2}};
	struct trace_clock clock = trace_clock_through(points, 2);

	(void)state;
	assert_int_equal(trace_clock_apply(&clock, 1000000), 1000500);
	assert_int_equal(trace_clock_apply(&clock, 2000000), 2000600);
	assert_int_equal(trace_clock_apply(&clock, 3000000), 3000700);
	assert_int_equal(trace_clock_apply(&clock, 4000000), 4000800);
	assert_int_equal(trace_clock_apply(&clock, 0), 400);
	/* Zero bytes mean no correction. */
	clock = (struct trace_clock){0};
	assert_int_equal(trace_clock_apply(&clock, 4000000), 4000000);
}

static void one_point_holds_for_all_times(void **state)
{
	const struct clock_point point = {1000, -500, 1};
	struct trace_clock clock = trace_clock_through(&point, 1);

	(void)state;
	assert_int_equal(trace_clock_apply(&clock, 900), 400);
	assert_int_equal(trace_clock_apply(&clock, 900000000), 899999500);
	assert_true(clock.points[1].time_ns > clock.points[0].time_ns);
}

static void an_impossible_drift_is_an_error_of_measurement(void **state)
{
	const struct clock_point first_is_better[] = {{1000, 500, 1}, {2000, 700, 2}};
	const struct clock_point last_is_better[] = {{1000, 500, 3}, {2000, 700, 2}};
	const struct clock_point at_once[] = {{1000, 500, 3}, {1000, 500, 2}};
	struct trace_clock clock;

	(void)state;
	clock = trace_clock_through(first_is_better, 2);
	assert_int_equal(trace_clock_apply(&clock, 5000), 5500);
	clock = trace_clock_through(last_is_better, 2);
	assert_int_equal(trace_clock_apply(&clock, 5000), 5700);
	clock = trace_clock_through(at_once, 2);
	assert_int_equal(trace_clock_apply(&clock, 5000), 5500);
	assert_true(clock.points[1].time_ns > clock.points[0].time_ns);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_delays_give_the_exact_offset),
		cmocka_unit_test(the_shortest_way_of_each_direction_counts),
		cmocka_unit_test(unequal_delays_are_shared_out),
		cmocka_unit_test(offsets_add_up),
		cmocka_unit_test(indistinguishable_clocks_are_the_same),
		cmocka_unit_test(crossed_bounds_give_the_middle),
		cmocka_unit_test(offsets_are_interpolated_and_extrapolated),
		cmocka_unit_test(one_point_holds_for_all_times),
		cmocka_unit_test(an_impossible_drift_is_an_error_of_measurement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
