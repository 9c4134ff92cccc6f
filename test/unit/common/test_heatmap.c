/* Heat maps: cells have the places and colours of their values, and pages have them once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/heatmap/heatmap.h"
#include "common/draw/html.h"
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/must.h"

enum { COLUMNS = 31, ROWS = 29, FILES = 20, PLANES = 6 };

static const struct heatmap_scale ratio = {"overhead ratio", false, 0, 2};
static const struct heatmap_scale slowdown = {"slowdown", true, 0.1, 1e4};

static char *output;
static size_t output_bytes;

static FILE *begin_output(void)
{
	FILE *stream;

	free(output);
	stream = open_memstream(&output, &output_bytes);
	assert_non_null(stream);
	return stream;
}

static void draw(const struct heatmap *heatmap, double width)
{
	struct svg svg = {.width = width};
	struct error err;

	svg.stream = begin_output();
	MUST(heatmap_draw(heatmap, &svg, &err));
	fclose(svg.stream);
	check_markup(output, 0);
	check_texts(output);
	assert_null(strstr(output, "nan"));
	assert_null(strstr(output, "inf"));
}

static void draw_one(const struct heatmap_plane *plane)
{
	const struct heatmap_row row = {NULL, plane, 1};
	const struct heatmap heatmap = {"cells", &row, 1, 1, HEATMAP_FIRE};

	draw(&heatmap, SVG_WIDE_PX);
}

/* ---------------------------------------------------------------- colours */

static uint32_t colour_of(const struct heatmap_scale *scale, double value)
{
	return heatmap_colour(HEATMAP_FIRE, heatmap_level(scale, value));
}

static void a_ratio_of_0_is_black_1_is_red_and_more_than_2_is_yellow(void **state)
{
	(void)state;
	assert_int_equal(colour_of(&ratio, 0), 0x000000);
	assert_int_equal(colour_of(&ratio, -3), 0x000000);
	assert_int_equal(colour_of(&ratio, 1), 0xd31f24);
	assert_int_equal(colour_of(&ratio, 2), 0xfff34d);
	assert_int_equal(colour_of(&ratio, 1000), 0xfff34d);
	assert_int_equal(heatmap_level(&ratio, NAN), -1);
	/* A purple one: between black and #6a1599, the colour of 0.5. */
	assert_int_equal(colour_of(&ratio, 0.24), 0x330a49);
}

static void a_logarithmic_scale_has_equal_distances_between_powers(void **state)
{
	const int decade = (HEATMAP_LEVELS - 1) / 5;

	(void)state;
	for (int power = -1; power <= 4; power++)
		assert_int_equal(heatmap_level(&slowdown, pow(10, power)), (power + 1) * decade);
	assert_int_equal(heatmap_level(&slowdown, 0), 0);
	assert_int_equal(heatmap_level(&slowdown, -1), 0);
	assert_int_equal(heatmap_level(&slowdown, 1e9), HEATMAP_LEVELS - 1);
}

static double luminance(uint32_t colour)
{
	return 0.2126 * pow((colour >> 16) / 255., 2.2) +
	       0.7152 * pow((colour >> 8 & 0xff) / 255., 2.2) +
	       0.0722 * pow((colour & 0xff) / 255., 2.2);
}

static void a_larger_value_is_lighter_in_both_palettes(void **state)
{
	(void)state;
	for (int palette = HEATMAP_FIRE; palette <= HEATMAP_SAFE; palette++)
		for (int level = 1; level < HEATMAP_LEVELS; level++)
			assert_true(luminance(heatmap_colour(palette, level)) >
				    luminance(heatmap_colour(palette, level - 1)));
}

/* ---------------------------------------------------------------- one plane */

static struct heatmap_plane small_plane(size_t columns, size_t rows, const double *values)
{
	return (struct heatmap_plane){
		.title = "sender",
		.scale = &ratio,
		.x = {"message size", QUANTITY_BYTES, true, 1024, 1024 * exp2((double)columns)},
		.y = {"computation time", QUANTITY_TIME, true, 1e3, 1e3 * pow(10, (double)rows)},
		.columns = columns,
		.rows = rows,
		.values = values,
	};
}

static void cells_begin_at_the_lower_left_corner_and_runs_are_joined(void **state)
{
	static const double values[] = {0, 0, 1, 1, 2, NAN};
	const struct heatmap_plane plane = small_plane(3, 2, values);

	(void)state;
	draw_one(&plane);
	assert_int_equal(count_of(output, "<path stroke=\"#000000\" d=\"M0 1h2\"/>"), 1);
	assert_int_equal(count_of(output, "<path stroke=\"#d31f24\" d=\"M0 0h1M2 1h1\"/>"), 1);
	assert_int_equal(count_of(output, "<path stroke=\"#fff34d\" d=\"M1 0h1\"/>"), 1);
	assert_non_null(strstr(output, ">not measured</text>"));
	assert_null(strstr(output, ">uncertain</text>"));
}

