#include "usage/index/new_rows.h"

#include <stdlib.h>

/* SQLite's view of the rows, and a place among them. */
struct rows_table {
	sqlite3_vtab base;
	const struct new_rows *rows;
};

struct rows_cursor {
	sqlite3_vtab_cursor base;
	size_t row;
};

static const struct new_rows *rows_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct rows_table *)cursor->pVtab)->rows;
}

static int declare(sqlite3 *handle, int columns)
{
	sqlite3_str *const sql = sqlite3_str_new(handle);
	char *text;
	int code;

	for (int i = 0; i < columns; i++)
		sqlite3_str_appendf(sql, "%sc%d", i ? ", " : "CREATE TABLE rows(", i);
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	code = text ? sqlite3_declare_vtab(handle, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	return code;
}

static int connect_rows(sqlite3 *handle, void *rows, int count, const char *const *words,
			sqlite3_vtab **made, char **error)
{
	struct rows_table *table;
	const int code = declare(handle, ((const struct new_rows *)rows)->columns);

	(void)count, (void)words, (void)error;
	if (code != SQLITE_OK)
		return code;
	table = calloc(1, sizeof *table);
	if (!table)
		return SQLITE_NOMEM;
	table->rows = rows;
	*made = &table->base;
	return SQLITE_OK;
}

static int disconnect_rows(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int plan_rows(sqlite3_vtab *table, sqlite3_index_info *plan)
{
	(void)table, (void)plan;
	return SQLITE_OK;
}

static int open_rows(sqlite3_vtab *table, sqlite3_vtab_cursor **opened)
{
	struct rows_cursor *const cursor = calloc(1, sizeof *cursor);

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*opened = &cursor->base;
	return SQLITE_OK;
}

static int close_rows(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int first_row(sqlite3_vtab_cursor *cursor, int plan, const char *text, int count,
		     sqlite3_value **values)
{
	(void)plan, (void)text, (void)count, (void)values;
	((struct rows_cursor *)cursor)->row = 0;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	((struct rows_cursor *)cursor)->row++;
	return SQLITE_OK;
}

static int is_behind_rows(sqlite3_vtab_cursor *cursor)
{
	return ((struct rows_cursor *)cursor)->row >= rows_of(cursor)->count;
}

static int read_column(sqlite3_vtab_cursor *cursor, sqlite3_context *value, int column)
{
	const struct new_rows *const rows = rows_of(cursor);

	rows->column(rows->of, ((struct rows_cursor *)cursor)->row, column, value);
	return SQLITE_OK;
}

static int read_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct rows_cursor *)cursor)->row;
	return SQLITE_OK;
}

/* Without xCreate the table is there without a CREATE statement. */
static const sqlite3_module rows_module = {
	.xConnect = connect_rows,
	.xBestIndex = plan_rows,
	.xDisconnect = disconnect_rows,
	.xOpen = open_rows,
	.xClose = close_rows,
	.xFilter = first_row,
	.xNext = next_row,
	.xEof = is_behind_rows,
	.xColumn = read_column,
	.xRowid = read_row_id,
};

int new_rows_offer(struct usage_db *db, const char *name, struct new_rows *rows, struct error *err)
{
	if (sqlite3_create_module(db->handle, name, &rows_module, rows) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}
