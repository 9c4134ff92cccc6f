/*
 * Rows that SQL reads from memory, as those of a table:
 *
 *	new_rows_offer(db, "new_cells", &rows, err);
 *	usage_db_prepare(db, &insert, "INSERT OR FAIL INTO cell_data SELECT * FROM new_cells", err);
 *	rows.of = ..., rows.count = ...;
 *	usage_db_step(db, insert, err);
 *
 * One statement for all rows of a job takes a third less than one for each.  OR FAIL saves SQLite
 * copying all pages that the statement changes, to undo it alone.
 */
#ifndef USAGE_INDEX_NEW_ROWS_H
#define USAGE_INDEX_NEW_ROWS_H

#include "usage/index/database.h"

#include <stddef.h>

struct new_rows {
	/* Set the value of a column by sqlite3_result_...; without a call it is NULL. */
	void (*column)(const void *of, size_t row, int column, sqlite3_context *value);
	int columns;
	const void *of; /* handed to column() */
	size_t count;
};

/* Offer rows under a name.  `rows` may change between statements, and must outlive those that name it. */
int new_rows_offer(struct usage_db *db, const char *name, struct new_rows *rows, struct error *err);

#endif
