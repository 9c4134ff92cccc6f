/* Markup, width of text, axes and pages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/draw/axis.h"
#include "common/draw/extent.h"
#include "common/draw/html.h"
#include "common/draw/viewer.h"
#include "common/draw/markup.h"
#include "test/unit/lib/check/svg_check.h"

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

static void assert_markup(const char *text, const char *expected)
{
	FILE *stream = begin_output();

	markup_print(stream, text);
	fclose(stream);
	assert_string_equal(output, expected);
}

static void text_from_outside_cannot_become_markup(void **state)
{
	(void)state;
	assert_markup("a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
	assert_markup("</title><script>", "&lt;/title&gt;&lt;script&gt;");
	assert_markup("\x1b[0m\n\xff\xc2\x9b", "\\x1b[0m\\n\\xff\\xc2\\x9b");
	assert_markup("\xce\xbb \xef\xbf\xbf", "\xce\xbb \xef\xbf\xbd");
}

static void assert_px(double px, const char *expected)
{
	FILE *stream = begin_output();

	markup_px(stream, px);
	fclose(stream);
	assert_string_equal(output, expected);
}

static void coordinates_are_short_and_always_numbers(void **state)
{
	(void)state;
	assert_px(12, "12");
	assert_px(-0.5, "-0.5");
	assert_px(1.255, "1.25");
	assert_px(3.046, "3.05");
	assert_px(-0.001, "0");
	assert_px(1e300, "10000000");
	assert_px(-INFINITY, "0");
	assert_px(NAN, "0");
}

static void text_is_shortened_in_its_middle(void **state)
{
	char fitted[64];

	(void)state;
	assert_string_equal(text_fit("MPI_Send", 12, 100, fitted, sizeof fitted), "MPI_Send");
	text_fit("MPI_Neighbor_alltoallw_init", 12, 100, fitted, sizeof fitted);
	assert_true(text_extent(fitted, 12) <= 100);
	assert_memory_equal(fitted, "MPI_", 4);
	assert_non_null(strstr(fitted, "\xe2\x80\xa6"));
	assert_memory_equal(fitted + strlen(fitted) - 4, "init", 4);
	/* Characters of several bytes stay whole, and the room is kept. */
	text_fit("\xce\xbb\xce\xbb\xce\xbb\xce\xbb\xce\xbb\xce\xbb", 12, 40, fitted, sizeof fitted);
	assert_true(strlen(fitted) % 2 == 1);
	text_fit("MPI_Neighbor_alltoallw_init", 12, 1000, fitted, 16);
	assert_true(strlen(fitted) < 16);
}

static void assert_ticks(enum quantity quantity, double low, double high, int most,
			 const char *expected)
{
	const struct axis_unit unit = axis_unit(quantity, fmax(fabs(low), fabs(high)));
	struct ticks ticks;
	char all[512] = "";

	ticks_find(&ticks, quantity, unit, low, high, most);
	for (int i = 0; i < ticks.count; i++) {
		strcat(all, ticks.texts[i]);
		strcat(all, " ");
		assert_true(ticks.values[i] >= low - 1e-9 * fabs(low));
		assert_true(ticks.values[i] <= high + 1e-9 * fabs(high));
	}
	assert_true(ticks.count <= most);
	strcat(all, unit.name);
	assert_string_equal(all, expected);
}

static void ticks_are_at_round_numbers_of_a_fitting_unit(void **state)
{
	(void)state;
	assert_ticks(QUANTITY_TIME, 0, 60000, 7, "0 10 20 30 40 50 60 \xc2\xb5s");
	assert_ticks(QUANTITY_TIME, 0, 60000, 6, "0 20 40 60 \xc2\xb5s");
	assert_ticks(QUANTITY_TIME, 14.1e6, 15.2e6, 6, "14.2 14.4 14.6 14.8 15.0 15.2 ms");
	assert_ticks(QUANTITY_TIME, 0.1, 0.26, 5, "0.10 0.15 0.20 0.25 ns");
	assert_ticks(QUANTITY_TIME, 0, 3.6e12, 5, "0 1000 2000 3000 s");
	assert_ticks(QUANTITY_NUMBER, -0.3, 0.3, 8, "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3 ");
	assert_ticks(QUANTITY_NUMBER, 0, 1e9, 3, "0 5e+08 1e+09 ");
	assert_ticks(QUANTITY_NUMBER, 0, 1.1e7, 6, "0 2000000 4000000 6000000 8000000 10000000 ");
	assert_ticks(QUANTITY_NUMBER, 0, 1e8, 6, "0 2e+07 4e+07 6e+07 8e+07 1e+08 ");
	assert_ticks(QUANTITY_COUNT, 0, 2, 8, "0 1 2 ");
	assert_ticks(QUANTITY_COUNT, 0, 9999, 5, "0 2000 4000 6000 8000 ");
	assert_ticks(QUANTITY_BYTES, 0, 1 << 20, 5, "0.00 0.25 0.50 0.75 1.00 MiB");
	assert_ticks(QUANTITY_BYTES, 0, 100 << 20, 5, "0 32 64 96 MiB");
	assert_ticks(QUANTITY_NUMBER, 1, 1, 5, "");
	assert_ticks(QUANTITY_NUMBER, 0, INFINITY, 5, "");
}

