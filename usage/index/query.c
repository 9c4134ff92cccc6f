#include "usage/index/query.h"

#include <inttypes.h>
#include <string.h>

void query_release(struct query_answer *answer)
{
	for (size_t i = 0; i < answer->values.count; i++)
		free(answer->values.items[i].text);
	array_release(&answer->values);
	for (uint32_t i = 0; answer->fields && i < answer->columns; i++)
		free((char *)answer->fields[i].key);
	free(answer->fields);
}

/* --------------------------------------------------------------------- errors */

/*
 * Where in the SQL an error is, or -1.  SQLite does not tell the place of a table that is not
 * there.
 */
static int error_offset(struct usage_db *db, const char *sql)
{
	static const char table[] = "no such table: ";
	const char *const text = sqlite3_errmsg(db->handle);
	const char *const name = strncmp(text, table, sizeof table - 1)
					 ? NULL
					 : strstr(sql, text + sizeof table - 1);

	return name ? (int)(name - sql) : sqlite3_error_offset(db->handle);
}

/* Fill `err` with the error of the database, and its place in the SQL if it has one. */
static int sql_error(struct usage_db *db, const char *sql, struct error *err)
{
	const int offset = error_offset(db, sql);
	int line = 1, column = 1;

	if (sqlite3_errcode(db->handle) == SQLITE_AUTH)
		return error_set(err, STATUS_DATA,
				 "an index can only be asked; this would change it: %s", sql);
	if (sqlite3_errcode(db->handle) != SQLITE_ERROR)
		return usage_db_error(db, err);
	if (offset < 0)
		return error_set(err, STATUS_DATA, "SQL: %s", sqlite3_errmsg(db->handle));
	for (int i = 0; i < offset && sql[i]; i++) {
		column = sql[i] == '\n' ? 1 : column + 1;
		line += sql[i] == '\n';
	}
	return error_set(err, STATUS_DATA, "SQL, line %d, column %d: %s", line, column,
			 sqlite3_errmsg(db->handle));
}

static int prepare_question(struct usage_db *db, const char *sql, sqlite3_stmt **statement,
			    struct error *err)
{
	const char *rest;

	if (sqlite3_prepare_v2(db->handle, sql, -1, statement, &rest) != SQLITE_OK)
		return sql_error(db, sql, err);
	if (!*statement)
		return error_set(err, STATUS_DATA, "SQL: there is no statement");
	rest += strspn(rest, " \t\r\n;");
	if (!*rest && sqlite3_column_count(*statement) > 0)
		return 0;
	sqlite3_finalize(*statement);
	*statement = NULL;
	return error_set(err, STATUS_DATA,
			 *rest ? "SQL: only one statement can be asked, and '%.40s' follows"
			       : "SQL: the statement has no rows%s",
			 rest);
}

/* -------------------------------------------------------------------- reading */

/* Name of a column, with a number if columns before it have the same. */
static char *column_name(const struct query_answer *answer, uint32_t column, const char *name)
{
	unsigned number = 1;
	char *unique = NULL;

	for (uint32_t i = 0; i < column; i++) {
		char other[256];

		if (number == 1)
			snprintf(other, sizeof other, "%s", name);
		else
			snprintf(other, sizeof other, "%s_%u", name, number);
		if (strcmp(answer->fields[i].key, other))
			continue;
		number++;
		i = UINT32_MAX; /* from the first one again */
	}
	if (number == 1)
		return strdup(name);
	return asprintf(&unique, "%s_%u", name, number) < 0 ? NULL : unique;
}

static int read_columns(struct query_answer *answer, sqlite3_stmt *statement, struct error *err)
{
	const uint32_t columns = (uint32_t)sqlite3_column_count(statement);

	TRY(allocate(&answer->fields, columns + 1, sizeof *answer->fields, err));
	for (; answer->columns < columns; answer->columns++) {
		struct report_field *const field = &answer->fields[answer->columns];
		const char *const name = sqlite3_column_name(statement, (int)answer->columns);

		field->key = name ? column_name(answer, answer->columns, name) : NULL;
		if (!field->key)
			return error_set_memory(err, columns);
		field->heading = field->key;
		field->kind = VALUE_COUNT;
		field->flags = FIELD_NULL;
	}
	return 0;
}

