/* Charts: all labels are inside the picture and beside each other, lines are where they should. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/draw/bars.h"
#include "common/draw/lines.h"
#include "common/draw/matrix.h"
#include "common/draw/strip.h"
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/must.h"

static const double widths[] = {SVG_NARROW_PX, SVG_WIDE_PX};
enum { WIDTH_COUNT = 2 };

static char *output;
static size_t output_bytes;

static struct svg begin_picture(double width)
{
	struct svg svg = {.width = width};

	free(output);
	svg.stream = open_memstream(&output, &output_bytes);
	assert_non_null(svg.stream);
	return svg;
}

static void draw_lines(const struct lines *lines, double width)
{
	const struct svg svg = begin_picture(width);
	struct error err;

	MUST(lines_draw(lines, &svg, &err));
	fclose(svg.stream);
	check_markup(output, 0);
}

/* Points of the first path of a class, which are "M x y L x y ...". */
static size_t read_path(const char *class, struct lines_point *points, size_t most)
{
	char pattern[64];
	const char *at;
	size_t count = 0;
	int used;

	snprintf(pattern, sizeof pattern, "<path class=\"%s\" d=\"", class);
	at = strstr(output, pattern);
	assert_non_null(at);
	at += strlen(pattern);
	while ((*at == 'M' || *at == 'L') && count < most) {
		assert_int_equal(sscanf(at + 1, "%lf %lf%n", &points[count].x, &points[count].y,
					&used),
				 2);
		at += 1 + used;
		count++;
	}
	return count;
}

enum { SHAPE_LONG_NAMES = 1, SHAPE_MANY_SERIES = 2, SHAPE_MANY_MARKS = 4, SHAPE_ALL = 8 };

/* Charts of different shapes: long names, many series, many marks at the same place. */
static void draw_shape(int shape, double width)
{
	static const struct lines_point points[] = {{0, 14.2e6}, {12e3, 14.4e6}, {6e4, 17e6}};
	const char *name =
		shape & SHAPE_LONG_NAMES
			? "runs/lulesh2.0-s30-i200-64-ranks/MPI_Allreduce=recursive-doubling"
			  ",MPI_Bcast=binomial,MPI_Alltoallv=pairwise-exchange.goal & <more>"
			: "model";
	struct lines_series series[9];
	struct lines_mark marks[12];
	const struct lines_zone zones[] = {{3e3, 12e3, 1, "1 %: 12 \xc2\xb5s"},
					   {12e3, 12.5e3, 2, "2 %: 12.5 \xc2\xb5s"},
					   {12.5e3, INFINITY, 3, "5 %"}};
	const struct lines_level level = {"traced run 14.31 ms", 14.31e6};
	const size_t series_count = shape & SHAPE_MANY_SERIES ? 9 : 1;
	const struct lines_panel panels[] = {{"run time T", QUANTITY_TIME, false, 240, series,
					      series_count, &level, 1},
					     {name, QUANTITY_PERCENT, true, 60, series, 1, NULL,
					      0}};
	const struct lines lines = {.title = name,
				    .name = name,
				    .quantity = QUANTITY_TIME,
				    .high = 6e4,
				    .zones = zones,
				    .zone_count = 3,
				    .marks = marks,
				    .mark_count = shape & SHAPE_MANY_MARKS ? 12 : 1,
				    .panels = panels,
				    .panel_count = 2};

	for (unsigned i = 0; i < 9; i++)
		series[i] = (struct lines_series){i % 2 ? "other" : name, i % 4, i, points, 3};
	for (int i = 0; i < 12; i++)
		marks[i] = (struct lines_mark){i < 6 ? i * 300 : 6e4 - i * 900, "L = 3 \xc2\xb5s"};
	draw_lines(&lines, width);
}

static void labels_of_lines_are_apart_and_inside(void **state)
{
	(void)state;
	for (int shape = 0; shape < SHAPE_ALL; shape++)
		for (int i = 0; i < WIDTH_COUNT; i++) {
			draw_shape(shape, widths[i]);
			assert_true(check_texts(output) > 12);
		}
}