static void assert_log_ticks(enum quantity quantity, double low, double high, int most,
			     const char *expected)
{
	struct ticks ticks;
	char all[512] = "";

	ticks_find_log(&ticks, quantity, low, high, most);
	for (int i = 0; i < ticks.count; i++) {
		strcat(all, ticks.texts[i]);
		strcat(all, i + 1 < ticks.count ? ", " : "");
		assert_true(ticks.values[i] >= low * (1 - 1e-9));
		assert_true(ticks.values[i] <= high * (1 + 1e-9));
	}
	assert_string_equal(all, expected);
}

static void ticks_of_logarithms_are_at_powers_of_two_or_ten(void **state)
{
	(void)state;
	assert_log_ticks(QUANTITY_BYTES, 800, 40e6, 4, "1 KiB, 32 KiB, 1 MiB, 32 MiB");
	assert_log_ticks(QUANTITY_BYTES, 800, 40e6, 2, "1 KiB, 1 MiB");
	assert_log_ticks(QUANTITY_TIME, 900, 20e6, 5,
			 "1 \xc2\xb5s, 10 \xc2\xb5s, 100 \xc2\xb5s, 1 ms, 10 ms");
	assert_log_ticks(QUANTITY_NUMBER, 0.1, 1e4, 6, "0.1, 1, 10, 100, 1000, 10000");
	assert_log_ticks(QUANTITY_TIME, 2000, 3000, 5, "");
}

static void units_fit_the_largest_value(void **state)
{
	char text[UNIT_TEXT_BYTES], title[AXIS_TITLE_BYTES];

	(void)state;
	assert_string_equal(axis_unit(QUANTITY_TIME, 999).name, "ns");
	assert_string_equal(axis_unit(QUANTITY_TIME, 2e9).name, "s");
	assert_string_equal(axis_unit(QUANTITY_TIME, 0).name, "ns");
	assert_string_equal(axis_value(QUANTITY_TIME, 12380, 4, text), "12.38 \xc2\xb5s");
	assert_string_equal(axis_value(QUANTITY_TIME, INFINITY, 4, text), "unbounded");
	assert_string_equal(axis_value(QUANTITY_PERCENT, 2.5, 4, text), "2.5 %");
	assert_string_equal(axis_value(QUANTITY_BYTES, 1536, 4, text), "1.5 KiB");
	assert_string_equal(axis_value(QUANTITY_BYTES, 1023, 2, text), "1023 B");
	assert_string_equal(axis_value(QUANTITY_COUNT, 20567, 3, text), "20600");
	assert_string_equal(axis_value(QUANTITY_COUNT, 7, 3, text), "7");
	assert_string_equal(axis_title("T", axis_unit(QUANTITY_TIME, 1e6), 100, title), "T (ms)");
	assert_string_equal(axis_title("lambda", axis_unit(QUANTITY_COUNT, 1e6), 100, title),
			    "lambda");
}

static void print_page(FILE *stream)
{
	static const char *const columns[] = {"<p>", ">T & L"};
	struct html page = {.stream = stream};
	struct svg svg;

	html_begin(&page, "a</title><script>alert(1)</script>");
	html_section(&page, "one", "\"A\" & <B>");
	html_answer(&page, "x < y");
	html_figure(&page, "<caption>");
	while (html_picture(&page, &svg)) {
		svg_begin(&svg, 100, "<title>");
		svg_text(&svg, "small", 50, 50, SVG_MIDDLE, "<text>");
		svg_point(&svg, 3, 10, 10, 8);
		svg_zone(&svg, 2, 0, 0, 10, 10, true);
		svg_end(&svg);
	}
	html_figure_end(&page);
	html_table(&page, "</caption>", columns, 2);
	html_row(&page);
	html_cell(&page, "<td>");
	html_number(&page, "1");
	html_row_end(&page);
	html_table_end(&page);
	html_list(&page);
	html_item(&page, "<dt>", "<dd>");
	html_list_end(&page);
	html_section_end(&page);
	html_end(&page);
}