static void the_same_cells_have_other_colours_for_the_colour_blind(void **state)
{
	static const double values[] = {0, 2};
	const struct heatmap_plane plane = small_plane(2, 1, values);
	const struct heatmap_row row = {NULL, &plane, 1};
	const struct heatmap heatmap = {"cells", &row, 1, 1, HEATMAP_SAFE};

	(void)state;
	draw(&heatmap, SVG_WIDE_PX);
	assert_non_null(strstr(output, "<path stroke=\"#00204d\" d=\"M0 0h1\"/>"));
	assert_non_null(strstr(output, "<path stroke=\"#ffe945\" d=\"M1 0h1\"/>"));
}

static void uncertain_cells_are_hatched_unless_they_are_empty(void **state)
{
	static const double values[] = {0, 1, NAN, 1};
	static const bool uncertain[] = {false, true, true, false};
	struct heatmap_plane plane = small_plane(2, 2, values);

	(void)state;
	plane.uncertain = uncertain;
	draw_one(&plane);
	/* In white and in black, and nowhere else. */
	assert_int_equal(count_of(output, "\" d=\"M1.2 1.8l.6-.6\"/>"), 2);
	assert_int_equal(count_of(output, "l.6-.6"), 2);
	assert_non_null(strstr(output, ">uncertain</text>"));
}

static const char white_path[] = "stroke=\"#fff\" stroke-width=\"1.6\" d=\"";

/* Points of the first white path, "M x y L x y ...". */
static size_t read_points(double *x, double *y, size_t most)
{
	const char *at = strstr(output, white_path);
	size_t count = 0;
	int used;

	assert_non_null(at);
	for (at += strlen(white_path); (*at == 'M' || *at == 'L') && count < most; count++) {
		assert_int_equal(sscanf(at + 1, "%lf %lf%n", &x[count], &y[count], &used), 2);
		at += 1 + used;
	}
	return count;
}

static void a_curve_passes_the_middles_of_columns_at_its_values(void **state)
{
	static const double values[] = {0, 0, 0, 0, 0, 0, 0, 0}, times[] = {1e3, 1e4, NAN, 1e5};
	const struct heatmap_curve curve = {"T_comm", times, NAN};
	struct heatmap_plane plane = small_plane(4, 2, values);
	double x[8], y[8], left, top, side;
	char points[256];
	const char *path;

	(void)state;
	plane.curves = &curve;
	plane.curve_count = 1;
	draw_one(&plane);
	left = attribute_number(strstr(output, "<rect class=\"empty\""), "x", -1);
	top = attribute_number(strstr(output, "<rect class=\"empty\""), "y", -1);
	side = attribute_number(strstr(output, "<rect class=\"empty\""), "width", -1);
	assert_int_equal(read_points(x, y, 8), 3);
	assert_true(fabs(x[0] - left - side / 8) < 0.02 && fabs(y[0] - top - side) < 0.02);
	assert_true(fabs(x[1] - left - side * 3 / 8) < 0.02 && fabs(y[1] - top - side / 2) < 0.02);
	assert_true(fabs(x[2] - left - side * 7 / 8) < 0.02 && fabs(y[2] - top) < 0.02);
	/* Nothing is drawn over the missing column. */
	path = strstr(output, white_path) + strlen(white_path);
	snprintf(points, sizeof points, "%.*s", (int)strcspn(path, "\""), path);
	assert_int_equal(count_of(points, "M"), 2);
	assert_non_null(strstr(output, ">T_comm</text>"));
}

static void curves_without_cells_differ_and_have_markers(void **state)
{
	static const double one[] = {1e3, 1e4}, other[] = {1e4, 1e4};
	const struct heatmap_curve curves[] = {{"MPICH", one, 3000}, {"Open MPI", other, 1e9}};
	struct heatmap_plane plane = small_plane(2, 2, NULL);
	const char *mark;
	double left, side;

	(void)state;
	plane.curves = curves;
	plane.curve_count = 2;
	draw_one(&plane);
	assert_non_null(strstr(output, "<path class=\"s0 line\""));
	assert_non_null(strstr(output, "<path class=\"s1 line\""));
	assert_null(strstr(output, "#fff\""));
	/* A mark beyond the plane is left out. */
	assert_int_equal(count_of(output, " point\""), 1);
	mark = strstr(output, "<circle class=\"s0 point\"");
	left = attribute_number(strstr(output, "<rect class=\"frame\""), "x", -1);
	side = attribute_number(strstr(output, "<rect class=\"frame\""), "width", -1);
	assert_true(fabs(attribute_number(mark, "cx", -1) - left - side * log2(3000 / 1024.) / 2) <
		    0.02);
}