static void a_tick_at_the_upper_end_of_a_panel_is_below_its_name(void **state)
{
	(void)state;
	for (int i = 0; i <= 100; i++) {
		const struct lines_point points[] = {{0, 0}, {1, (35 + i / 10.0) / 1.08}};
		const struct lines_series series = {NULL, LINES_STRAIGHT, 0, points, 2};
		const struct lines_panel panel = {"T", QUANTITY_NUMBER, true, 84, &series, 1, NULL,
						  0};
		const struct lines_panel panels[] = {panel, panel};
		const struct lines lines = {
			.title = "T", .name = "L", .high = 1, .panels = panels, .panel_count = 2};

		draw_lines(&lines, SVG_NARROW_PX);
		check_texts(output);
	}
}

static void a_curve_passes_through_its_points(void **state)
{
	static const struct lines_point points[] = {{0, 0}, {25, 50}, {50, 50}, {100, 100}};
	const struct lines_series series = {"T", LINES_STRAIGHT, 0, points, 4};
	const struct lines_panel panel = {"T", QUANTITY_NUMBER, true, 100, &series, 1, NULL, 0};
	const struct lines lines = {
		.title = "T", .name = "L", .high = 100, .panels = &panel, .panel_count = 1};
	struct lines_point found[8];

	(void)state;
	draw_lines(&lines, SVG_WIDE_PX);
	assert_int_equal(read_path("s0 line", found, 8), 4);
	assert_true(fabs(found[1].x - (found[0].x + (found[3].x - found[0].x) / 4)) < 0.02);
	assert_true(fabs(found[1].y - (found[0].y + found[3].y) / 2) < 0.02);
	assert_true(found[1].y == found[2].y);
	/* The last x is the right end of the axis, with 100 below it. */
	assert_non_null(strstr(output, ">100</text>"));
}

static void steps_hold_until_the_next_point(void **state)
{
	static const struct lines_point points[] = {{0, 1}, {50, 2}, {100, 2}};
	const struct lines_series series = {"T", LINES_STEPS, 0, points, 3};
	const struct lines_panel panel = {"T", QUANTITY_NUMBER, true, 100, &series, 1, NULL, 0};
	const struct lines lines = {
		.title = "T", .name = "L", .high = 100, .panels = &panel, .panel_count = 1};
	struct lines_point found[8];

	(void)state;
	draw_lines(&lines, SVG_WIDE_PX);
	assert_int_equal(read_path("s0 line", found, 8), 4);
	assert_true(found[1].x == found[2].x && found[0].y == found[1].y);
	assert_true(found[2].y < found[1].y && found[3].y == found[2].y);
}

static void a_million_points_keep_their_extremes_and_a_small_picture(void **state)
{
	enum { COUNT = 1000000 };
	struct lines_point *points = malloc(COUNT * sizeof *points);
	const struct lines_series series = {"T", LINES_STRAIGHT, 0, points, COUNT};
	const struct lines_panel panel = {"T", QUANTITY_NUMBER, true, 100, &series, 1, NULL, 0};
	const struct lines lines = {
		.title = "T", .name = "L", .high = COUNT - 1, .panels = &panel, .panel_count = 1};
	static struct lines_point found[10000];
	size_t count;
	double least = INFINITY;

	(void)state;
	assert_non_null(points);
	for (int i = 0; i < COUNT; i++)
		points[i] = (struct lines_point){i, i % 1000};
	points[777777].y = 5000;
	draw_lines(&lines, SVG_WIDE_PX);
	assert_true(output_bytes < 200000);
	count = read_path("s0 line dense", found, 10000);
	assert_true(count > 1000 && count < 10000);
	for (size_t i = 0; i < count; i++)
		least = fmin(least, found[i].y);
	/* The peak is the highest point, 8 % below the upper end of the panel. */
	for (size_t i = 0; i < count; i++)
		if (found[i].y == least)
			assert_true(
				fabs((found[i].x - found[0].x) / (found[count - 1].x - found[0].x) -
				     0.777777) < 0.001);
	free(points);
}