static void texts_at_one_address_are_told_apart(void **state)
{
	static const struct viewer_known known[] = {{VIEWER_NAME, "send"}, {0}};
	static const char *const names[] = {"send", "a\"b", "c\nd", "a\"b"};
	char *text = NULL, name[8];
	struct viewer_track track;
	struct viewer viewer;
	struct error err;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(stream);
	assert_int_equal(viewer_open(&viewer, stream, VIEWER_CHROME, "run", known, &err), 0);
	viewer_add_track(&viewer, NULL, "rank 0", &track);
	for (uint64_t i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "%s", names[i]);
		assert_int_equal(viewer_write(&viewer, &track, &(struct viewer_slice){
			.start_ns = i, .end_ns = i, .name = name,
			.arguments = {{"of", name, 0}, {"number", NULL, i}}}, &err), 0);
	}
	assert_int_equal(viewer_close(&viewer, 0), 0);
	fclose(stream);
	assert_non_null(strstr(text, "\"name\":\"send\",\"args\":{\"of\":\"send\",\"number\":0}}"));
	assert_non_null(strstr(text, "\"name\":\"a\\\"b\",\"args\":{\"of\":\"a\\\"b\",\"number\":1}}"));
	assert_non_null(strstr(text, "\"name\":\"c\\\\nd\",\"args\":{\"of\":\"c\\\\nd\",\"number\":2}}"));
	assert_non_null(strstr(text, "\"name\":\"a\\\"b\",\"args\":{\"of\":\"a\\\"b\",\"number\":3}}"));
	free(text);
}

static void long_words_break_where_names_do(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"MPI_Reduce_scatter_block a, b", "<p>MPI_Reduce_scatter_block a, b</p>\n"},
		{"in ns::inner::f<int,ns::pair>(int) of /a/b", "<p>in ns::<wbr>inner::<wbr>f&lt;<wbr>int,<wbr>ns::<wbr>pair&gt;(int) of /a/b</p>\n"},
		{"/home/somebody/a:b/program_of_mine/", "<p>/<wbr>home/<wbr>somebody/<wbr>a:b/<wbr>program_<wbr>of_<wbr>mine/</p>\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct html page = {.stream = begin_output()};

		html_paragraph(&page, cases[i].text);
		fclose(page.stream);
		assert_string_equal(output, cases[i].expected);
	}
}

static void an_underscore_after_a_greek_letter_begins_an_index(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"λ_L of x", "<p>λ<sub>L</sub> of x</p>\n"},
		{"ρ_L1 < 3, λ_", "<p>ρ<sub>L1</sub> &lt; 3, λ_</p>\n"},
		{"a_b_λ_<b>", "<p>a_b_λ_&lt;b&gt;</p>\n"},
		{"λ_l_inter_ and ρ_l_tc+2*l_out-in.", "<p>λ<sub>l_inter</sub>_ and ρ<sub>l_tc+2*l_out-in</sub>.</p>\n"},
		{"\xce", "<p>\\xce</p>\n"},
		{"\xce\xbb", "<p>λ</p>\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct html page = {.stream = begin_output()};

		html_paragraph(&page, cases[i].text);
		fclose(page.stream);
		assert_string_equal(output, cases[i].expected);
	}
}

static void a_page_is_whole_and_asks_for_no_other_file(void **state)
{
	FILE *stream = begin_output();

	(void)state;
	print_page(stream);
	fclose(stream);
	check_markup(output, 1);
	assert_int_equal(count_of(output, "<script"), 1);
	assert_null(strstr(output, "src="));
	assert_null(strstr(output, "@import"));
	assert_int_equal(count_of(output, "http"), 2);	/* the name space of both pictures */
	assert_int_equal(count_of(output, "href="), 1); /* no icon */
	assert_non_null(strstr(output, "href=\"data:,\""));
	assert_int_equal(count_of(output, "id=\"p1-1\""), 1);
	assert_int_equal(count_of(output, "id=\"p2-1\""), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_from_outside_cannot_become_markup),
		cmocka_unit_test(coordinates_are_short_and_always_numbers),
		cmocka_unit_test(text_is_shortened_in_its_middle),
		cmocka_unit_test(ticks_are_at_round_numbers_of_a_fitting_unit),
		cmocka_unit_test(ticks_of_logarithms_are_at_powers_of_two_or_ten),
		cmocka_unit_test(units_fit_the_largest_value),
		cmocka_unit_test(an_underscore_after_a_greek_letter_begins_an_index),
		cmocka_unit_test(texts_at_one_address_are_told_apart),
		cmocka_unit_test(long_words_break_where_names_do),
		cmocka_unit_test(a_page_is_whole_and_asks_for_no_other_file),
	};

	return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