/* ---------------------------------------------------------------- rows of planes */

struct suite {
	double values[COLUMNS * ROWS], details[COLUMNS * ROWS * 5], sizes[COLUMNS], times[COLUMNS],
		computation[ROWS];
	bool uncertain[COLUMNS * ROWS];
	struct heatmap_curve curve;
	struct heatmap_plane planes[FILES][PLANES];
	struct heatmap_row rows[FILES];
};

static const struct heatmap_detail details[] = {{"ratio", QUANTITY_NUMBER},
						{"ratio error", QUANTITY_NUMBER},
						{"measured", QUANTITY_TIME},
						{"T_comm", QUANTITY_TIME},
						{"T_comp", QUANTITY_TIME}};

/* Values that look like noise, so that no two cells beside each other have the same colour. */
static double noise(size_t number)
{
	return (double)(number * 2654435761u % 1009) / 1009;
}

static void fill_cells(struct suite *suite, size_t detail_count)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		suite->sizes[i] = round(16 * exp2((double)i / 2)) * 64;
		suite->times[i] = 1500 + suite->sizes[i] / 10;
	}
	for (size_t i = 0; i < ROWS; i++)
		suite->computation[i] = 1000 * exp2((double)i / 2);
	for (size_t i = 0; i < COLUMNS * ROWS; i++) {
		double *at;

		suite->values[i] = 2.2 * noise(i);
		suite->uncertain[i] = i < 3 * COLUMNS;
		at = &suite->details[detail_count * i];
		at[0] = round(suite->values[i] * 100) / 100;
		at[1] = round(noise(i + 1) * 30) / 100;
		at[2] = suite->times[i % COLUMNS] + suite->computation[i / COLUMNS];
		if (detail_count < 5)
			continue;
		at[3] = suite->times[i % COLUMNS] * (1 + noise(i) / 9);
		at[4] = suite->computation[i / COLUMNS] * (1 + noise(i) / 9);
	}
	suite->curve = (struct heatmap_curve){"T_comm", suite->times, NAN};
}

/* Make as many files with planes of equal cells. */
static struct suite *make_suite(size_t detail_count)
{
	static const char *const titles[] = {"sender",	       "receiver",     "both sides",
					     "non-contiguous", "CPU overhead", "N threads"};
	struct suite *suite = calloc(1, sizeof *suite);

	assert_non_null(suite);
	fill_cells(suite, detail_count);
	for (unsigned i = 0; i < FILES * PLANES; i++) {
		struct heatmap_plane *plane = &suite->planes[i / PLANES][i % PLANES];

		*plane = (struct heatmap_plane){
			.title = titles[i % PLANES],
			.scale = &ratio,
			.x = {"message size", QUANTITY_BYTES, true, 861, 1024 * exp2(15.25)},
			.y = {"computation time", QUANTITY_TIME, true, 841, 1000 * exp2(14.25)},
			.columns = COLUMNS,
			.rows = ROWS,
			.values = suite->values,
			.uncertain = suite->uncertain,
			.curves = &suite->curve,
			.curve_count = 1,
			.id = i + 1,
			.x_values = suite->sizes,
			.y_values = suite->computation,
			.details = details,
			.detail_count = detail_count,
			.detail_values = suite->details,
		};
		if (i % PLANES == 5) {
			plane->scale = &slowdown;
			plane->y = (struct heatmap_axis){"threads", QUANTITY_COUNT, false, -0.5,
							 28.5};
		}
		suite->rows[i / PLANES] = (struct heatmap_row){
			"Open MPI 4.1.4, pml ucx & <two nodes> of a cluster with a rather long name, "
			"UCX_TLS=tcp, OMPI_MCA_btl_tcp_progress_thread=1 (measured-on-two-nodes.overlap)",
			suite->planes[i / PLANES], PLANES};
	}
	return suite;
}

static void labels_of_planes_are_apart_and_inside(void **state)
{
	static const double widths[] = {SVG_NARROW_PX, SVG_WIDE_PX};
	struct suite *suite = make_suite(5);

	(void)state;
	suite->planes[1][3].note = "ended by signal 11 at 64 KiB and 1.41 ms";
	suite->planes[1][3].values = NULL;
	suite->planes[2][0] = (struct heatmap_plane){.title = "sender", .note = "not measured"};
	suite->rows[1].label = NULL;
	for (size_t width = 0; width < 2; width++)
		for (size_t across = 1; across <= PLANES; across++)
			for (size_t count = 1; count <= 4; count++) {
				const struct heatmap heatmap = {"planes", suite->rows, count,
								across, HEATMAP_SAFE};

				draw(&heatmap, widths[width]);
				assert_int_equal(count_of(output, "class=\"plane\""),
						 PLANES * count);
			}
	free(suite);
}

