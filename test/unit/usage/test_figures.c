/* Figures of an index: known answers of jobs that are put into its tables by SQL. */
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/figures/figure_page.h"
#include "usage/figures/figure_picture.h"
#include "usage/figures/figure_report.h"
#include "trace/call/mpi_functions.h"

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

/* ---------------------------------------------------------------------- index */

static const char *index_path(void)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/usage.db", scratch);
	return path;
}

/* Lets statements insert into the view of the cells. */
static const char put_cells[] =
	"CREATE TEMP TRIGGER put_cells INSTEAD OF INSERT ON main.cells BEGIN "
	"INSERT INTO cell_data(job, key, calls, bytes, moved, ns) VALUES(new.job, "
	"(new.function << 15) + (new.size_class << 8) + (new.comm_class << 3) + "
	"(new.place << 1) + new.failed, new.calls, new.bytes, new.moved, new.ns); END";

/* Make an index with what the statements insert. */
static void make_index(const char *sql)
{
	struct usage_db db = {0};

	remove(index_path());
	MUST(usage_db_open(&db, index_path(), USAGE_DB_WRITE, &err));
	MUST(usage_db_run(&db, put_cells, &err));
	MUST(usage_db_run(&db, "BEGIN", &err));
	if (usage_db_run(&db, sql, &err) < 0)
		fail_msg("%s", err.text);
	MUST(usage_db_run(&db, "COMMIT", &err));
	usage_db_close(&db);
}

static void open_with(struct figure_scope scope)
{
	if (figure_source_open(&source, index_path(), &scope, &err) < 0)
		fail_msg("%s", err.text);
}

static struct figure_result ask(const char *name)
{
	struct figure_result result;

	if (figure_ask(&result, figure_find(name, &err), &source, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}

static double number_at(const struct figure_result *result, size_t row, int column)
{
	assert_true(row < figure_rows(result));
	return figure_row(result, row)[column].number;
}

static const char *text_at(const struct figure_result *result, size_t row, int column)
{
	assert_true(row < figure_rows(result));
	return figure_row(result, row)[column].text;
}

static void must_be(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fmax(fabs(wanted), 1)))
		fail_msg("%.12g instead of %.12g", value, wanted);
}

/* Texts 1 to 9 are names, and n jobs have the runtime 1000 s, one node and the given time in MPI. */
#define TEXTS                                                                                   \
	"INSERT INTO texts(id, text) VALUES(1, ''), (2, 'alpha'), (3, 'beta'), (4, 'single'), " \
	"(5, 'multiple'), (6, 'log'), (7, 'no MPI'), (8, 'gamma');"
#define NUMBERS(n) \
	"WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < " #n ") "
#define JOB_COLUMNS                                                                               \
	"INSERT INTO job_data(id, system, job, step, start_ns, application, mpi_ns, process_ns, " \
	"ranks, nodes, ranks_per_node, threads, level_given, average_ns, local_ns, p2p_ns, "      \
	"completion_ns, collective_ns, core_hours, mean_ns, most_ns) "

/* ----------------------------------------------------------------------- names */

