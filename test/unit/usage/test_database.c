/* The index's database: its schema, who may write it, versions; forms of functions; packed numbers. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/index/database.h"
#include "usage/index/schema.h"
#include "usage/log/job_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct error err;

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", scratch, name);
	return path;
}

static long number(struct usage_db *db, const char *sql)
{
	sqlite3_stmt *statement;
	long value;

	assert_int_equal(usage_db_prepare(db, &statement, sql, &err), 0);
	assert_int_equal(usage_db_step(db, statement, &err), 1);
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

static struct usage_db opened(enum usage_db_mode mode)
{
	struct usage_db db = {0};

	if (usage_db_open(&db, path_of("usage.db"), mode, &err) < 0)
		fail_msg("%s", err.text);
	return db;
}

static void all_tables_and_views_can_be_read(void **state)
{
	struct usage_db db = opened(USAGE_DB_WRITE);
	sqlite3_stmt *names, *statement;
	int count = 0;

	(void)state;
	assert_int_equal(
		usage_db_prepare(&db, &names,
				 "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')",
				 &err),
		0);
	for (; usage_db_step(&db, names, &err) == 1; count++) {
		char sql[128];

		snprintf(sql, sizeof sql, "SELECT * FROM %s", sqlite3_column_text(names, 0));
		if (usage_db_prepare(&db, &statement, sql, &err) < 0)
			fail_msg("%s: %s", sql, err.text);
		assert_true(usage_db_step(&db, statement, &err) >= 0);
		sqlite3_finalize(statement);
	}
	sqlite3_finalize(names);
	assert_true(count > 15);
	assert_int_equal(number(&db, "SELECT count(*) FROM functions"), MPI_FUNCTION_COUNT + 1);
	usage_db_close(&db);
}

static void a_second_opening_keeps_what_is_there(void **state)
{
	struct usage_db db = opened(USAGE_DB_WRITE);

	(void)state;
	assert_int_equal(usage_db_run(&db, "INSERT INTO programmes VALUES('p', 'q')", &err), 0);
	usage_db_close(&db);
	db = opened(USAGE_DB_WRITE);
	assert_int_equal(number(&db, "SELECT count(*) FROM programmes"), 1);
	assert_int_equal(number(&db, "SELECT count(*) FROM functions"), MPI_FUNCTION_COUNT + 1);
	usage_db_close(&db);
}

static void a_reader_cannot_write(void **state)
{
	static const char *const statements[] = {
		"INSERT INTO programmes VALUES('a', 'b')",
		"DELETE FROM meta",
		"DROP TABLE cells",
		"CREATE TABLE t(x)",
		"CREATE TEMP TABLE t(x)",
		"PRAGMA query_only = 0",
		"PRAGMA writable_schema = 1",
		"ATTACH '/tmp/x' AS x",
		"VACUUM",
		"VACUUM INTO '/tmp/x'",
		"BEGIN IMMEDIATE",
		"REINDEX",
		"ANALYZE",
		"SELECT load_extension('x')",
		"UPDATE meta SET value = '' RETURNING value",
	};
	struct usage_db db = opened(USAGE_DB_WRITE);

	(void)state;
	usage_db_close(&db);
	db = opened(USAGE_DB_READ);
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
		if (usage_db_run(&db, statements[i], &err) == 0)
			fail_msg("%s", statements[i]);
	assert_int_equal(number(&db, "SELECT count(*) FROM functions"), MPI_FUNCTION_COUNT + 1);
	usage_db_close(&db);
}

static void must_be_refused(const char *name, enum usage_db_mode mode, const char *part)
{
	struct usage_db db = {0};

	assert_int_equal(usage_db_open(&db, path_of(name), mode, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
	assert_null(db.handle);
}

static void other_files_are_refused(void **state)
{
	struct usage_db db = opened(USAGE_DB_WRITE);
	sqlite3 *other;
	FILE *text;

	(void)state;
	assert_int_equal(
		usage_db_run(&db, "UPDATE meta SET value = 'llamp-usage 9' WHERE key = 'schema'",
			     &err),
		0);
	usage_db_close(&db);
	must_be_refused("usage.db", USAGE_DB_READ, "llamp-usage 9");
	must_be_refused("usage.db", USAGE_DB_WRITE, "llamp-usage 9");

	assert_int_equal(sqlite3_open(path_of("other.db"), &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	must_be_refused("other.db", USAGE_DB_READ, "no index");
	must_be_refused("other.db", USAGE_DB_WRITE, "no index");

	text = fopen(path_of("text.db"), "w");
	assert_non_null(text);
	for (int i = 0; i < 1000; i++)
		fputs("no database\n", text);
	fclose(text);
	must_be_refused("text.db", USAGE_DB_WRITE, "no index");
	must_be_refused("none.db", USAGE_DB_READ, "No such file");
	must_be_refused(".", USAGE_DB_WRITE, "no regular file");
}

/* Version 3 lacks the table ping_pong only. */
static void an_index_of_version_3_is_read_and_brought_to_version_4(void **state)
{
	struct usage_db db = opened(USAGE_DB_WRITE);

	(void)state;
	assert_int_equal(
		usage_db_run(&db,
			     "DROP TABLE ping_pong; INSERT INTO programmes VALUES('p', 'q'); "
			     "UPDATE meta SET value = 'llamp-usage 3' WHERE key = 'schema'",
			     &err),
		0);
	usage_db_close(&db);

	db = opened(USAGE_DB_READ);
	assert_int_equal(number(&db, "SELECT count(latency_ns) FROM ping_pong"), 0);
	assert_int_equal(number(&db, "SELECT count(*) FROM programmes"), 1);
	assert_int_equal(number(&db,
				"SELECT value = 'llamp-usage 3' FROM meta WHERE key = 'schema'"),
			 1);
	assert_int_equal(usage_db_run(&db, "INSERT INTO ping_pong VALUES('alone', 1, 2)", &err),
			 -1);
	usage_db_close(&db);

	for (int i = 0; i < 2; i++) {
		db = opened(USAGE_DB_WRITE);
		assert_int_equal(number(&db, "SELECT count(*) FROM programmes"), 1);
		assert_int_equal(number(&db, "SELECT count(*) FROM ping_pong"), i);
		assert_int_equal(usage_db_run(&db, "INSERT INTO ping_pong VALUES('alone', 1, 2)",
					      &err),
				 0);
		usage_db_close(&db);
	}
	db = opened(USAGE_DB_READ);
	assert_int_equal(number(&db,
				"SELECT value = '" USAGE_SCHEMA "' FROM meta WHERE key = 'schema'"),
			 1);
	assert_int_equal(number(&db, "SELECT sum(latency_ns) FROM main.ping_pong"), 4);
	assert_int_equal(
		number(&db,
		       "SELECT sql LIKE '%ping_pong(run TEXT NOT NULL, bytes INTEGER NOT NULL, "
		       "latency_ns REAL NOT NULL)' FROM sqlite_master WHERE name = 'ping_pong'"),
		1);
	usage_db_close(&db);
}

