/* Curves that are thinned for pictures, and measured runtimes beside them. */
#include "test/unit/lib/along.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include "common/units.h"
#include "llamp/analysis/curve.h"
#include "llamp/analysis/sweep.h"
#include "llamp/simulate/build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char two_ranks[] = "num_ranks 2\nrank 0 {\na: calc 100\nb: send 4b to 1\n"
				"c: calc 1000\nb requires a\nc requires b\n}\n"
				"rank 1 {\na: calc 500\nb: recv 4b from 0\nc: calc 1000\n"
				"b requires a\nc requires b\n}\n";

/* T = max(L + 1115, 1500). */
static void open_two_ranks(struct model *model)
{
	struct error err = {0};

	*model = (struct model){.path = "text", .loggps = loggps_default};
	loggps_set(&model->loggps, VARIABLE_L, 500 * AS_PER_NS);
	loggps_set(&model->loggps, VARIABLE_o, 0);
	loggps_set(&model->loggps, VARIABLE_G, 5 * AS_PER_NS);
	MUST(make_goal(&model->goal, two_ranks, &err));
	MUST(graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, &err));
}

static void the_worked_example_has_one_critical_latency(void **state)
{
	static const double percents[] = {10};
	struct observations none = {0};
	struct analysis analysis;
	struct model model;
	struct curve curve;
	struct error err = {0};

	(void)state;
	open_two_ranks(&model);
	MUST(analysis_run(&analysis, &model,
			  &(struct analysis_request){
				  .engine = ENGINE_PATH, .varied = VARIABLE_L,
				  .percents = percents, .percent_count = 1,
			  }, &err));
	/* 10 % more than 1615 ns: L = 661.5 ns.  With a quarter more it is 826.875 ns. */
	assert_int_equal(curve_default_end(&analysis, &model, &none), 830 * AS_PER_NS);
	MUST(curve_find(&curve, &model, &analysis, 0, 1000 * AS_PER_NS, &none, &err));
	assert_true(curve.runtime_ns == 1615 && curve.lambda == 1 && curve.value_ns == 500);
	assert_int_equal(curve.breakpoint_count, 1);
	assert_int_equal(curve.runtime.count, 3);
	assert_true(curve.runtime.items[1].value_ns == 385 &&
		    curve.runtime.items[1].runtime_ns == 1500);
	assert_true(curve.runtime.items[2].runtime_ns == 2115);
	assert_int_equal(curve.steps.count, 2);
	assert_int_equal(curve.critical.count, 1);
	assert_true(curve.critical.items[0].left == 0 && curve.critical.items[0].right == 1);
	assert_true(curve.tolerance.items[0].value_ns == 661.5);
	curve_release(&curve);
	analysis_release(&analysis);
	model_release(&model);
}

static void the_end_of_the_range_is_beyond_tolerances_and_measurements(void **state)
{
	static const double percents[] = {1, 100};
	struct observations measured = {0};
	struct analysis analysis;
	struct model model;
	struct error err = {0};

	(void)state;
	open_two_ranks(&model);
	MUST(analysis_run(&analysis, &model,
			  &(struct analysis_request){
				  .engine = ENGINE_PATH, .varied = VARIABLE_L,
				  .percents = percents, .percent_count = 2,
			  }, &err));
	/* T = 3230 ns at L = 2115 ns; a quarter more is 2643.75 ns. */
	assert_int_equal(curve_default_end(&analysis, &model, &measured), 2700 * AS_PER_NS);
	MUST(array_push(&measured.points, ((struct observation){.value_as = 4000 * AS_PER_NS}),
			&err));
	assert_int_equal(curve_default_end(&analysis, &model, &measured), 4200 * AS_PER_NS);
	observations_release(&measured);
	analysis_release(&analysis);
	model_release(&model);
}

/* ----------------------------------------------------------- random graphs */

static int points_left_out;

static double between(double x, double x0, double y0, double x1, double y1)
{
	return x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1;
}

/* All exact points are within a quarter of a pixel of the curve. */
static void check_runtime(const struct curve *curve, const struct sweep *exact)
{
	const double height = exact->points.items[exact->points.count - 1].runtime_ns -
			      exact->points.items[0].runtime_ns;
	const struct curve_point *kept = curve->runtime.items;

	assert_true(kept->value_ns == curve->from_ns);
	assert_true(kept[curve->runtime.count - 1].value_ns == curve->to_ns);
	for (size_t i = 0; i < exact->points.count; i++) {
		const struct sweep_point *point = &exact->points.items[i];
		double drawn;

		while (point->value_ns > kept[1].value_ns)
			kept++;
		drawn = between(point->value_ns, kept->value_ns, kept->runtime_ns,
				kept[1].value_ns, kept[1].runtime_ns);
		assert_true(drawn >= point->runtime_ns * (1 - 1e-12));
		assert_true(drawn - point->runtime_ns <=
			    height / (4 * CURVE_HEIGHT) + 1e-9 * point->runtime_ns);
	}
	points_left_out += (int)(exact->points.count - curve->runtime.count);
}

