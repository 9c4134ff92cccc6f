/* Rows in memory that SQL reads as those of a table. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/index/new_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

static struct error err;
static struct usage_db db;

static long number(const char *sql)
{
	sqlite3_stmt *statement;
	long value;

	MUST(usage_db_prepare(&db, &statement, sql, &err));
	assert_int_equal(usage_db_step(&db, statement, &err), 1);
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* A number and its square, which is NULL of 0. */
static void square(const void *of, size_t row, int column, sqlite3_context *value)
{
	const int n = ((const int *)of)[row];

	if (column == 0)
		sqlite3_result_int(value, n);
	else if (n)
		sqlite3_result_int(value, n * n);
}

static void rows_are_copied_in_their_order_and_may_change_between_statements(void **state)
{
	static const int first[] = {0, 3, 5}, second[] = {7};
	struct new_rows rows = {.column = square, .columns = 2};
	sqlite3_stmt *insert;

	(void)state;
	MUST(new_rows_offer(&db, "squares", &rows, &err));
	MUST(usage_db_run(&db, "CREATE TEMP TABLE copied(n PRIMARY KEY, square)", &err));
	MUST(usage_db_prepare(&db, &insert, "INSERT OR FAIL INTO copied SELECT * FROM squares",
			      &err));
	MUST(usage_db_step(&db, insert, &err));
	assert_int_equal(number("SELECT count(*) FROM copied"), 0);
	sqlite3_reset(insert);
	rows.of = first, rows.count = 3;
	MUST(usage_db_step(&db, insert, &err));
	sqlite3_reset(insert);
	rows.of = second, rows.count = 1;
	MUST(usage_db_step(&db, insert, &err));
	sqlite3_reset(insert);
	assert_int_equal(number("SELECT count(*) FROM copied"), 4);
	assert_int_equal(number("SELECT sum(square) FROM copied"), 9 + 25 + 49);
	assert_int_equal(number("SELECT square IS NULL FROM copied WHERE n = 0"), 1);
	assert_int_equal(number("SELECT rowid FROM copied WHERE n = 5"), 3);
	/* The same row once more. */
	assert_int_equal(usage_db_step(&db, insert, &err), -1);
	sqlite3_finalize(insert);
}

static int open_index(void **state)
{
	static char path[128];

	if (scratch_make(state))
		return -1;
	snprintf(path, sizeof path, "%s/usage.db", scratch);
	return usage_db_open(&db, path, USAGE_DB_WRITE, &err);
}

static int close_index(void **state)
{
	usage_db_close(&db);
	return scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			rows_are_copied_in_their_order_and_may_change_between_statements),
	};

	return cmocka_run_group_tests(tests, open_index, close_index);
}
