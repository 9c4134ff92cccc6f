/*
 * Tables of text that fit the terminal.
 *
 *	static void row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
 *	{
 *		snprintf(cells[0], TABLE_CELL_BYTES, "%zu", number);
 *		...
 *	}
 *
 *	const struct table_column columns[] = {
 *		{"rank", TABLE_RIGHT, 0}, {"operation", TABLE_LEFT, 0},
 *	};
 *
 *	table_print(stdout, columns, 2, row_count, row, data);
 *
 * A column is as wide as its widest cell.  If all columns together are wider than
 * text_table_columns(), cells of left-aligned columns are wrapped.  If that does not suffice, the table is
 * printed in parts, each with the first column, and cells are wrapped only if a part needs it.
 */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_CELL_BYTES = 512, TABLE_MOST_COLUMNS = 32 };

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
	const char *heading;
	enum table_align align;
	int least;			/* minimum width */
};

/* Write the texts of a row.  Called twice for each row, in order, with all cells "". */
typedef void table_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES]);

/*
 * Print the table, with control characters shown.  The line of headings is left out if all
 * headings are NULL.
 */
void table_print(FILE *stream, const struct table_column *columns, int column_count,
		 size_t row_count, table_row *row, const void *data);

#endif