/* At all exact points some step within a quarter of a pixel is as high to a quarter of a pixel. */
static void check_steps(const struct curve *curve, const struct sweep *exact)
{
	const double width = (curve->to_ns - curve->from_ns) / (4 * CURVE_WIDTH);
	const double height = exact->points.items[exact->points.count - 1].lambda /
			      (4 * CURVE_HEIGHT);
	const struct curve_point *steps = curve->steps.items;
	size_t step = 0;

	for (size_t i = 0; i + 1 < exact->points.count; i++) {
		const struct sweep_point *point = &exact->points.items[i];

		while (step + 1 < curve->steps.count &&
		       steps[step + 1].value_ns <= point->value_ns)
			step++;
		/* Below it only by less than the height; above it only by steps that follow soon. */
		assert_true(steps[step].lambda >= point->lambda - height);
		assert_true(steps[step].lambda <= point->lambda ||
			    steps[step].value_ns >= point->value_ns - width);
	}
}

static void check_rhos(const struct curve *curve)
{
	for (size_t i = 1; i < curve->rhos.count; i++)
		assert_true(curve->rhos.items[i].value_ns >= curve->rhos.items[i - 1].value_ns &&
			    curve->rhos.items[i].rho >= 0 && curve->rhos.items[i].rho <= 1.01);
	assert_true(curve->rhos.items[0].value_ns == curve->from_ns);
	assert_true(curve->rhos.items[curve->rhos.count - 1].value_ns == curve->to_ns);
}

static void check_curve(const struct model *model, uint32_t varied)
{
	static const double percents[] = {1, 2, 5};
	struct sweep_range range = {.varied = varied};
	struct observations none = {0};
	struct analysis analysis;
	struct curve curve;
	struct sweep exact;
	struct error err = {0};

	MUST(analysis_run(&analysis, model,
			  &(struct analysis_request){
				  .engine = ENGINE_PATH, .varied = varied,
				  .percents = percents, .percent_count = 3,
			  }, &err));
	range.to_as = curve_default_end(&analysis, model, &none);
	MUST(sweep_run(&exact, model, &range, &err));
	MUST(curve_find(&curve, model, &analysis, 0, range.to_as, &none, &err));
	assert_int_equal(curve.breakpoint_count, exact.points.count - 2);
	check_runtime(&curve, &exact);
	check_steps(&curve, &exact);
	check_rhos(&curve);
	curve_release(&curve);
	sweep_release(&exact);
	analysis_release(&analysis);
}

static void thinned_curves_are_within_a_quarter_of_a_pixel(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct model model = {.path = "random"};
		struct error err = {0};

		random_graph(&model.goal, &numbers, 6, 400);
		random_loggps(&model.loggps, &numbers);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) < 0) {
			goal_release(&model.goal);
			continue;
		}
		check_curve(&model, VARIABLE_L);
		check_curve(&model, VARIABLE_G);
		model_release(&model);
	}
	assert_true(points_left_out > 0);
}

/* A chain of n messages: computation that message k hides makes each of them critical at k ns. */
static void a_thousand_critical_latencies_become_few_points(void **state)
{
	static const double percent = 1;
	enum { MESSAGES = 1000 };
	char *text = malloc(200 * MESSAGES + 100);
	struct model model = {.path = "text", .loggps = loggps_default};
	size_t length = (size_t)sprintf(text, "num_ranks 2\nrank 0 {\n");
	struct observations none = {0};
	struct analysis analysis;
	struct curve curve;
	struct error err = {0};

	(void)state;
	for (int k = 1; k <= MESSAGES; k++)
		length += (size_t)sprintf(text + length, "s%d: send 1b to 1\nr%d: recv 1b from 1\n"
					  "c%d: calc %d\n", k, k, k, 2 * k);
	for (int k = 2; k <= MESSAGES; k++)
		length += (size_t)sprintf(text + length, "s%d requires r%d\ns%d requires c%d\n"
					  "c%d requires r%d\nc%d requires c%d\n",
					  k, k - 1, k, k - 1, k, k - 1, k, k - 1);
	length += (size_t)sprintf(text + length, "}\nrank 1 {\n");
	for (int k = 1; k <= MESSAGES; k++)
		length += (size_t)sprintf(text + length, "r%d: recv 1b from 0\ns%d: send 1b to 0\n"
					  "s%d requires r%d\n", k, k, k, k);
	sprintf(text + length, "}\n");
	loggps_set(&model.loggps, VARIABLE_o, 0);
	MUST(make_goal(&model.goal, text, &err));
	MUST(graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err));
	MUST(analysis_run(&analysis, &model,
			  &(struct analysis_request){
				  .engine = ENGINE_PATH, .varied = VARIABLE_L,
				  .percents = &percent, .percent_count = 1,
			  }, &err));
	MUST(curve_find(&curve, &model, &analysis, 0, 2 * MESSAGES * AS_PER_NS, &none, &err));
	assert_int_equal(curve.breakpoint_count, MESSAGES);
	assert_in_range(curve.runtime.count, 10, 60);
	assert_int_equal(curve.critical.count, CURVE_MOST_CRITICAL);
	for (size_t i = 1; i < curve.critical.count; i++)
		assert_true(curve.critical.items[i - 1].value_ns <
			    curve.critical.items[i].value_ns);
	curve_release(&curve);
	analysis_release(&analysis);
	model_release(&model);
	free(text);
}

