#include "common/table.h"

#include "common/text.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { GAP = 2, LEAST_WRAPPED = 12 };

struct layout {
	FILE *stream;
	const struct table_column *columns;
	int count;
	int width[TABLE_MOST_COLUMNS];
	bool headings;
};

typedef char table_cells[TABLE_MOST_COLUMNS][TABLE_CELL_BYTES];

/* Cells of a row as they are shown. */
static void make_cells(const struct layout *layout, table_row *row, const void *data,
		       size_t number, table_cells cells)
{
	char shown[TABLE_CELL_BYTES];

	for (int i = 0; i < layout->count; i++)
		cells[i][0] = '\0';
	row(data, number, cells);
	for (int i = 0; i < layout->count; i++)
		memcpy(cells[i], text_show(cells[i], shown, sizeof shown), sizeof shown);
}

static int whole_width(const struct layout *layout)
{
	int width = -GAP;

	for (int i = 0; i < layout->count; i++)
		width += GAP + layout->width[i];
	return width;
}

/* Make the widest left-aligned columns narrower until the table fits.  Returns whether it does. */
static bool narrow_all(struct layout *layout, int most)
{
	for (int excess = whole_width(layout) - most; excess > 0; excess--) {
		int widest = -1;

		for (int i = 0; i < layout->count; i++)
			if (layout->columns[i].align == TABLE_LEFT &&
			    layout->width[i] > LEAST_WRAPPED &&
			    (widest < 0 || layout->width[i] > layout->width[widest]))
				widest = i;
		if (widest < 0)
			return false;
		layout->width[widest]--;
	}
	return true;
}

/* Wrap no more cells than necessary: those of a table in parts only if a part does not fit. */
static void narrow(struct layout *layout, int most)
{
	const struct layout whole = *layout;

	if (narrow_all(layout, most))
		return;
	for (int i = 1; i < layout->count; i++)
		if (whole.width[0] + GAP + whole.width[i] > most)
			return;
	*layout = whole;
}

/* Write the columns first ... end - 1, after column 0 if `first` is not 0.  Cells are wrapped. */
static void print_cells(const struct layout *layout, int first, int end,
			const char *rest[TABLE_MOST_COLUMNS])
{
	bool more;

	do {
		int owed = 0;	/* spaces before the next text */

		more = false;
		for (int i = first ? 0 : first; i < end; i = i == 0 && first ? first : i + 1) {
			const char *text = rest[i], *next = NULL;
			size_t bytes = 0;
			int width = 0, space;

			if (text) {
				bytes = text_line(text, layout->width[i], 1, &next);
				width = text_width(text) - text_width(text + bytes);
			}
			space = layout->width[i] - width;
			if (layout->columns[i].align == TABLE_RIGHT)
				owed += space;
			if (bytes) {
				fprintf(layout->stream, "%*s%.*s", owed, "", (int)bytes, text);
				owed = 0;
			} else {
				owed += width;
			}
			if (layout->columns[i].align == TABLE_LEFT)
				owed += space;
			owed += GAP;
			rest[i] = next;
			more |= next != NULL;
		}
		putc('\n', layout->stream);
	} while (more);
}

static void print_row(const struct layout *layout, int first, int end, table_cells cells)
{
	const char *rest[TABLE_MOST_COLUMNS];

	for (int i = 0; i < layout->count; i++)
		rest[i] = cells[i];
	print_cells(layout, first, end, rest);
}

static void print_headings(const struct layout *layout, int first, int end)
{
	const char *rest[TABLE_MOST_COLUMNS];

	for (int i = 0; i < layout->count; i++)
		rest[i] = layout->columns[i].heading;
	if (layout->headings)
		print_cells(layout, first, end, rest);
}

/* Find the end of the part of the table that begins with column `first`. */
static int part_end(const struct layout *layout, int first, int most)
{
	int width = layout->width[0] + (first ? GAP + layout->width[first] : 0);
	int end = first + 1;

	while (end < layout->count && width + GAP + layout->width[end] <= most)
		width += GAP + layout->width[end++];
	return end;
}

void table_print(FILE *stream, const struct table_column *columns, int column_count,
		 size_t row_count, table_row *row, const void *data)
{
	struct layout layout = {.stream = stream, .columns = columns, .count = column_count};
	const int most = text_table_columns(stream);
	table_cells cells;

	assert(column_count > 0 && column_count <= TABLE_MOST_COLUMNS);
	for (int i = 0; i < column_count; i++) {
		layout.width[i] = columns[i].heading ? text_width(columns[i].heading) : 0;
		if (layout.width[i] < columns[i].least)
			layout.width[i] = columns[i].least;
		layout.headings |= columns[i].heading != NULL;
	}
	for (size_t number = 0; number < row_count; number++) {
		make_cells(&layout, row, data, number, cells);
		for (int i = 0; i < column_count; i++) {
			const int width = text_width(cells[i]);

			if (width > layout.width[i])
				layout.width[i] = width;
		}
	}
	narrow(&layout, most);
	for (int first = 0, end; first < column_count; first = end) {
		end = part_end(&layout, first, most);
		if (first)
			putc('\n', stream);
		print_headings(&layout, first, end);
		for (size_t number = 0; number < row_count; number++) {
			make_cells(&layout, row, data, number, cells);
			print_row(&layout, first, end, cells);
		}
	}
}