/* ------------------------------------------------------------------ functions */

static const char *form(const char *name)
{
	const char *const form = usage_function_form(mpi_function_find(name));

	return form ? form : "none";
}

static const char *mode(const char *name)
{
	const char *const mode = usage_function_mode(mpi_function_find(name));

	return mode ? mode : "none";
}

static void functions_have_their_forms(void **state)
{
	(void)state;
	assert_string_equal(form("MPI_Send"), "blocking");
	assert_string_equal(form("MPI_Isend_c"), "nonblocking");
	assert_string_equal(form("MPI_Send_init"), "persistent");
	assert_string_equal(form("MPI_Startall"), "persistent");
	assert_string_equal(form("MPI_Waitall"), "none");
	assert_string_equal(form("MPI_Cancel"), "none");
	assert_string_equal(form("MPI_Init"), "none");
	assert_string_equal(form("MPI_Allreduce"), "scalar");
	assert_string_equal(form("MPI_Reduce_scatter"), "scalar");
	assert_string_equal(form("MPI_Alltoallv"), "vector");
	assert_string_equal(form("MPI_Ialltoallw_c"), "vector");
	assert_string_equal(form("MPI_Gatherv_init_c"), "vector");
	assert_string_equal(form("MPI_Ineighbor_alltoallv"), "neighbour");
	assert_string_equal(mode("MPI_Ineighbor_alltoallv"), "nonblocking");
	assert_string_equal(mode("MPI_Neighbor_allgather_init"), "persistent");
	assert_string_equal(mode("MPI_Bcast"), "blocking");
	assert_string_equal(mode("MPI_Put"), "none");
}

/* --------------------------------------------------------------- packed numbers */

