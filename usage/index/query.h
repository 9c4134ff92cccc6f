/* Answers of an index to questions in SQL. */
#ifndef USAGE_INDEX_QUERY_H
#define USAGE_INDEX_QUERY_H

#include "common/array.h"
#include "common/report/report.h"
#include "usage/index/database.h"

struct query_value {
	enum query_type { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT } type;
	sqlite3_int64 integer;
	double real;
	char *text; /* owned; of bytes that are no text their hexadecimal digits */
};

struct query_answer {
	struct report_field *fields; /* ends with {0} */
	uint32_t columns;
	size_t rows;
	ARRAY(struct query_value) values; /* row by row */
};

/*
 * Ask an index that is open for reading.  Errors of the SQL have its line and column.  Without
 * `rows` only the columns are found.  End with query_release, also after an error.
 *
 * A column of whole numbers from 0 on has the kind VALUE_COUNT, one of other numbers
 * VALUE_LONG_NUMBER, any other VALUE_NAME.  Columns of the same name get the numbers _2, _3, ...
 */
int query_ask(struct query_answer *answer, struct usage_db *db, const char *sql, bool rows,
	      struct error *err);
void query_release(struct query_answer *answer);

/* Write the answer.  STATUS_LIMIT if a text cannot have so many columns. */
int query_write(struct report *report, const struct query_answer *answer, struct error *err);

#endif
