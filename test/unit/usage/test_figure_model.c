/* Figures of an index that the model answers: tolerance of latency, calibration by traces, parameters of the network. */
#include "test/unit/lib/make/make_index.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/cell.h"

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

/* ------------------------------------------------------------------- latency */

static void tolerance_of_latency_is_that_of_the_exposure(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	add_to_index("INSERT INTO texts(id, text) VALUES(9, '/bin/gamma'); "
		     "UPDATE job_data SET program = 9 WHERE id = 1; "
		     "UPDATE job_data SET exposure = 100 - 40 * id");
	open_index(&source, (struct figure_scope){0});
	/* 1 % of 1000 s is 10 s. */
	result = ask_figure(&source, "latency-tolerance");
	assert_int_equal(figure_rows(&result), 2);
	must_be(number_at(&result, 0, 1), 1e10 / 60);
	must_be(number_at(&result, 0, 3), 0.75);
	must_be(number_at(&result, 1, 1), 1e10 / 20);
	figure_result_release(&result);
	result = ask_figure(&source, "latency-shares");
	assert_int_equal(figure_rows(&result), 5);
	must_be(number_at(&result, 4, 1), 0);
	figure_result_release(&result);
	result = ask_figure(&source, "trace-next");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	assert_string_equal(text_at(&result, 0, 4),
			    "mpiexec -n 8 llamp-trace -o gamma.trace /bin/gamma");
	assert_null(text_at(&result, 1, 4));
	figure_result_release(&result);
	result = ask_figure(&source, "latency-calibration");
	assert_int_equal(figure_rows(&result), 0);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* Add jobs that were traced to the index, and open it. */
static void open_traced(const char *rows)
{
	char sql[200];

	make_index(made_applications);
	snprintf(
		sql, sizeof sql,
		"UPDATE job_data SET exposure = 100 - 40 * id; INSERT INTO traced SELECT job || %s",
		rows);
	add_to_index(sql);
	open_index(&source, (struct figure_scope){0});
}

/* The job of alpha has Lambda 60, and those of beta 20. */
static void estimates_are_multiplied_by_what_traces_say(void **state)
{
	struct figure_result result;

	(void)state;
	open_traced("'', 30 FROM job_data WHERE id = 1");
	result = ask_figure(&source, "latency-calibration");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	must_be(number_at(&result, 0, 1), 0.5);
	must_be(number_at(&result, 0, 4), 1);
	assert_string_equal(text_at(&result, 1, 0), "(all)");
	must_be(number_at(&result, 1, 1), 0.5);
	figure_result_release(&result);
	/* The traced one has what its trace says, the other one half of its estimate. */
	result = ask_figure(&source, "latency-tolerance");
	must_be(number_at(&result, 0, 1), 1e10 / 30);
	must_be(number_at(&result, 1, 1), 1e10 / 10);
	figure_result_release(&result);
	result = ask_figure(&source, "trace-next");
	assert_int_equal(figure_rows(&result), 1);
	assert_string_equal(text_at(&result, 0, 0), "beta");
	figure_result_release(&result);
	figure_source_close(&source);
}

static void logs_that_were_made_of_traces_are_not_to_be_traced(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(made_applications);
	add_to_index("UPDATE job_data SET exposure = 100 - 40 * id; "
		     "INSERT INTO texts(id, text) VALUES(9, 'trace'), (10, 'tsc'); "
		     "UPDATE job_data SET clock = 8 + id");
	open_index(&source, (struct figure_scope){0});
	result = ask_figure(&source, "trace-next");
	assert_int_equal(figure_rows(&result), 1);
	assert_string_equal(text_at(&result, 0, 0), "beta");
	figure_result_release(&result);
	figure_source_close(&source);
}

static void a_traced_step_counts_for_its_step_only(void **state)
{
	struct figure_result result;

	(void)state;
	open_traced("'.' || step || '7', 30 FROM job_data WHERE id = 1");
	result = ask_figure(&source, "latency-calibration");
	assert_int_equal(figure_rows(&result), 0);
	figure_result_release(&result);
	figure_source_close(&source);
	open_traced("'.' || step, 120 FROM job_data WHERE id = 1");
	result = ask_figure(&source, "latency-calibration");
	must_be(number_at(&result, 0, 1), 2);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* ------------------------------------------------------------------- network */

/* Put a cell of job 1 or 2, of sends (call 0) or receives, into the index that `insert` is for. */
static void put_time(sqlite3_stmt *insert, int job, int function, int size_class, double ns)
{
	sqlite3_reset(insert);
	sqlite3_bind_int(insert, 1, job);
	/* On a communicator of two ranks of one node. */
	sqlite3_bind_int(insert, 2, function << 15 | size_class << 8 | 2 << 3 | 1 << 1);
	sqlite3_bind_double(insert, 3, floor(ns));
	assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
}

/* Least times of sizes from 8 to 2^last: of L 3000, o 500, G 1/2 and S 1024; job 2 is slower, and its sizes that are no powers of two say nothing. */
static void put_network(struct usage_db *db, int last)
{
	sqlite3_stmt *insert;

	MUST(usage_db_prepare(db, &insert,
			      "INSERT INTO cell_data(job, key, calls, bytes, ns, least_ns) "
			      "VALUES(?, ?, 10, 0, 0, ?)",
			      &err));
	for (int power = 3; power <= last; power++) {
		const double B = ((1 << power) - 1) / 2.0;
		const double send = power <= 10 ? 500 : 1000 + 4 * 3000 + B;
		const double receive = power <= 10 ? 500 : 500 + 2 * 3000 + B;

		for (int job = 1; job <= 2; job++) {
			put_time(insert, job, CALL_Send, 1 + 2 * power, job * send);
			put_time(insert, job, CALL_Recv_c, 1 + 2 * power, job * receive);
			put_time(insert, job, CALL_Send, 2 + 2 * power, 1);
		}
	}
	sqlite3_finalize(insert);
}

/* Open an index with a network. */
static void open_network(int last)
{
	struct usage_db db = {0};

	make_index(made_applications);
	MUST(usage_db_open(&db, made_index_path(), USAGE_DB_WRITE, &err));
	put_network(&db, last);
	usage_db_close(&db);
	open_index(&source, (struct figure_scope){0});
}

static void a_network_of_which_nothing_is_known_has_no_row(void **state)
{
	struct figure_result result;

	(void)state;
	open_network(4);
	result = ask_figure(&source, "least-times");
	assert_int_equal(figure_rows(&result), 4);
	figure_result_release(&result);
	result = ask_figure(&source, "network-parameters");
	assert_int_equal(figure_rows(&result), 0);
	assert_non_null(strstr(figure_lack(result.figure), "three sizes"));
	figure_result_release(&result);
	figure_source_close(&source);
}

static void parameters_of_the_network_are_those_of_the_least_times(void **state)
{
	struct figure_result result;

	(void)state;
	open_network(20);
	result = ask_figure(&source, "least-times");
	assert_int_equal(figure_rows(&result), 36);
	assert_string_equal(text_at(&result, 0, 0), "same node");
	assert_string_equal(text_at(&result, 0, 1), "MPI_Send");
	assert_string_equal(text_at(&result, 18, 1), "MPI_Recv");
	must_be(number_at(&result, 0, 2), 8);
	must_be(number_at(&result, 0, 3), 500);
	must_be(number_at(&result, 0, 4), 20);
	must_be(number_at(&result, 0, 5), 2);
	figure_result_release(&result);
	result = ask_figure(&source, "network-parameters");
	assert_int_equal(figure_rows(&result), 1);
	/* The times are whole ns. */
	assert_true(fabs(number_at(&result, 0, 1) - 3000) < 1);
	assert_true(fabs(number_at(&result, 0, 4) - 500) < 1);
	assert_true(fabs(number_at(&result, 0, 5) - 0.5) < 1e-4);
	must_be(number_at(&result, 0, 6), 1024);
	must_be(number_at(&result, 0, 8), 36);
	figure_result_release(&result);
	figure_source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(tolerance_of_latency_is_that_of_the_exposure,
					  index_remove),
		cmocka_unit_test_teardown(estimates_are_multiplied_by_what_traces_say,
					  index_remove),
		cmocka_unit_test_teardown(logs_that_were_made_of_traces_are_not_to_be_traced,
					  index_remove),
		cmocka_unit_test_teardown(a_traced_step_counts_for_its_step_only, index_remove),
		cmocka_unit_test_teardown(a_network_of_which_nothing_is_known_has_no_row,
					  index_remove),
		cmocka_unit_test_teardown(parameters_of_the_network_are_those_of_the_least_times,
					  index_remove),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
