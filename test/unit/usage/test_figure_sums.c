/* Figures of an index that add up calls, times and bytes of jobs: known answers of two applications. */
#include "test/unit/lib/make/make_index.h"
#include "test/unit/lib/scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct figure_source source;

static void sums_are_of_the_average_rank_or_times_the_ranks(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "collective-calls");
	assert_int_equal(figure_rows(&result), 1);
	assert_string_equal(text_at(&result, 0, 1), "MPI_Allreduce");
	must_be(number_at(&result, 0, 2), 40);
	must_be(number_at(&result, 0, 3), 2);
	figure_result_release(&result);

	/* 30 h * 6e11 / 2e12 and 10 h * 1e11 / 1e12, of 30 h * 1e12 / 2e12 and the same. */
	result = ask_figure(&source, "9");
	must_be(number_at(&result, 0, 2), 10);
	must_be(number_at(&result, 0, 3), 10.0 / 16);
	figure_result_release(&result);
	result = ask_figure(&source, "13");
	must_be(number_at(&result, 0, 2), 640);
	must_be(number_at(&result, 0, 3), 16);
	figure_result_release(&result);
	figure_source_close(&source);

	open_index(&source, (struct figure_scope){.ranks = true});
	result = ask_figure(&source, "8");
	must_be(number_at(&result, 0, 2), 20 * 8 + 20 * 4);
	figure_result_release(&result);
	result = ask_figure(&source, "18");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "nonblocking");
	must_be(number_at(&result, 0, 2), 56);
	assert_string_equal(text_at(&result, 1, 0), "completion");
	must_be(number_at(&result, 1, 2), 24);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void time_of_local_functions_counts_if_it_is_asked_for(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "IV-A");
	must_be(number_at(&result, 0, 1), 16);
	must_be(number_at(&result, 0, 2), 16.0 / 40);
	figure_result_release(&result);
	result = ask_figure(&source, "30");
	for (size_t i = 0; i < figure_rows(&result); i++)
		assert_string_not_equal(text_at(&result, i, 1), "MPI_Comm_rank");
	figure_result_release(&result);
	figure_source_close(&source);

	open_index(&source, (struct figure_scope){.local = true});
	result = ask_figure(&source, "IV-A");
	must_be(number_at(&result, 0, 1), 16.6);
	figure_result_release(&result);
	result = ask_figure(&source, "30");
	assert_int_equal(figure_rows(&result), 5);
	assert_string_equal(text_at(&result, 3, 1), "MPI_Comm_rank");
	must_be(number_at(&result, 3, 2), 0.6 / 15.6);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void functions_of_an_application_add_up_to_its_time_in_mpi(void **state)
{
	struct figure_result whole, result;
	double hours = 0;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	whole = ask_figure(&source, "IV-A");
	result = ask_figure(&source, "30");
	for (size_t i = 0; i < figure_rows(&result); i++) {
		assert_string_not_equal(text_at(&result, i, 1), "MPI_Init");
		assert_string_not_equal(text_at(&result, i, 1), "MPI_Finalize");
		hours += number_at(&result, i, 3);
	}
	/* alpha has two threads: its core-hours in a function are by the runtime of both. */
	must_be(hours, number_at(&whole, 0, 1));
	figure_result_release(&result);
	figure_result_release(&whole);
	figure_source_close(&source);
}

static void parts_of_an_application_are_its_time(void **state)
{
	static const double wanted[] = {0.5, 0.2, 0.3, 0, 0.9, 0, 0.1, 0};
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "29");
	assert_int_equal(figure_rows(&result), 8);
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(text_at(&result, i, 0), i < 4 ? "alpha" : "beta");
		must_be(number_at(&result, i, 2), wanted[i]);
	}
	figure_result_release(&result);
	result = ask_figure(&source, "application-communication");
	must_be(number_at(&result, 0, 2), 0.4);
	must_be(number_at(&result, 1, 2), 0.6);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void jobs_with_both_forms_of_a_collective_are_in_its_curve_once(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "16");
	assert_int_equal(figure_rows(&result), 1);
	must_be(number_at(&result, 0, 1), 16);
	must_be(number_at(&result, 0, 2), 2);
	must_be(number_at(&result, 0, 5), 2);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void exact_sizes_see_what_the_mean_hides(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "message-sizes");
	assert_int_equal(figure_rows(&result), 4);
	/* The mean is small; both jobs have calls of 256 B or less; 180 of 200 calls are. */
	must_be(number_at(&result, 0, 1), 1);
	must_be(number_at(&result, 0, 3), 1);
	must_be(number_at(&result, 0, 4), 0.9);
	/* One of two jobs has calls above 512 KiB, which its mean does not tell. */
	must_be(number_at(&result, 2, 1), 0);
	must_be(number_at(&result, 2, 3), 0.5);
	must_be(number_at(&result, 2, 4), 0.1);
	assert_true(isnan(number_at(&result, 3, 1)));
	figure_result_release(&result);
	figure_source_close(&source);
}

static void calls_of_files_are_counted_as_in_the_paper(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "table A.3");
	assert_int_equal(figure_rows(&result), 12);
	must_be(number_at(&result, 0, 1), 0);
	must_be(number_at(&result, 2, 1), 5);
	must_be(number_at(&result, 3, 1), 3);
	must_be(number_at(&result, 9, 1), 6);
	must_be(number_at(&result, 9, 2), 1);
	assert_string_equal(text_at(&result, 11, 0), "MPI_File_set_atomicity");
	figure_result_release(&result);
	figure_source_close(&source);
}

static void thread_levels_and_ranks_per_node_have_their_shares(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "table A.1");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "single");
	must_be(number_at(&result, 0, 1), 0.5);
	must_be(number_at(&result, 0, 2), 0.25);
	must_be(number_at(&result, 1, 2), 0.75);
	figure_result_release(&result);
	result = ask_figure(&source, "table A.2");
	assert_int_equal(figure_rows(&result), 1);
	must_be(number_at(&result, 0, 0), 4);
	must_be(number_at(&result, 0, 1), 1);
	figure_result_release(&result);
	result = ask_figure(&source, "imbalance");
	must_be(number_at(&result, 1, 1), 0.5);
	figure_result_release(&result);
	figure_source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(sums_are_of_the_average_rank_or_times_the_ranks,
					  index_remove),
		cmocka_unit_test_teardown(time_of_local_functions_counts_if_it_is_asked_for,
					  index_remove),
		cmocka_unit_test_teardown(functions_of_an_application_add_up_to_its_time_in_mpi,
					  index_remove),
		cmocka_unit_test_teardown(parts_of_an_application_are_its_time, index_remove),
		cmocka_unit_test_teardown(
			jobs_with_both_forms_of_a_collective_are_in_its_curve_once, index_remove),
		cmocka_unit_test_teardown(exact_sizes_see_what_the_mean_hides, index_remove),
		cmocka_unit_test_teardown(calls_of_files_are_counted_as_in_the_paper, index_remove),
		cmocka_unit_test_teardown(thread_levels_and_ranks_per_node_have_their_shares,
					  index_remove),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