/* ------------------------------------------------------------ measurements */

static const char *file_with(const char *text, size_t length)
{
	static char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/measured.csv", scratch);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	fclose(file);
	return path;
}

static void runs_at_one_latency_are_averaged_and_compared(void **state)
{
	/* T is 1500, 1615 and 2115 ns; the means are 1500, 1700 and 2115 ns. */
	static const char text[] = "\xef\xbb\xbfseconds , L_ns\r\n1.5e-6,0\r\n\r\n"
				   "2115e-9,1000\r\n1.6e-6,500\r\n1.8e-6,5e2";
	struct observations measured;
	struct model model;
	struct error err = {0};

	(void)state;
	open_two_ranks(&model);
	MUST(observations_read(&measured, file_with(text, sizeof text - 1),
			       &model.loggps.variables.of[VARIABLE_L], &err));
	assert_int_equal(measured.points.count, 3);
	assert_int_equal(measured.points.items[1].runs, 2);
	assert_true(fabs(measured.points.items[1].mean_ns - 1700) < 1e-9);
	assert_true(fabs(measured.points.items[1].most_ns - 1800) < 1e-9);
	MUST(observations_compare(&measured, &model, VARIABLE_L, &err));
	assert_true(measured.points.items[1].modelled_ns == 1615);
	assert_true(fabs(measured.rmse_ns - 85 / sqrt(3)) < 1e-9);
	assert_true(fabs(measured.rrmse - 85 / sqrt(3) / (5315.0 / 3)) < 1e-12);
	observations_release(&measured);
	model_release(&model);
}

static void a_time_per_byte_has_its_own_column(void **state)
{
	static const char text[] = "G_ns_per_byte,seconds\n0.018,1\n";
	const struct loggps loggps = loggps_default;
	struct observations measured;
	struct error err = {0};

	(void)state;
	MUST(observations_read(&measured, file_with(text, sizeof text - 1),
			       &loggps.variables.of[VARIABLE_G], &err));
	assert_int_equal(measured.points.items[0].value_as, 18000000);
	observations_release(&measured);
}

static void wrong_measurements_are_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", ":1: the first line must be 'L_ns,seconds'"},
		{"\n\n", ":3: the first line must be 'L_ns,seconds'"},
		{"L,seconds\n", ":1: the first line must be 'L_ns,seconds'"},
		{"L_ns,L_ns\n", ":1: the first line must be 'L_ns,seconds'"},
		{"L_ns,seconds", ":1: no row of two numbers follows"},
		{"L_ns,seconds\n1,2,3\n", ":2: '1,2,3' is not a line of two columns"},
		{"L_ns,seconds\n1\n", ":2: '1' is not a line of two columns"},
		{"L_ns,seconds\n\n,1\n", ":3: '' is not a number of 0 or more"},
		{"L_ns,seconds\n1,\n", ":2: '' is not a number of 0 or more"},
		{"L_ns,seconds\n-1,1\n", ":2: '-1' is not a number of 0 or more"},
		{"L_ns,seconds\n3us,1\n", ":2: '3us' is not a number of 0 or more"},
		{"L_ns,seconds\n0x1p3,1\n", ":2: '0x1p3' is not a number of 0 or more"},
		{"L_ns,seconds\nnan,1\n", ":2: 'nan' is not a number of 0 or more"},
		{"L_ns,seconds\n1,inf\n", ":2: 'inf' is not a number of 0 or more"},
		{"L_ns,seconds\n1e,1\n", ":2: '1e' is not a number of 0 or more"},
		{"L_ns,seconds\n1,0\n", ":2: '0' is not a runtime"},
		{"L_ns,seconds\n1,1e308\n", ":2: '1e308' is not a runtime"},
		{"L_ns,seconds\n1e30,1\n", ":2: "},
		{"L_ns,seconds\n1,\x1b[2J\n", ":2: '\\x1b[2J' is not a number of 0 or more"},
	};
	const struct loggps loggps = loggps_default;
	struct observations measured;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *path = file_with(cases[i].text, strlen(cases[i].text));

		assert_int_equal(observations_read(&measured, path,
						   &loggps.variables.of[VARIABLE_L], &err),
				 -1);
		assert_int_equal(err.status, STATUS_DATA);
		assert_memory_equal(err.text, path, strlen(path));
		assert_memory_equal(err.text + strlen(path), cases[i].message,
				    strlen(cases[i].message));
	}
}