static void all_numbers_of_the_paper_are_found(void **state)
{
	static const char *const tables[][2] = {
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

/* --------------------------------------------------------------- distributions */

static void point_masses_have_their_shares(void **state)
{
	static const double wanted[][4] = {{0.1, 2, 0.4, 1}, {0.4, 2, 0.8, 0.6}, {0.9, 1, 1, 0.2}};
	struct figure_result result;

	(void)state;
	make_index(
		TEXTS JOB_COLUMNS
		"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, "
		"CASE WHEN n <= 2 THEN 1e11 WHEN n <= 4 THEN 4e11 ELSE 9e11 END, 0, 0, 0, 0, n, 0, "
		"0 FROM (" NUMBERS(5) "SELECT n FROM i)");
	open_with((struct figure_scope){0});
	result = ask("mpi-fraction");
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
	open_with((struct figure_scope){.core_hours = true});
	result = ask("6");
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
		TEXTS JOB_COLUMNS
		"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, (n - 0.5) / 2000 * 1e12, 0, 0, 0, 0, "
		"1, 0, 0 FROM (" NUMBERS(2000) "SELECT n FROM i ORDER BY n * 7919 % 2003)");
	open_with((struct figure_scope){0});
	result = ask("mpi-fraction");
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

/* --------------------------------------------------------------------- sums */

/*
 * Jobs of two applications: alpha has 1000 s on 2 threads, half in MPI; beta 1000 s, a tenth.  Both call
 * MPI_Allreduce and MPI_Allreduce_c 10 times each with 8 and 24 B, alpha MPI_Isend, MPI_Waitall, MPI_Comm_rank.
 */
#define CALL(name) "(SELECT id FROM functions WHERE name = 'MPI_" name "')"
static const char two_applications[] =
	TEXTS "INSERT INTO domains VALUES('alpha', 'chemistry');" JOB_COLUMNS
	      "VALUES(1, 1, 'a', '', 1, 2, 1e12, 1e12, 8, 2, 4, 2, 5, 1e12, 4e10, 1e11, 3e11, 6e11, 30, 5e11, "
	      "1e12), "
	      "(2, 1, 'b', '', 2, 3, 1e12, 1e12, 4, 1, 4, 1, 4, 1e11, 0, 0, 0, 1e11, 10, 1e11, 1e11);"
	      "INSERT INTO job_calls(job, function, calls, bytes, moved, ns) VALUES"
	      "(1, " CALL("Allreduce") ", 10, 80, 160, 2e11), (1, " CALL(
		      "Allreduce_c") ", 10, 240, 480, 4e11), "
				     "(1, " CALL("Isend") ", 7, 7000, 7000, 1e11), (1, " CALL(
					     "Waitall") ", 3, 0, 0, 3e11), "
							"(1, " CALL(
								"Comm_rank") ", 9, 0, 0, 4e10), "
									     "(2, " CALL("Allreduce") ", 10, 80, 160, 5e10), (2, " CALL(
										     "Allreduce_c") ", 10, 240, 480, 5e10);"
												    "INSERT INTO cells(job, function, size_class, comm_class, place, failed, calls, bytes, moved, ns) VALUES"
												    "(1, " CALL("Allreduce") ", 7, 4, 0, 0, 80, 640, 0, 0), (1, " CALL("Allreduce_c") ", 41, 4, 0, 0, 20, 1, "
																						      "0, 0), (2, " CALL(
																							      "Allreduce") ", 17, 4, 0, 0, 100, 25600, 0, 0), "
																									   "(2, " CALL("File_open") ", 0, 1, 0, 0, 3, 0, 0, 0), (2, " CALL("File_open") ", 0, 3, 0, 0, 5, 0, 0, 0), "
																																			"(2, " CALL(
																																				"File_write_at_all") ", 5, 3, 0, 0, 2, 0, 0, 0), (2, " CALL("File_write_all") ", 5, 3, 0, 0, 4, "
																																													      "0, 0, 0), (2, " CALL(
																																														      "File_set_atomicity") ", 0, 3, 0, 0, 1, 0, 0, 0), "
																																																	    "(2, " CALL(
																																																		    "File_write_all") ", 5, 3, 0, 1, 100, 0, 0, 0)";

static void sums_are_of_the_average_rank_or_times_the_ranks(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("collective-calls");
	assert_int_equal(figure_rows(&result), 1);
	assert_string_equal(text_at(&result, 0, 1), "MPI_Allreduce");
	must_be(number_at(&result, 0, 2), 40);
	must_be(number_at(&result, 0, 3), 2);
	figure_result_release(&result);

	/* 30 h * 6e11 / 2e12 and 10 h * 1e11 / 1e12, of 30 h * 1e12 / 2e12 and the same. */
	result = ask("9");
	must_be(number_at(&result, 0, 2), 10);
	must_be(number_at(&result, 0, 3), 10.0 / 16);
	figure_result_release(&result);
	result = ask("13");
	must_be(number_at(&result, 0, 2), 640);
	must_be(number_at(&result, 0, 3), 16);
	figure_result_release(&result);
	figure_source_close(&source);

	open_with((struct figure_scope){.ranks = true});
	result = ask("8");
	must_be(number_at(&result, 0, 2), 20 * 8 + 20 * 4);
	figure_result_release(&result);
	result = ask("18");
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
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("IV-A");
	must_be(number_at(&result, 0, 1), 16);
	must_be(number_at(&result, 0, 2), 16.0 / 40);
	figure_result_release(&result);
	result = ask("30");
	for (size_t i = 0; i < figure_rows(&result); i++)
		assert_string_not_equal(text_at(&result, i, 1), "MPI_Comm_rank");
	figure_result_release(&result);
	figure_source_close(&source);

	open_with((struct figure_scope){.local = true});
	result = ask("IV-A");
	must_be(number_at(&result, 0, 1), 16.6);
	figure_result_release(&result);
	result = ask("30");
	assert_int_equal(figure_rows(&result), 5);
	assert_string_equal(text_at(&result, 3, 1), "MPI_Comm_rank");
	must_be(number_at(&result, 3, 2), 0.6 / 15.6);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void parts_of_an_application_are_its_time(void **state)
{
	static const double wanted[] = {0.5, 0.2, 0.3, 0, 0.9, 0, 0.1, 0};
	struct figure_result result;

	(void)state;
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("29");
	assert_int_equal(figure_rows(&result), 8);
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(text_at(&result, i, 0), i < 4 ? "alpha" : "beta");
		must_be(number_at(&result, i, 2), wanted[i]);
	}
	figure_result_release(&result);
	result = ask("application-communication");
	must_be(number_at(&result, 0, 2), 0.4);
	must_be(number_at(&result, 1, 2), 0.6);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void jobs_with_both_forms_of_a_collective_are_in_its_curve_once(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("16");
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
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("message-sizes");
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
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("table A.3");
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
	make_index(two_applications);
	open_with((struct figure_scope){0});
	result = ask("table A.1");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "single");
	must_be(number_at(&result, 0, 1), 0.5);
	must_be(number_at(&result, 0, 2), 0.25);
	must_be(number_at(&result, 1, 2), 0.75);
	figure_result_release(&result);
	result = ask("table A.2");
	assert_int_equal(figure_rows(&result), 1);
	must_be(number_at(&result, 0, 0), 4);
	must_be(number_at(&result, 0, 1), 1);
	figure_result_release(&result);
	result = ask("imbalance");
	must_be(number_at(&result, 1, 1), 0.5);
	figure_result_release(&result);
	figure_source_close(&source);
}

static void tolerance_of_latency_is_that_of_the_exposure(void **state)
{
	struct usage_db db = {0};
	struct figure_result result;

	(void)state;
	make_index(two_applications);
	MUST(usage_db_open(&db, index_path(), USAGE_DB_WRITE, &err));
	MUST(usage_db_run(&db,
			  "INSERT INTO texts(id, text) VALUES(9, '/bin/gamma'); "
			  "UPDATE job_data SET program = 9 WHERE id = 1; "
			  "UPDATE job_data SET exposure = 100 - 40 * id",
			  &err));
	usage_db_close(&db);
	open_with((struct figure_scope){0});
	/* 1 % of 1000 s is 10 s. */
	result = ask("latency-tolerance");
	assert_int_equal(figure_rows(&result), 2);
	must_be(number_at(&result, 0, 1), 1e10 / 60);
	must_be(number_at(&result, 0, 3), 0.75);
	must_be(number_at(&result, 1, 1), 1e10 / 20);
	figure_result_release(&result);
	result = ask("latency-shares");
	assert_int_equal(figure_rows(&result), 5);
	must_be(number_at(&result, 4, 1), 0);
	figure_result_release(&result);
	result = ask("trace-next");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	assert_string_equal(text_at(&result, 0, 4),
			    "mpiexec -n 8 llamp-trace -o gamma.trace /bin/gamma");
	assert_null(text_at(&result, 1, 4));
	figure_result_release(&result);
	result = ask("latency-calibration");
	assert_int_equal(figure_rows(&result), 0);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* Add jobs that were traced to the index, and open it. */
static void open_traced(const char *rows)
{
	struct usage_db db = {0};
	char sql[200];

	make_index(two_applications);
	MUST(usage_db_open(&db, index_path(), USAGE_DB_WRITE, &err));
	MUST(usage_db_run(&db, "UPDATE job_data SET exposure = 100 - 40 * id", &err));
	snprintf(sql, sizeof sql, "INSERT INTO traced SELECT job || %s", rows);
	MUST(usage_db_run(&db, sql, &err));
	usage_db_close(&db);
	open_with((struct figure_scope){0});
}

/* The job of alpha has Lambda 60, and those of beta 20. */
static void estimates_are_multiplied_by_what_traces_say(void **state)
{
	struct figure_result result;

	(void)state;
	open_traced("'', 30 FROM job_data WHERE id = 1");
	result = ask("latency-calibration");
	assert_int_equal(figure_rows(&result), 2);
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	must_be(number_at(&result, 0, 1), 0.5);
	must_be(number_at(&result, 0, 4), 1);
	assert_string_equal(text_at(&result, 1, 0), "(all)");
	must_be(number_at(&result, 1, 1), 0.5);
	figure_result_release(&result);
	/* The traced one has what its trace says, the other one half of its estimate. */
	result = ask("latency-tolerance");
	must_be(number_at(&result, 0, 1), 1e10 / 30);
	must_be(number_at(&result, 1, 1), 1e10 / 10);
	figure_result_release(&result);
	result = ask("trace-next");
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
	result = ask("latency-calibration");
	assert_int_equal(figure_rows(&result), 0);
	figure_result_release(&result);
	figure_source_close(&source);
	open_traced("'.' || step, 120 FROM job_data WHERE id = 1");
	result = ask("latency-calibration");
	must_be(number_at(&result, 0, 1), 2);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* --------------------------------------------------------------------- network */

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

/* Least times of L 3000, o 500, G 1/2 and S 1024; job 2 is slower, and its sizes that are no powers of two say nothing. */
static void put_network(struct usage_db *db)
{
	sqlite3_stmt *insert;

	MUST(usage_db_prepare(db, &insert,
			      "INSERT INTO cell_data(job, key, calls, bytes, ns, least_ns) "
			      "VALUES(?, ?, 10, 0, 0, ?)",
			      &err));
	for (int power = 3; power <= 20; power++) {
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

static void parameters_of_the_network_are_those_of_the_least_times(void **state)
{
	struct usage_db db = {0};
	struct figure_result result;

	(void)state;
	make_index(two_applications);
	MUST(usage_db_open(&db, index_path(), USAGE_DB_WRITE, &err));
	put_network(&db);
	usage_db_close(&db);
	open_with((struct figure_scope){0});
	result = ask("least-times");
	assert_int_equal(figure_rows(&result), 36);
	assert_string_equal(text_at(&result, 0, 0), "same node");
	assert_string_equal(text_at(&result, 0, 1), "MPI_Send");
	assert_string_equal(text_at(&result, 18, 1), "MPI_Recv");
	must_be(number_at(&result, 0, 2), 8);
	must_be(number_at(&result, 0, 3), 500);
	must_be(number_at(&result, 0, 4), 20);
	must_be(number_at(&result, 0, 5), 2);
	figure_result_release(&result);
	result = ask("network-parameters");
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

/* ------------------------------------------------------------------- quartiles */

static void quartiles_do_not_change_if_each_job_is_there_three_times(void **state)
{
	double before[3] = {0};

	(void)state;
	for (int k = 1; k <= 3; k += 2) {
		struct figure_result result;
		char sql[1024];

		snprintf(
			sql, sizeof sql,
			TEXTS JOB_COLUMNS
			"SELECT n, 1, n, '', n, 2, 1e12, 2e12, 4, 1, 4, 1, 4, ((n - 1) / %d + 1) * 1e11, "
			"0, 0, 0, 0, 1, 0, 0 FROM (WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
			"FROM i WHERE n < %d) SELECT n FROM i)",
			k, 8 * k);
		make_index(sql);
		open_with((struct figure_scope){0});
		result = ask("26");
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
		TEXTS JOB_COLUMNS
		"VALUES(1, 1, 'a', '', 1, 2, 1e12, 1e12, 1, 1, 1, 1, 4, 5e11, 0, 0, 0, 0, 1, 0, 0), "
		"(2, 1, 'b', '', 2, 3, 1e12, 1e12, 1, 1, 1, 1, 4, 1e11, 0, 0, 0, 0, 10, 0, 0)");
	open_with((struct figure_scope){0});
	result = ask("26");
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	figure_result_release(&result);
	result = ask("28");
	assert_string_equal(text_at(&result, 0, 0), "beta");
	figure_result_release(&result);
	figure_source_close(&source);
}

/* -------------------------------------------------------------------- coverage */

/* Records as in table I: so many of each set, with the paper's numbers of executables. */
#define RECORDS(first, count, programme, filter, normal, logs, executables, base)               \
	"INSERT INTO record_data(id, system, job, step, start_ns, executable, nodes, seconds, " \
	"core_hours, normal, in_programme, in_filter, logs, coverage) "                         \
	"SELECT " #first " + n, 1, n, '', " #first " + n, 100 + " #base " + n % " #executables  \
	", 1, 10, 1, " #normal ", " #programme ", " #filter ", " #logs                          \
	", 6 FROM (" NUMBERS(count) "SELECT n FROM i);"

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
	make_index(TEXTS RECORDS(0, 86490, 1, 1, 1, 1, 64, 0)
			   RECORDS(100000, 251452, 1, 1, 1, 0, 105, 0)
				   RECORDS(400000, 67158, 1, 1, 0, 0, 110, 0)
					   RECORDS(500000, 100548, 1, 0, 1, 0, 709, 110)
						   RECORDS(700000, 176607, 0, 0, 1, 0, 631, 819));
	open_with((struct figure_scope){0});
	result = ask("I");
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

/* Two records of the filter, of which one has a log, and one of another programme. */
static const char records[] = TEXTS
	"INSERT INTO record_data(id, system, job, step, start_ns, executable, nodes, seconds, core_hours, normal, "
	"in_programme, in_filter, logs, coverage) VALUES"
	"(1, 1, 'a', '', 1, 2, 512, 100, 10, 1, 1, 1, 1, 6), (2, 1, 'b', '', 2, 2, 48000, 5000, 30, 0, 1, 1, 0, 7), "
	"(3, 1, 'c', '', 3, 3, 1, 1, 60, 1, 0, 0, 1, 6);" JOB_COLUMNS
	"VALUES(1, 1, 'a', '', 1, 2, 1e11, 1e11, 8192, 512, 16, 1, 4, 5e10, 0, 0, 0, 0, NULL, 0, 0), "
	"(3, 1, 'c', '', 3, 3, 1e9, 1e9, 1, 1, 1, 1, 4, 5e8, 0, 0, 0, 0, NULL, 0, 0);"
	"UPDATE job_data SET record = id";

static void sets_of_jobs_are_those_of_the_records(void **state)
{
	struct figure_result result;

	(void)state;
	make_index(records);
	open_with((struct figure_scope){0});
	/* The log of the other programme is none of the filter. */
	assert_int_equal(source.jobs, 1);
	result = ask("2");
	assert_int_equal(figure_rows(&result), 6);
	must_be(number_at(&result, 0, 1), 1);
	must_be(number_at(&result, 0, 2), 0.6);
	must_be(number_at(&result, 2, 1), 65536);
	must_be(number_at(&result, 3, 2), 0.25);
	must_be(number_at(&result, 5, 2), 1);
	figure_result_release(&result);
	result = ask("4");
	must_be(number_at(&result, 0, 3), 0.6);
	must_be(number_at(&result, 1, 3), 0.7);
	must_be(number_at(&result, 2, 3), 1);
	must_be(number_at(&result, 3, 3), 0.25);
	must_be(number_at(&result, 5, 1), 100);
	figure_result_release(&result);
	result = ask("coverage-reasons");
	assert_string_equal(text_at(&result, 0, 0), "no MPI");
	must_be(number_at(&result, 0, 3), 0.75);
	figure_result_release(&result);
	result = ask("coverage-executables");
	assert_string_equal(text_at(&result, 0, 0), "alpha");
	must_be(number_at(&result, 0, 2), 1);
	must_be(number_at(&result, 0, 4), 0.25);
	figure_result_release(&result);
	figure_source_close(&source);
}

/* ------------------------------------------------------------------- condition */

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
	make_index(records);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		open_with((struct figure_scope){.where = cases[i].where});
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
	make_index(records);
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		const struct figure_scope scope = {.where = conditions[i]};

		if (figure_source_open(&source, index_path(), &scope, &err) == 0)
			fail_msg("%s", conditions[i]);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_non_null(strstr(err.text, "--where"));
	}
}

/* --------------------------------------------------------------------- outputs */

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
	static const char *const indexes[] = {"SELECT 1", TEXTS, two_applications, records};

	(void)state;
	for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
		struct figure_request request = {.sources = {&source, &source}, .source_count = 1};

		make_index(indexes[i]);
		open_with((struct figure_scope){0});
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
	make_index(two_applications);
	open_with((struct figure_scope){0});
	for (size_t i = 0; i < figure_count; i++) {
		struct figure_result result = ask(figures[i].name);
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

static int empty(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}

static int end(void **state)
{
	free(output);
	return scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_of_the_paper_are_found),
		cmocka_unit_test(names_differ_and_sections_exist),
		cmocka_unit_test_teardown(point_masses_have_their_shares, empty),
		cmocka_unit_test_teardown(the_distribution_of_uniform_fractions_is_the_identity,
					  empty),
		cmocka_unit_test_teardown(sums_are_of_the_average_rank_or_times_the_ranks, empty),
		cmocka_unit_test_teardown(time_of_local_functions_counts_if_it_is_asked_for, empty),
		cmocka_unit_test_teardown(parts_of_an_application_are_its_time, empty),
		cmocka_unit_test_teardown(
			jobs_with_both_forms_of_a_collective_are_in_its_curve_once, empty),
		cmocka_unit_test_teardown(exact_sizes_see_what_the_mean_hides, empty),
		cmocka_unit_test_teardown(calls_of_files_are_counted_as_in_the_paper, empty),
		cmocka_unit_test_teardown(thread_levels_and_ranks_per_node_have_their_shares,
					  empty),
		cmocka_unit_test_teardown(tolerance_of_latency_is_that_of_the_exposure, empty),
		cmocka_unit_test_teardown(parameters_of_the_network_are_those_of_the_least_times,
					  empty),
		cmocka_unit_test_teardown(estimates_are_multiplied_by_what_traces_say, empty),
		cmocka_unit_test_teardown(a_traced_step_counts_for_its_step_only, empty),
		cmocka_unit_test_teardown(quartiles_do_not_change_if_each_job_is_there_three_times,
					  empty),
		cmocka_unit_test_teardown(applications_are_ordered_by_median_or_core_hours, empty),
		cmocka_unit_test_teardown(table_1_has_the_printed_numbers, empty),
		cmocka_unit_test_teardown(sets_of_jobs_are_those_of_the_records, empty),
		cmocka_unit_test_teardown(a_condition_chooses_jobs_and_records, empty),
		cmocka_unit_test_teardown(a_condition_that_is_none_is_refused, empty),
		cmocka_unit_test_teardown(all_figures_of_any_index_are_written, empty),
		cmocka_unit_test_teardown(each_picture_has_its_labels_apart, empty),
	};

	return cmocka_run_group_tests(tests, scratch_make, end);
}