static size_t texts_with(const char *text)
{
	char element[64];

	snprintf(element, sizeof element, ">%s</text>", text);
	return count_of(output, element);
}

static void planes_with_equal_axes_share_their_labels(void **state)
{
	struct suite *suite = make_suite(5);
	const struct heatmap heatmap = {"planes", suite->rows, 3, PLANES, HEATMAP_FIRE};

	(void)state;
	draw(&heatmap, SVG_WIDE_PX);
	/* One at each row's left, one below each column. */
	assert_int_equal(texts_with("10 ms"), 3);
	assert_int_equal(texts_with("1 MiB"), PLANES);
	/* The last column has its own. */
	assert_int_equal(texts_with("20"), 3);
	assert_int_equal(texts_with("overhead ratio"), 1);
	assert_int_equal(texts_with("\xe2\x89\xa5"
				    "2.0"),
			 1);
	assert_int_equal(texts_with("\xe2\x89\xa5"
				    "10000"),
			 1);
	free(suite);
}

/* ---------------------------------------------------------------- pages */

static void numbers_of_cells_have_three_digits_and_bytes_all(void **state)
{
	static const double values[] = {0, 1}, sizes[] = {1024, 1472};
	static const double numbers[] = {123456, 0.98, 1472, -0.25, 0, NAN};
	static const struct heatmap_detail three[] = {{"T_comm", QUANTITY_TIME},
						      {"a & b", QUANTITY_NUMBER},
						      {"c", QUANTITY_BYTES}};
	struct heatmap_plane plane = small_plane(2, 1, values);
	FILE *stream = begin_output();

	(void)state;
	plane.id = 7;
	plane.x_values = sizes;
	plane.details = three;
	plane.detail_count = 3;
	plane.detail_values = numbers;
	heatmap_define(&plane, HEATMAP_FIRE, stream);
	fclose(stream);
	check_markup(output, 0);
	assert_non_null(strstr(output,
			       "<g id=\"cells7\" data-size=\"2 1\" "
			       "data-names=\"message size|computation time|T_comm|a &amp; b|c|\" "
			       "data-kinds=\"bttnb\" data-x=\"1024 1472\" data-y=\"\" "
			       "data-cells=\"123p98k1472m-25k0m_\""));
}

static void a_page_of_20_files_has_its_cells_once_in_3_mb(void **state)
{
	struct suite *suite = make_suite(3);
	const struct heatmap heatmap = {"planes", suite->rows, FILES, PLANES, HEATMAP_FIRE};
	struct html page = {0};
	struct error err;
	struct svg svg;

	(void)state;
	page.stream = begin_output();
	html_begin(&page, "20 files");
	for (size_t i = 0; i < FILES * PLANES; i++)
		heatmap_define(&suite->planes[i / PLANES][i % PLANES], HEATMAP_FIRE, page.stream);
	html_figure(&page, NULL);
	while (html_picture(&page, &svg))
		MUST(heatmap_draw(&heatmap, &svg, &err));
	html_figure_end(&page);
	html_end(&page);
	fclose(page.stream);
	assert_int_equal(count_of(output, "<g id=\"cells"), FILES * PLANES);
	assert_int_equal(count_of(output, "<use href=\"#cells"), 2 * FILES * PLANES);
	assert_in_range(output_bytes, 1, 3000000);
	free(suite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_of_0_is_black_1_is_red_and_more_than_2_is_yellow),
		cmocka_unit_test(a_logarithmic_scale_has_equal_distances_between_powers),
		cmocka_unit_test(a_larger_value_is_lighter_in_both_palettes),
		cmocka_unit_test(cells_begin_at_the_lower_left_corner_and_runs_are_joined),
		cmocka_unit_test(the_same_cells_have_other_colours_for_the_colour_blind),
		cmocka_unit_test(uncertain_cells_are_hatched_unless_they_are_empty),
		cmocka_unit_test(a_curve_passes_the_middles_of_columns_at_its_values),
		cmocka_unit_test(curves_without_cells_differ_and_have_markers),
		cmocka_unit_test(labels_of_planes_are_apart_and_inside),
		cmocka_unit_test(planes_with_equal_axes_share_their_labels),
		cmocka_unit_test(numbers_of_cells_have_three_digits_and_bytes_all),
		cmocka_unit_test(a_page_of_20_files_has_its_cells_once_in_3_mb),
	};
	const int failed = cmocka_run_group_tests_name("heat maps", tests, NULL, NULL);

	free(output);
	return failed;
}