static void long_lines_and_zero_bytes_are_refused(void **state)
{
	static char text[4096] = "L_ns,seconds\n";
	const struct loggps loggps = loggps_default;
	struct observations measured;
	struct error err = {0};

	(void)state;
	/* The rest of the text is zero bytes. */
	assert_int_equal(observations_read(&measured, file_with(text, 100),
					   &loggps.variables.of[VARIABLE_L], &err),
			 -1);
	assert_non_null(strstr(err.text, ":2: the line has a zero byte"));
	memset(text + 13, '1', sizeof text - 13);
	assert_int_equal(observations_read(&measured, file_with(text, sizeof text),
					   &loggps.variables.of[VARIABLE_L], &err),
			 -1);
	assert_non_null(strstr(err.text, ":2: the line is too long"));
}

/*
 * Rank 1 completes its receive before the calc of 1000 or, if the message comes at 510 or later, after it:
 * T = L + 2020 up to L = 490, then 3510.
 */
static void a_curve_of_one_order_knows_where_the_order_is_another_one(void **state)
{
	static const char text[] = "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\n"
				   "v: recv 1b from 0\nw: calc 500 cpu 1\na: calc 1000\n"
				   "c: calc 2000 cpu 2\na requires w\nc requires v\n}\n";
	static const double percent = 10;
	struct model model = {.path = "text", .loggps = loggps_default};
	struct analysis_request request = {.engine = ENGINE_PATH, .varied = VARIABLE_L,
					   .percents = &percent, .percent_count = 1};
	struct observations none = {0};
	struct error err = {0};

	(void)state;
	loggps_set(&model.loggps, VARIABLE_L, 400 * AS_PER_NS);
	loggps_set(&model.loggps, VARIABLE_o, 10 * AS_PER_NS);
	loggps_set(&model.loggps, VARIABLE_G, 0);
	model.loggps.resources = RESOURCE_CPU;
	MUST(make_goal(&model.goal, text, &err));
	MUST(graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err));
	for (int frozen = 0; frozen < 2; frozen++) {
		struct analysis analysis;
		struct curve curve;

		request.frozen_order = frozen;
		MUST(analysis_run(&analysis, &model, &request, &err));
		MUST(curve_find(&curve, &model, &analysis, 0, 1000 * AS_PER_NS, &none, &err));
		assert_true(curve.one_order && curve.order.low == 0 && curve.order.high < 490);
		assert_int_equal(curve.orders.count, frozen ? 0 : CURVE_MOST_ORDERS);
		for (size_t i = 0; i < curve.orders.count; i++) {
			const struct curve_order *order = &curve.orders.items[i];
			const bool other = order->value_ns > 490;

			assert_true(order->value_ns == 1000.0 * (2.0 * (double)i + 1) / 64);
			assert_int_equal(order->other, other);
			assert_true(order->frozen_ns == 2020 + order->value_ns);
			assert_true(order->runtime_ns == (other ? 3510 : order->frozen_ns));
		}
		curve_release(&curve);
		analysis_release(&analysis);
	}
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_has_one_critical_latency),
		cmocka_unit_test(the_end_of_the_range_is_beyond_tolerances_and_measurements),
		cmocka_unit_test(thinned_curves_are_within_a_quarter_of_a_pixel),
		cmocka_unit_test(a_thousand_critical_latencies_become_few_points),
		cmocka_unit_test(runs_at_one_latency_are_averaged_and_compared),
		cmocka_unit_test(a_time_per_byte_has_its_own_column),
		cmocka_unit_test(wrong_measurements_are_refused_with_file_and_line),
		cmocka_unit_test(long_lines_and_zero_bytes_are_refused),
		cmocka_unit_test(a_curve_of_one_order_knows_where_the_order_is_another_one),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