static void charts_without_data_and_without_range_are_drawn(void **state)
{
	static const struct lines_point flat[] = {{0, 3}, {1, 3}},
					odd[] = {{0, NAN}, {1, INFINITY}};
	const struct lines_series series[] = {{"none", LINES_AREA, 0, NULL, 0},
					      {"flat", LINES_STRAIGHT, 1, flat, 2},
					      {"odd", LINES_POINTS, 2, odd, 2}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct lines_panel panel = {"T", QUANTITY_TIME, i == 0, 80, &series[i],
						  1,   NULL,	      0};
		const struct lines lines = {
			.title = "T", .name = "L", .high = 1, .panels = &panel, .panel_count = 1};

		draw_lines(&lines, SVG_NARROW_PX);
		check_texts(output);
		assert_null(strstr(output, "nan"));
		assert_null(strstr(output, "inf"));
	}
}

static void labels_of_lines_reach_them_where_there_is_room(void **state)
{
	struct strip_label left[] = {{.text = "one", .x = 100},
				     {.text = "two", .x = 110},
				     {.text = "three", .x = 300}};
	struct strip_label right[] = {{.text = "one label", .x = 10},
				      {.text = "two labels", .x = 20},
				      {.text = "three labels", .x = 30}};
	struct error err;
	int rows;

	(void)state;
	MUST(strip_place(left, 3, 0, 310, &rows, &err));
	assert_int_equal(rows, 2);
	assert_true(left[1].row == 1 && left[2].row == 0);
	MUST(strip_place(right, 3, 0, 310, &rows, &err));
	assert_int_equal(rows, 3);
	for (int i = 0; i < 3; i++) {
		assert_true(left[i].leader && right[i].leader);
		assert_true(!left[i].right && right[i].right);
	}
}

enum { BAR_COUNT = 9 };

static void draw_bars(bool long_names, size_t part_count, double width)
{
	static const char *const parts[] = {"compute", "overhead", "latency & <more>"};
	static const double values[BAR_COUNT][3] = {{8e6, 1e5, 0},
						    {0, 1e6, INFINITY},
						    {0, 0, 0},
						    {1, NAN, 2}};
	const struct svg svg = begin_picture(width);
	struct bar drawn[BAR_COUNT];
	const struct bar_group groups[] = {{"By category", drawn, 4},
					   {"By function", drawn, 9},
					   {NULL, drawn, 2}};
	const struct bars bars = {.title = "bars",
				  .name = "time on the critical path",
				  .quantity = QUANTITY_TIME,
				  .part_count = part_count,
				  .parts = part_count > 1 ? parts : NULL,
				  .groups = groups,
				  .group_count = 3};
	struct error err;

	for (int i = 0; i < BAR_COUNT; i++)
		drawn[i] = (struct bar){long_names ? "MPI_Neighbor_alltoallw_init, a name that is "
						     "longer than most pictures are wide"
						   : "MPI_Send",
					values[i], .text = i % 2 ? "12.4 ms, 31.5 %" : NULL};
	MUST(bars_draw(&bars, &svg, &err));
	fclose(svg.stream);
	check_markup(output, 0);
}

static void labels_of_bars_are_apart_and_inside(void **state)
{
	(void)state;
	for (int i = 0; i < WIDTH_COUNT; i++)
		for (int shape = 0; shape < 4; shape++) {
			draw_bars(shape & 1, shape & 2 ? 3 : 1, widths[i]);
			assert_true(check_texts(output) > 25);
			assert_null(strstr(output, "nan"));
			assert_null(strstr(output, "inf"));
		}
}

/* Width of the bar of a series number `skip` in the picture. */
static double bar_width(const char *class, int skip)
{
	char pattern[64];
	const char *at = strstr(output, "class=\"row\"");

	snprintf(pattern, sizeof pattern, "<rect class=\"%s\"", class);
	for (at = strstr(at, pattern); skip > 0 && at; skip--)
		at = strstr(at + 1, pattern);
	assert_non_null(at);
	return attribute_number(at, "width", -1);
}

