/* Pictures of llamp: labels are apart and inside, sizes stay small, and names cannot be markup. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llamp/pictures/pictures.h"
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/must.h"

static const double widths[] = {SVG_NARROW_PX, SVG_WIDE_PX};
enum { WIDTH_COUNT = 2, MOST_BYTES = 400000 };

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

static void end_picture(const struct svg *svg)
{
	fclose(svg->stream);
	check_markup(output, 0);
	check_texts(output);
	assert_true(output_bytes < MOST_BYTES);
	assert_null(strstr(output, "nan"));
}

/* ------------------------------------------------------------------ curves */

enum { POINT_COUNT = 400, TOLERANCE_COUNT = 3 };

/* A curve from 0 to 6 us with tolerances at 3 us + `step`, twice that ..., the last unbounded. */
static struct curve make_curve(double step, double traced_ns, bool unbounded)
{
	static struct curve_point points[POINT_COUNT];
	static struct curve_share shares[POINT_COUNT];
	static struct tolerance tolerances[TOLERANCE_COUNT];
	struct curve curve = {
		.label = "a/path/that is long/</text>&.bin",
		.varied = {.name = "L",
			   .counted = "latencies",
			   .unit = UNIT_TIME,
			   .category = CATEGORY_LATENCY},
		.to_ns = 6000,
		.value_ns = 3000,
		.runtime_ns = 1e6,
		.traced_ns = traced_ns,
	};

	for (int i = 0; i < POINT_COUNT; i++) {
		const double x = 6000.0 * i / (POINT_COUNT - 1);

		points[i] = (struct curve_point){x, 1e6 + 10 * x + x * x / 100, 10 + x / 50};
		shares[i] = (struct curve_share){x, x / 10000};
	}
	for (int i = 0; i < TOLERANCE_COUNT; i++)
		tolerances[i] = (struct tolerance){.percent = i + 1,
						   .value_ns = 3000 + step * (i + 1),
						   .delta_ns = step * (i + 1)};
	if (unbounded) {
		tolerances[2].unbounded = true;
		tolerances[2].value_ns = tolerances[2].delta_ns = INFINITY;
	}
	curve.runtime.items = curve.steps.items = points;
	curve.runtime.count = curve.steps.count = POINT_COUNT;
	curve.rhos.items = shares;
	curve.rhos.count = POINT_COUNT;
	curve.tolerance.items = tolerances;
	curve.tolerance.count = TOLERANCE_COUNT;
	return curve;
}

static void draw_curves(const struct curve *curve, size_t count, double width)
{
	const struct curve *curves[12];
	struct svg svg = begin_picture(width);
	struct error err;

	for (size_t i = 0; i < count; i++)
		curves[i] = curve;
	MUST(picture_curves(&svg, curves, count, &err));
	end_picture(&svg);
}

static void curves_have_labels_that_are_apart(void **state)
{
	static const double steps[] = {0, 1, 30, 300, 1000, 1e6};

	(void)state;
	for (int i = 0; i < WIDTH_COUNT; i++)
		for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
			for (int unbounded = 0; unbounded < 2; unbounded++) {
				const struct curve curve = make_curve(steps[j], 1.1e6, unbounded);

				draw_curves(&curve, 1, widths[i]);
				draw_curves(&curve, 12, widths[i]);
			}
}

static void zones_end_at_the_tolerances(void **state)
{
	const struct curve curve = make_curve(500, 0, false);

	(void)state;
	draw_curves(&curve, 1, SVG_WIDE_PX);
	assert_non_null(strstr(output, ">1 %: 3.5 \xc2\xb5s<"));
	assert_non_null(strstr(output, ">3 %: 4.5 \xc2\xb5s<"));
	assert_non_null(strstr(output, ">L = 3 \xc2\xb5s<"));
	/* Three zones in three panels. */
	assert_int_equal(count_of(output, " zone\""), 9);
	assert_null(strstr(output, "traced"));
}

static void an_unbounded_tolerance_is_a_zone_without_end(void **state)
{
	const struct curve curve = make_curve(500, 0, true);

	(void)state;
	draw_curves(&curve, 1, SVG_WIDE_PX);
	assert_int_equal(count_of(output, " zone\""), 9);
	assert_int_equal(count_of(output, " end\""), 6);
	assert_null(strstr(output, "unbounded"));
}

static void a_traced_run_that_is_far_away_does_not_flatten_the_curve(void **state)
{
	const struct curve near = make_curve(500, 1.2e6, false), far = make_curve(500, 5e9, false);

	(void)state;
	draw_curves(&near, 1, SVG_WIDE_PX);
	assert_non_null(strstr(output, ">traced run, 1.2 ms<"));
	assert_int_equal(count_of(output, "class=\"level\""), 2); /* legend, panel */
	draw_curves(&far, 1, SVG_WIDE_PX);
	assert_non_null(strstr(output, ">traced run, 5 s (above the chart)<"));
	assert_int_equal(count_of(output, "class=\"level\""), 1);
}

static void tolerances_are_bars_with_their_values(void **state)
{
	struct error err;

	(void)state;
	for (int i = 0; i < WIDTH_COUNT; i++)
		for (size_t count = 1; count < 4; count++) {
			const struct curve curve = make_curve(500, 0, true);
			const struct curve *curves[] = {&curve, &curve, &curve};
			struct svg svg = begin_picture(widths[i]);

			MUST(picture_tolerances(&svg, curves, count, &err));
			end_picture(&svg);
			assert_int_equal(count_of(output, ">3.5 \xc2\xb5s (+500 ns)<"), count);
			assert_int_equal(count_of(output, ">unbounded<"), count);
		}
}

