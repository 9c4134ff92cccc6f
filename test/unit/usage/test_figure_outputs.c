/* All figures of any index, as text, JSON, CSV, page and picture. */
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/make/make_index.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/figures/figure_page.h"
#include "usage/figures/figure_picture.h"
#include "usage/figures/figure_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error err;
static struct figure_source source;

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

static void write_all_of(const struct figure_request *request)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_JSON, REPORT_SCHEMA};
	FILE *stream;

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct report report = {.format = formats[i]};

		report.stream = begin_output();
		MUST(figure_report(&report, request, &err));
		fclose(report.stream);
		assert_null(strstr(output, "nan"));
	}
	stream = begin_output();
	MUST(figure_page(stream, request, &err));
	fclose(stream);
	check_markup(output, 1);
	assert_null(strstr(output, "nan"));
	for (size_t i = 0; i < figure_count; i++) {
		struct figure_request one = *request;
		struct report report = {.format = REPORT_CSV};

		one.only = &figures[i];
		report.stream = begin_output();
		MUST(figure_report(&report, &one, &err));
		fclose(report.stream);
		assert_memory_equal(output, "index,", 6);
		assert_null(strstr(output, "nan"));
	}
}

static void all_figures_of_any_index_are_written(void **state)
{
	static const char *const indexes[] = {"SELECT 1", MAKE_TEXTS, made_applications,
					      made_records, made_ping_pong};

	(void)state;
	for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
		struct figure_request request = {.sources = {&source, &source}, .source_count = 1};

		make_index(indexes[i]);
		open_index(&source, (struct figure_scope){0});
		write_all_of(&request);
		request.source_count = 2;
		write_all_of(&request);
		figure_source_close(&source);
	}
}

static void each_picture_has_its_labels_apart(void **state)
{
	int pictures = 0;

	(void)state;
	make_index(made_applications);
	add_to_index(made_ping_pong);
	open_index(&source, (struct figure_scope){0});
	for (size_t i = 0; i < figure_count; i++) {
		struct figure_result result = ask_figure(&source, figures[i].name);
		struct svg svg = {.width = SVG_NARROW_PX};

		for (; figure_has_picture(&result) && svg.width <= SVG_WIDE_PX;
		     svg.width += SVG_WIDE_PX - SVG_NARROW_PX) {
			svg.stream = begin_output();
			MUST(figure_draw(&result, &svg, &err));
			fclose(svg.stream);
			check_markup(output, 0);
			check_texts(output);
			pictures++;
		}
		figure_result_release(&result);
	}
	figure_source_close(&source);
	assert_true(pictures > 30);
}

static int end(void **state)
{
	free(output);
	return scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(all_figures_of_any_index_are_written, index_remove),
		cmocka_unit_test_teardown(each_picture_has_its_labels_apart, index_remove),
	};

	return cmocka_run_group_tests(tests, scratch_make, end);
}