static void bars_are_as_long_as_their_values(void **state)
{
	(void)state;
	draw_bars(false, 3, SVG_WIDE_PX);
	assert_true(fabs(bar_width("s0 bar", 0) / bar_width("s1 bar", 0) - 80) < 0.2);
	/* An unbounded bar goes to the end of the axis. */
	assert_true(bar_width("s1 bar", 1) + bar_width("s2 bar", 0) >
		    bar_width("s0 bar", 0) + bar_width("s1 bar", 0));
	/* In each of the three groups. */
	assert_int_equal(count_of(output, "arrow\""), 3);
}

static void draw_bars_of(const struct bar *drawn, size_t count, bool logarithmic,
			 enum quantity quantity, double width)
{
	const struct svg svg = begin_picture(width);
	const struct bar_group group = {NULL, drawn, count};
	const struct bars bars = {.title = "bars", .name = "calls", .quantity = quantity,
				  .logarithmic = logarithmic, .part_count = 1, .groups = &group,
				  .group_count = 1};
	struct error err;

	MUST(bars_draw(&bars, &svg, &err));
	fclose(svg.stream);
	check_markup(output, 0);
	check_texts(output);
}

static void bars_on_a_logarithmic_axis_grow_by_the_same_for_each_power(void **state)
{
	static const double values[] = {1e3, 1e5, 1e7, 0, 2e13};
	struct bar drawn[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		drawn[i] = (struct bar){"MPI_Send", &values[i], .text = "1 B"};
	for (int i = 0; i < WIDTH_COUNT; i++) {
		draw_bars_of(drawn, 3, true, QUANTITY_COUNT, widths[i]);
		assert_true(bar_width("s0 bar", 0) > 5);
		assert_true(fabs(bar_width("s0 bar", 2) - 2 * bar_width("s0 bar", 1) +
				 bar_width("s0 bar", 0)) < 0.05);
		draw_bars_of(drawn, 5, true, QUANTITY_COUNT, widths[i]);
		assert_non_null(strstr(output, i ? ">10¹²<" : ">10¹⁰<"));
		/* Without any value, and for bytes. */
		draw_bars_of(&drawn[3], 1, true, QUANTITY_BYTES, widths[i]);
		draw_bars_of(drawn, 5, true, QUANTITY_BYTES, widths[i]);
		assert_null(strstr(output, "nan"));
	}
}

static void a_range_is_a_line_from_its_least_to_its_greatest_value(void **state)
{
	static const double value = 50, range[] = {25, 100};
	const struct bar bar = {"VSVB", &value, .text = "80 %", .range = range};
	const char *line;

	(void)state;
	draw_bars_of(&bar, 1, false, QUANTITY_PERCENT, SVG_WIDE_PX);
	line = strstr(output, "<line class=\"cross\"");
	assert_non_null(line);
	assert_true(fabs((attribute_number(line, "x2", 0) - attribute_number(line, "x1", 0)) /
				 bar_width("s0 bar", 0) -
			 1.5) < 0.01);
}

static void a_logarithmic_line_has_powers_at_the_same_distance(void **state)
{
	static const struct lines_point points[] = {{1, 0}, {100, 1}, {10000, 2}};
	const struct lines_series series = {"T", LINES_STRAIGHT, 0, points, 3};
	const struct lines_panel panel = {"T", QUANTITY_NUMBER, true, 100, &series, 1, NULL, 0};
	const struct lines lines = {.title = "T", .name = "runtime (s)", .low = 1, .high = 10000,
				    .logarithmic = true, .panels = &panel, .panel_count = 1};
	struct lines_point found[8];

	(void)state;
	for (int i = 0; i < WIDTH_COUNT; i++) {
		draw_lines(&lines, widths[i]);
		assert_int_equal(read_path("s0 line", found, 8), 3);
		assert_true(fabs(found[1].x - (found[0].x + found[2].x) / 2) < 0.02);
		assert_true(check_texts(output) >= 6);
	}
}

static void a_logarithmic_range_has_whole_powers(void **state)
{
	static const struct {
		enum quantity quantity;
		double low, high, least, most;
	} cases[] = {
		{QUANTITY_COUNT, 3, 7, 1, 10},	      {QUANTITY_COUNT, 10, 10, 10, 100},
		{QUANTITY_COUNT, 0, 5, 1, 10},	      {QUANTITY_BYTES, 3, 1000, 2, 1024},
		{QUANTITY_NUMBER, 0.02, 1, 0.01, 1}, {QUANTITY_COUNT, INFINITY, -INFINITY, 1, 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double low = cases[i].low, high = cases[i].high;

		axis_range_log(cases[i].quantity, &low, &high);
		assert_true(fabs(low / cases[i].least - 1) < 1e-9);
		assert_true(fabs(high / cases[i].most - 1) < 1e-9);
	}
}

static void draw_matrix(size_t side, size_t items_per_cell, double (*value)(size_t, size_t),
			double width)
{
	const struct svg svg = begin_picture(width);
	double *values = malloc(side * side * sizeof *values);
	const struct matrix matrix = {"bytes",	      "from rank",	     "to rank",
				      "bytes",	      QUANTITY_BYTES,	     side,
				      items_per_cell, side * items_per_cell, values};

	assert_non_null(values);
	for (size_t i = 0; i < side * side; i++)
		values[i] = value(i / side, i % side);
	matrix_draw(&matrix, &svg);
	fclose(svg.stream);
	free(values);
	check_markup(output, 0);
	assert_null(strstr(output, "nan"));
	assert_null(strstr(output, "inf"));
	check_texts(output);
}

static double value_none(size_t row, size_t column)
{
	(void)row, (void)column;
	return 0;
}

static double value_one(size_t row, size_t column)
{
	return row == 1 && column == 0 ? 7 : 0;
}

static double value_noise(size_t row, size_t column)
{
	return exp2((double)((row * 7919 + column * 104729) % 40));
}

static void a_matrix_of_any_size_is_drawn(void **state)
{
	static const size_t sides[] = {1, 2, 3, 17, 128};

	(void)state;
	for (int i = 0; i < WIDTH_COUNT; i++)
		for (size_t j = 0; j < sizeof sides / sizeof *sides; j++) {
			draw_matrix(sides[j], 1, value_none, widths[i]);
			assert_non_null(strstr(output, "no values"));
			draw_matrix(sides[j], 79, value_noise, widths[i]);
			assert_true(output_bytes < 250000);
		}
}

static void a_cell_is_in_the_row_and_column_of_its_value(void **state)
{
	(void)state;
	draw_matrix(2, 1, value_one, SVG_WIDE_PX);
	assert_int_equal(count_of(output, "d=\"M0 1h1\""), 1);
	assert_int_equal(count_of(output, " cells\""), 1);
	assert_non_null(strstr(output, ">7 B</text>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_of_lines_are_apart_and_inside),
		cmocka_unit_test(a_tick_at_the_upper_end_of_a_panel_is_below_its_name),
		cmocka_unit_test(a_curve_passes_through_its_points),
		cmocka_unit_test(steps_hold_until_the_next_point),
		cmocka_unit_test(a_million_points_keep_their_extremes_and_a_small_picture),
		cmocka_unit_test(charts_without_data_and_without_range_are_drawn),
		cmocka_unit_test(labels_of_lines_reach_them_where_there_is_room),
		cmocka_unit_test(labels_of_bars_are_apart_and_inside),
		cmocka_unit_test(bars_are_as_long_as_their_values),
		cmocka_unit_test(bars_on_a_logarithmic_axis_grow_by_the_same_for_each_power),
		cmocka_unit_test(a_range_is_a_line_from_its_least_to_its_greatest_value),
		cmocka_unit_test(a_logarithmic_line_has_powers_at_the_same_distance),
		cmocka_unit_test(a_logarithmic_range_has_whole_powers),
		cmocka_unit_test(a_matrix_of_any_size_is_drawn),
		cmocka_unit_test(a_cell_is_in_the_row_and_column_of_its_value),
	};

	return cmocka_run_group_tests_name("charts", tests, NULL, NULL);
}