/* ------------------------------------------------------------------ path */

enum { MANY = 1000 };

static void many_ranks_and_functions_end_in_one_bar(void **state)
{
	static struct path_rank ranks[MANY];
	static struct rank_switch rank_switches[MANY];
	static struct critical_function functions[MANY];
	const struct model model = {.goal.rank_count = MANY + 1};
	struct findings findings = {.model = &model,
				    .path.runtime_as = (int128)MANY * 5000,
				    .has_calls = true};
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		ranks[i] = (struct path_rank){.rank = i, .as = {1000, 1000, 1000, 1000, 1000}};
		rank_switches[i] = (struct rank_switch){i, i + 1, 1, 1, 8, 1000};
		functions[i] = (struct critical_function){.function = "MPI_<&\x1b\"'>",
							  .as = {[CATEGORY_LATENCY] = 5000}};
	}
	for (int i = 0; i < CATEGORY_COUNT; i++)
		findings.category_as[i] = (int128)MANY * 1000;
	findings.path_ranks.items = ranks;
	findings.rank_switches.items = rank_switches;
	findings.calls.functions.list.items = functions;
	findings.path_ranks.count = findings.rank_switches.count =
		findings.calls.functions.list.count = MANY;
	for (int i = 0; i < WIDTH_COUNT; i++) {
		struct svg svg = begin_picture(widths[i]);

		MUST(picture_composition(&svg, &findings, &err));
		end_picture(&svg);
		assert_non_null(strstr(output, ">993 other ranks<"));
		assert_non_null(strstr(output, ">993 other functions<"));
		assert_int_equal(count_of(output, ", 20.0 %<"), CATEGORY_COUNT);
		svg = begin_picture(widths[i]);
		MUST(picture_rank_switches(&svg, &findings, &err));
		end_picture(&svg);
		assert_non_null(strstr(output, ">989 other pairs<"));
		svg = begin_picture(widths[i]);
		MUST(picture_pairs(&svg, &findings, PICTURE_LAMBDA_L, &err));
		end_picture(&svg);
		assert_non_null(strstr(output, ", 16 \xc3\x97 16 ranks a cell"));
		svg = begin_picture(widths[i]);
		MUST(picture_pairs(&svg, &findings, PICTURE_LAMBDA_G, &err));
		end_picture(&svg);
	}
}

/* ----------------------------------------------------------------- ranks */

static void ten_thousand_ranks_make_small_pictures(void **state)
{
	enum { RANKS = 10000 };
	static struct rank_total of_ranks[RANKS];
	static struct communication_pair pairs[RANKS];
	struct communication communication = {.rank_count = RANKS,
					      .messages = RANKS,
					      .bytes = RANKS};
	struct rank_totals totals = {0};
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		of_ranks[i] = (struct rank_total){.end_ns = 1e6 + i * 7919 % 1000 * 100.0,
						  .compute_ns = i * 104729 % 1000 * 1000.0};
		pairs[i] = (struct communication_pair){i, (i * 7919) % RANKS, 1 + i % 100,
						       1 + i * (uint64_t)i};
	}
	totals.ranks.items = of_ranks;
	totals.ranks.count = RANKS;
	communication.pairs.items = pairs;
	communication.pairs.count = RANKS;
	for (int i = 0; i < WIDTH_COUNT; i++) {
		struct svg svg = begin_picture(widths[i]);

		MUST(picture_ranks(&svg, &totals, &err));
		end_picture(&svg);
		for (int quantity = PICTURE_MESSAGES; quantity <= PICTURE_BYTES; quantity++) {
			svg = begin_picture(widths[i]);
			MUST(picture_communication(&svg, &communication,
						   (enum picture_matrix)quantity, &err));
			end_picture(&svg);
			assert_null(strstr(output, ">10000<"));
			assert_non_null(strstr(output, ">8000<"));
		}
	}
}

static void few_ranks_are_bars(void **state)
{
	struct rank_total of_ranks[] = {{.end_ns = 3e6, .compute_ns = 1e6},
					{.end_ns = 2e6, .compute_ns = 4e6}};
	struct rank_totals totals = {0};
	struct error err;

	(void)state;
	totals.ranks.items = of_ranks;
	totals.ranks.count = 2;
	for (int i = 0; i < WIDTH_COUNT; i++) {
		struct svg svg = begin_picture(widths[i]);

		MUST(picture_ranks(&svg, &totals, &err));
		end_picture(&svg);
		assert_non_null(strstr(output, ">3 ms<"));
		assert_int_equal(count_of(output, "class=\"row\""), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_have_labels_that_are_apart),
		cmocka_unit_test(zones_end_at_the_tolerances),
		cmocka_unit_test(an_unbounded_tolerance_is_a_zone_without_end),
		cmocka_unit_test(a_traced_run_that_is_far_away_does_not_flatten_the_curve),
		cmocka_unit_test(tolerances_are_bars_with_their_values),
		cmocka_unit_test(many_ranks_and_functions_end_in_one_bar),
		cmocka_unit_test(ten_thousand_ranks_make_small_pictures),
		cmocka_unit_test(few_ranks_are_bars),
	};

	return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}
