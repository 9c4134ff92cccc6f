/* Figures of an index: their names, distributions and quartiles, as known answers of jobs that SQL puts into its tables. */
#include "test/unit/lib/make/make_index.h"
#include "test/unit/lib/scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct error err;
static struct figure_source source;

/* --------------------------------------------------------------------- names */

static void all_numbers_of_the_paper_are_found(void **state)
{
	static const char *const tables[][2] = {
		{"1", "ping-pong"},
		{"I", "coverage"},
		{"II", "coverage"},
		{"table I", "coverage"},
		{"table A.1", "thread-levels"},
		{"A.1", "application-fraction-by-core-hours"},
		{"fig A.1", "application-fraction-by-core-hours"},
		{"A.2", "application-time"},
		{"table A.2", "ranks-per-node"},
		{"A.3", "files"},
		{"IV-A", "core-hours-in-mpi"},
		{"Figure 6", "mpi-fraction"},
		{"fig. 7", "mpi-fraction"},
		{"files", "files"},
	};
	char number[16];

	(void)state;
	for (int i = 1; i <= 30; i++) {
		snprintf(number, sizeof number, "%d", i);
		assert_non_null(figure_find(number, &err));
	}
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		assert_string_equal(figure_find(tables[i][0], &err)->name, tables[i][1]);
	assert_null(figure_find("31", &err));
	assert_null(figure_find("table 6", &err));
	assert_null(figure_find("", &err));
}

static void names_differ_and_sections_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < figure_count; i++) {
		const struct figure_section *section = figure_sections;

		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(figures[i].name, figures[j].name);
		while (section->id && strcmp(section->id, figures[i].section) != 0)
			section++;
		assert_non_null(section->id);
		assert_non_null(figures[i].meaning);
	}
}

/* ------------------------------------------------------------- distributions */

static void point_masses_have_their_shares(void **state)
{
	static const double wanted[][4] = {{0.1, 2, 0.4, 1}, {0.4, 2, 0.8, 0.6}, {0.9, 1, 1, 0.2}};
	struct figure_result result;

	(void)state;
	make_index(
		MAKE_TEXTS MAKE_JOBS
		"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, "
		"CASE WHEN n <= 2 THEN 1e11 WHEN n <= 4 THEN 4e11 ELSE 9e11 END, 0, 0, 0, 0, n, 0, "
		"0 FROM (" MAKE_NUMBERS(5) "SELECT n FROM i)");
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "mpi-fraction");
	assert_int_equal(figure_rows(&result), 3);
	for (size_t i = 0; i < 3; i++) {
		for (int j = 0; j < 4; j++)
			must_be(number_at(&result, i, j + 1), wanted[i][j]);
		must_be(number_at(&result, i, 5), 5);
	}
	must_be(result.summaries.items[0].median, 0.4);
	figure_result_release(&result);
	figure_source_close(&source);

	/* By core-hours the jobs are 1, 2, 3, 4 and 5 of 15. */
	open_index(&source, (struct figure_scope){.core_hours = true});
	result = ask_figure(&source, "6");
	must_be(number_at(&result, 0, 3), 3.0 / 15);
	must_be(number_at(&result, 1, 3), 10.0 / 15);
	must_be(number_at(&result, 1, 4), 12.0 / 15);
	must_be(number_at(&result, 2, 2), 1);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void the_distribution_of_uniform_fractions_is_the_identity(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(
		MAKE_TEXTS MAKE_JOBS
		"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, (n - 0.5) / 2000 * 1e12, 0, 0, 0, 0, "
		"1, 0, 0 FROM (" MAKE_NUMBERS(2000) "SELECT n FROM i ORDER BY n * 7919 % 2003)");
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "mpi-fraction");
	assert_int_equal(figure_rows(&result), 2000);
	for (size_t i = 0; i < 2000; i++) {
		assert_true(fabs(number_at(&result, i, 3) - number_at(&result, i, 1)) < 0.00026);
		assert_true(fabs(number_at(&result, i, 4) + number_at(&result, i, 1) - 1) <
			    0.00026);
	}
	must_be(result.summaries.items[0].low, 0.25);
	must_be(result.summaries.items[0].median, 0.5);
	must_be(result.summaries.items[0].high, 0.75);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* ----------------------------------------------------------------- quartiles */

