/* Jobs and records that figures are about: coverage, sets of the filter, conditions. */
#include "test/unit/lib/make/make_index.h"
#include "test/unit/lib/scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static struct error err;
static struct figure_source source;

/* ------------------------------------------------------------------ coverage */

/* Records as in table I: so many of each set, with the paper's numbers of executables. */
#define RECORDS(first, count, programme, filter, normal, logs, executables, base)               \
	"INSERT INTO record_data(id, system, job, step, start_ns, executable, nodes, seconds, " \
	"core_hours, normal, in_programme, in_filter, logs, coverage) "                         \
	"SELECT " #first " + n, 1, n, '', " #first " + n, 100 + " #base " + n % " #executables  \
	", 1, 10, 1, " #normal ", " #programme ", " #filter ", " #logs                          \
	", 6 FROM (" MAKE_NUMBERS(count) "SELECT n FROM i);"

static void table_1_has_the_printed_numbers(void **state)
{
	static const struct {
		double jobs, share, executables;
	} wanted[] = {
		{682255, 1, 1450},    {505648, 0.741, 819}, {405100, 0.594, 110},
		{337942, 0.495, 105}, {67158, 0.098, 110},  {86490, 0.127, 64},
	};
	struct figure_result result;

	(void)state;
	make_index(MAKE_TEXTS RECORDS(0, 86490, 1, 1, 1, 1, 64, 0)
			   RECORDS(100000, 251452, 1, 1, 1, 0, 105, 0)
				   RECORDS(400000, 67158, 1, 1, 0, 0, 110, 0)
					   RECORDS(500000, 100548, 1, 0, 1, 0, 709, 110)
						   RECORDS(700000, 176607, 0, 0, 1, 0, 631, 819));
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "I");
	assert_int_equal(figure_rows(&result), 6);
	for (size_t i = 0; i < 6; i++) {
		must_be(number_at(&result, i, 1), wanted[i].jobs);
		assert_true(fabs(number_at(&result, i, 2) - wanted[i].share) < 0.0006);
		must_be(number_at(&result, i, 3), wanted[i].jobs);
		must_be(number_at(&result, i, 5), wanted[i].executables);
	}
	figure_result_release(&result);
	figure_source_close(&source);
}

static void sets_of_jobs_are_those_of_the_records(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_records);
	open_index(&source, (struct figure_scope){0});
	/* The log of the other programme is none of the filter. */
	assert_int_equal(source.jobs, 1);
	result = ask_figure(&source, "2");
	assert_int_equal(figure_rows(&result), 6);
	must_be(number_at(&result, 0, 1), 1);
	must_be(number_at(&result, 0, 2), 0.6);
	must_be(number_at(&result, 2, 1), 65536);
	must_be(number_at(&result, 3, 2), 0.25);
	must_be(number_at(&result, 5, 2), 1);
	figure_result_release(&result);
	result = ask_figure(&source, "4");
	must_be(number_at(&result, 0, 3), 0.6);
	must_be(number_at(&result, 1, 3), 0.7);
	must_be(number_at(&result, 2, 3), 1);
	must_be(number_at(&result, 3, 3), 0.25);
	must_be(number_at(&result, 5, 1), 100);
	figure_result_release(&result);
	result = ask_figure(&source, "coverage-reasons");
	assert_string_equal(text_at(&result, 0, 0), "no MPI");
	must_be(number_at(&result, 0, 3), 0.75);
	figure_result_release(&result);
	result = ask_figure(&source, "coverage-executables");
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	must_be(number_at(&result, 0, 2), 1);
	must_be(number_at(&result, 0, 4), 0.25);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* ----------------------------------------------------------------- condition */

static void a_condition_chooses_jobs_and_records(void **state)
{
	static const struct {
		const char *where;
		unsigned jobs, records;
	} cases[] = {
		{"nodes >= 512", 1, 2},
		{"nodes < 512", 0, 1},
		{"application = 'alpha'", 1, 2},
		{"ranks > 1", 1, 1},
		{"fraction = 0.5", 1, 2},
		{"seconds > 1000 OR 0", 0, 1},
		{"1 -- all", 1, 3},
		{"domain IS NULL", 1, 3},
		{"state IS NULL AND user IS NULL AND job = 'a'", 1, 1},
	};

	(void)state;
	make_index(made_records);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		open_index(&source, (struct figure_scope){.where = cases[i].where});
		if (source.jobs != cases[i].jobs || source.records != cases[i].records)
			fail_msg("%s", cases[i].where);
		figure_source_close(&source);
	}
}

static void a_condition_that_is_none_is_refused(void **state)
{
	static const char *const conditions[] = {
		"",
		"nodes >",
		"colour = 1",
		"1); DROP TABLE cells; SELECT (1",
		"1) LIMIT 5 OFFSET (0 ; --",
		"load_extension('x')",
		"))",
		"1; VACUUM",
	};

	(void)state;
	make_index(made_records);
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		const struct figure_scope scope = {.where = conditions[i]};

		if (figure_source_open(&source, made_index_path(), &scope, &err) == 0)
			fail_msg("%s", conditions[i]);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_non_null(strstr(err.text, "--where"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(table_1_has_the_printed_numbers, index_remove),
		cmocka_unit_test_teardown(sets_of_jobs_are_those_of_the_records, index_remove),
		cmocka_unit_test_teardown(a_condition_chooses_jobs_and_records, index_remove),
		cmocka_unit_test_teardown(a_condition_that_is_none_is_refused, index_remove),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