static void bins_come_back_as_they_were(void **state)
{
	static const uint64_t all[][USAGE_TIME_BINS] = {
		{0},
		{1},
		{0, 0, 0, 0, 0, 0, 0, 1},
		{127, 128, 16383, 16384, 0, UINT32_MAX},
		{UINT64_MAX / 8, UINT64_MAX / 8, UINT64_MAX / 8, UINT64_MAX / 8, UINT64_MAX / 8,
		 UINT64_MAX / 8, UINT64_MAX / 8, UINT64_MAX / 8},
	};
	uint8_t bytes[PACKED_BINS];
	uint64_t bins[USAGE_TIME_BINS];

	(void)state;
	/* All calls have a time, or some have none. */
	for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++) {
		uint64_t calls = i % 2;
		int count;

		for (int j = 0; j < USAGE_TIME_BINS; j++)
			calls += all[i / 2][j];
		count = packed_bins(all[i / 2], calls, bytes);
		assert_true(count <= PACKED_BINS);
		assert_int_equal(unpack_bins(bins, calls, bytes, count), 0);
		assert_memory_equal(bins, all[i / 2], sizeof bins);
	}
	/* Of calls in one bin there is only the mask, 7 bits in a byte. */
	assert_int_equal(packed_bins(all[2], 1, bytes), 2);
}

static void damaged_bins_are_refused(void **state)
{
	static const uint8_t too_few[] = {7, 1}, no_mask[] = {0, 1}, not_ended[] = {1, 0x80};
	uint8_t bytes[PACKED_BINS];
	uint64_t bins[USAGE_TIME_BINS];

	(void)state;
	memset(bytes, 0xff, sizeof bytes);
	assert_int_equal(unpack_bins(bins, 9, bytes, 5), -1);
	assert_int_equal(unpack_bins(bins, 9, bytes, sizeof bytes), -1);
	memset(bytes, 1, sizeof bytes);
	assert_int_equal(unpack_bins(bins, 9, bytes, USAGE_TIME_BINS + 2), -1);
	assert_int_equal(unpack_bins(bins, 9, too_few, sizeof too_few), -1);
	assert_int_equal(unpack_bins(bins, 9, no_mask, sizeof no_mask), -1);
	assert_int_equal(unpack_bins(bins, 9, not_ended, sizeof not_ended), -1);
}

static void quantiles_come_back_as_they_were(void **state)
{
	uint64_t all[3][JOB_QUANTILES] = {{0}}, quantiles[JOB_QUANTILES];
	uint8_t bytes[PACKED_QUANTILES + 1];

	(void)state;
	for (uint64_t i = 0; i < JOB_QUANTILES; i++) {
		all[1][i] = UINT64_C(1000000000000) + i * i;
		/* A log may say anything. */
		all[2][i] = i % 2 ? UINT64_MAX - i : i;
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const int count = packed_quantiles(all[i], bytes);

		assert_true(count <= PACKED_QUANTILES);
		assert_int_equal(unpack_quantiles(quantiles, bytes, count), 0);
		assert_memory_equal(quantiles, all[i], sizeof quantiles);
	}
	memset(bytes, 1, sizeof bytes);
	assert_int_equal(unpack_quantiles(quantiles, bytes, JOB_QUANTILES + 1), -1);
}

static void packed_numbers_are_lists_in_sql(void **state)
{
	static const char *const cases[][2] = {
		{"SELECT quantiles(x'0501')", "[5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6]"},
		{"SELECT bins(x'0502', 9)", "[2,0,7,0,0,0,0,0]"},
		{"SELECT ifnull(bins(NULL, 1), 'none')", "none"},
	};
	struct usage_db db = {0};

	(void)state;
	MUST(usage_db_open(&db, path_of("usage.db"), USAGE_DB_WRITE, &err));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sqlite3_stmt *row;

		MUST(usage_db_prepare(&db, &row, cases[i][0], &err));
		assert_int_equal(usage_db_step(&db, row, &err), 1);
		assert_string_equal((const char *)sqlite3_column_text(row, 0), cases[i][1]);
		sqlite3_finalize(row);
	}
	assert_int_equal(usage_db_run(&db, "SELECT quantiles(x'80')", &err), -1);
	assert_int_equal(usage_db_run(&db, "SELECT bins(x'80', 1)", &err), -1);
	usage_db_close(&db);
}

static int empty(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(all_tables_and_views_can_be_read, empty),
		cmocka_unit_test_teardown(a_second_opening_keeps_what_is_there, empty),
		cmocka_unit_test_teardown(a_reader_cannot_write, empty),
		cmocka_unit_test_teardown(other_files_are_refused, empty),
		cmocka_unit_test_teardown(an_index_of_version_3_is_read_and_brought_to_version_4,
					  empty),
		cmocka_unit_test(functions_have_their_forms),
		cmocka_unit_test(bins_come_back_as_they_were),
		cmocka_unit_test(damaged_bins_are_refused),
		cmocka_unit_test(quantiles_come_back_as_they_were),
		cmocka_unit_test_teardown(packed_numbers_are_lists_in_sql, empty),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