static char *hexadecimal(const uint8_t *bytes, size_t count)
{
	char *const text = malloc(2 * count + 1);

	for (size_t i = 0; text && i < count; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	if (text)
		text[2 * count] = '\0';
	return text;
}

static int read_answer(struct query_value *value, sqlite3_stmt *statement, int column,
		      struct error *err)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		value->type = QUERY_NULL;
		return 0;
	case SQLITE_INTEGER:
		value->type = QUERY_INTEGER;
		value->integer = sqlite3_column_int64(statement, column);
		return 0;
	case SQLITE_FLOAT:
		value->type = QUERY_REAL;
		value->real = sqlite3_column_double(statement, column);
		return 0;
	case SQLITE_BLOB:
		value->text = hexadecimal(sqlite3_column_blob(statement, column),
					  (size_t)sqlite3_column_bytes(statement, column));
		break;
	default:
		value->text = strdup((const char *)sqlite3_column_text(statement, column));
		break;
	}
	value->type = QUERY_TEXT;
	return value->text ? 0 : error_set_memory(err, 1);
}

/* A column has the most general kind of its values. */
static void widen(struct report_field *field, const struct query_value *value)
{
	if (value->type == QUERY_TEXT)
		field->kind = VALUE_NAME;
	else if (field->kind == VALUE_COUNT &&
		 (value->type == QUERY_REAL ||
		  (value->type == QUERY_INTEGER && value->integer < 0)))
		field->kind = VALUE_LONG_NUMBER;
	if (value->type == QUERY_INTEGER && value->integer < 0)
		field->flags |= FIELD_SIGNED;
	if (value->type == QUERY_REAL && value->real < 0)
		field->flags |= FIELD_SIGNED;
}

static int read_rows(struct query_answer *answer, struct usage_db *db, sqlite3_stmt *statement,
		     const char *sql, struct error *err)
{
	int status;

	while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
		TRY(array_reserve(&answer->values, answer->columns, err));
		for (uint32_t i = 0; i < answer->columns; i++) {
			struct query_value *const value =
				&answer->values.items[answer->values.count];

			memset(value, 0, sizeof *value);
			TRY(read_answer(value, statement, (int)i, err));
			answer->values.count++;
			widen(&answer->fields[i], value);
		}
		answer->rows++;
	}
	return status == SQLITE_DONE ? 0 : sql_error(db, sql, err);
}

int query_ask(struct query_answer *answer, struct usage_db *db, const char *sql, bool rows,
	      struct error *err)
{
	sqlite3_stmt *statement;
	int result;

	*answer = (struct query_answer){0};
	TRY(prepare_question(db, sql, &statement, err));
	result = read_columns(answer, statement, err);
	for (uint32_t i = 0; i < answer->columns && !rows; i++)
		answer->fields[i].kind = VALUE_ANY;
	if (result == 0 && rows)
		result = read_rows(answer, db, statement, sql, err);
	sqlite3_finalize(statement);
	return result;
}

/* -------------------------------------------------------------------- writing */

static void put_value(struct report_row *row, const struct report_field *field,
		      const struct query_value *value)
{
	char text[32];

	if (value->type == QUERY_NULL) {
		put_none(row);
	} else if (field->kind == VALUE_COUNT) {
		put_count(row, (uint64_t)value->integer);
	} else if (field->kind == VALUE_LONG_NUMBER) {
		put_number(row, value->type == QUERY_REAL ? value->real : (double)value->integer);
	} else if (value->type == QUERY_TEXT) {
		put_name(row, value->text);
	} else {
		if (value->type == QUERY_INTEGER)
			snprintf(text, sizeof text, "%" PRId64, (int64_t)value->integer);
		else
			snprintf(text, sizeof text, "%.15g", value->real);
		put_name(row, text);
	}
}

static void answer_row(struct report_row *row, const void *data, size_t number)
{
	const struct query_answer *const answer = data;
	const struct query_value *const values = answer->values.items + number * answer->columns;

	for (uint32_t i = 0; i < answer->columns; i++)
		put_value(row, &answer->fields[i], &values[i]);
}

int query_write(struct report *report, const struct query_answer *answer, struct error *err)
{
	if (report->format == REPORT_TEXT && answer->columns > TABLE_MOST_COLUMNS)
		return error_set(
			err, STATUS_LIMIT,
			"the answer has %u columns, and a text at most %d: choose some, or "
			"another --format",
			answer->columns, TABLE_MOST_COLUMNS);
	report_begin(report, "usage-query-1");
	report_table(report, &(struct report_table){
				     "rows",
				     .no_gap = true,
				     .fields = answer->fields,
				     .row = answer_row,
				     .data = answer,
				     .count = answer->rows,
			     });
	report_end(report);
	return 0;
}