static void quartiles_do_not_change_if_each_job_is_there_three_times(void **state)
{
	double before[3] = {0};

	(void)state;
	for (int k = 1; k <= 3; k += 2) {
		struct figure_result result;
		char sql[1024];

		snprintf(
			sql, sizeof sql,
			MAKE_TEXTS MAKE_JOBS
			"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, ((n - 1) / %d + 1) * 1e11, "
			"0, 0, 0, 0, 1, 0, 0 FROM (WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
			"FROM i WHERE n < %d) SELECT n FROM i)",
			k, 8 * k);
		make_index(sql);
		open_index(&source, (struct figure_scope){0});
		result = ask_figure(&source, "26");
		assert_int_equal(figure_rows(&result), 1);
		must_be(number_at(&result, 0, 2), 8 * k);
		must_be(number_at(&result, 0, 5), 0.45);
		for (int i = 0; i < 3; i++) {
			if (k > 1)
				must_be(number_at(&result, 0, 4 + i), before[i]);
			before[i] = number_at(&result, 0, 4 + i);
		}
		figure_result_release(&result);
		figure_source_close(&source);
	}
	must_be(before[0], 0.25);
	must_be(before[2], 0.65);
}

static void applications_are_ordered_by_median_or_core_hours(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(
		MAKE_TEXTS MAKE_JOBS
		"VALUES(1, 1, 'a', '', 1, 2, 1e12, 1e12, 1, 1, 1, 1, 4, 5e11, 0, 0, 0, 0, 1, 0, 0), "
		"(2, 1, 'b', '', 2, 3, 1e12, 1e12, 1, 1, 1, 1, 4, 1e11, 0, 0, 0, 0, 10, 0, 0)");
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "26");
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	figure_result_release(&result);
	result = ask_figure(&source, "28");
	assert_string_equal(text_at(&result, 0, 0), "beta");
	figure_result_release(&result);
	figure_source_close(&source);
}

static void figure_1_has_the_least_latency_of_each_run_and_size(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_ping_pong);
	open_index(&source, (struct figure_scope){.where = "nodes > 7"});
	result = ask_figure(&source, "figure 1");
	assert_int_equal(figure_rows(&result), 5);
	assert_string_equal(text_at(&result, 0, 0), "alone");
	must_be(number_at(&result, 0, 1), 1);
	must_be(number_at(&result, 0, 2), 480);
	assert_true(isnan(number_at(&result, 0, 3)));
	must_be(number_at(&result, 0, 4), 2);
	/* 60 of 480 ns, 30 of 1500 ns; of 4 MiB nothing was measured alone. */
	assert_string_equal(text_at(&result, 2, 0), "profiled");
	must_be(number_at(&result, 2, 3), 0.125);
	must_be(number_at(&result, 3, 3), 0.02);
	assert_true(isnan(number_at(&result, 4, 3)));
	figure_result_release(&result);
	figure_source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_of_the_paper_are_found),
		cmocka_unit_test(names_differ_and_sections_exist),
		cmocka_unit_test_teardown(point_masses_have_their_shares, index_remove),
		cmocka_unit_test_teardown(figure_1_has_the_least_latency_of_each_run_and_size,
					  index_remove),
		cmocka_unit_test_teardown(the_distribution_of_uniform_fractions_is_the_identity,
					  index_remove),
		cmocka_unit_test_teardown(quartiles_do_not_change_if_each_job_is_there_three_times,
					  index_remove),
		cmocka_unit_test_teardown(applications_are_ordered_by_median_or_core_hours,
					  index_remove),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
