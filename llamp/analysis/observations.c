#include "llamp/analysis/observations.h"

#include "common/input.h"
#include "common/text.h"
#include "llamp/analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE_BYTES = 256 };

/* Row of the file. */
struct row {
	int64_t value_as;
	double runtime_ns;
};

struct reader {
	const char *path;
	const struct variable *varied;
	char column[64]; /* name of the column of values */
	const char *at, *end;
	uint32_t line;
	char text[MOST_LINE_BYTES]; /* the line, cut into its two fields */
	const char *fields[2];
	int value_field; /* the field that is the value; the other is the runtime */
	ARRAY(struct row) rows;
};

static int wrong(const struct reader *reader, struct error *err, const char *what)
{
	return error_set(err, STATUS_DATA, "%s:%u: %s", reader->path, reader->line, what);
}

static int wrong_text(const struct reader *reader, struct error *err, const char *text,
		      const char *expected)
{
	char shown[MOST_LINE_BYTES];

	return error_set(err, STATUS_DATA, "%s:%u: '%s' is not %s", reader->path, reader->line,
			 text_show(text, shown, sizeof shown), expected);
}

/* Remove the spaces around a text. */
static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

/* Cut the next line that is not empty into fields.  Returns 1 at the end of the file. */
static int next_line(struct reader *reader, struct error *err)
{
	char *comma;

	do {
		const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
		const size_t length = (size_t)((end ? end : reader->end) - reader->at);

		if (reader->at == reader->end)
			return 1;
		reader->line++;
		if (length >= MOST_LINE_BYTES)
			return wrong(reader, err, "the line is too long");
		if (memchr(reader->at, '\0', length))
			return wrong(reader, err, "the line has a zero byte");
		memcpy(reader->text, reader->at, length);
		reader->text[length] = '\0';
		reader->at += length + (end != NULL);
	} while (!*trimmed(reader->text));
	comma = strchr(reader->text, ',');
	if (!comma || strchr(comma + 1, ','))
		return wrong_text(reader, err, trimmed(reader->text), "a line of two columns");
	*comma = '\0';
	reader->fields[0] = trimmed(reader->text);
	reader->fields[1] = trimmed(comma + 1);
	return 0;
}

/* Read the names of the columns, after the byte order mark that some programs write. */
static int read_columns(struct reader *reader, struct error *err)
{
	char expected[128];
	int result;

	if (reader->end - reader->at >= 3 && !memcmp(reader->at, "\xef\xbb\xbf", 3))
		reader->at += 3;
	/* Report the expected columns, not what is wrong with another line. */
	result = next_line(reader, err);
	for (int i = 0; i < 2 && result == 0; i++) {
		if (!strcmp(reader->fields[i], reader->column) &&
		    !strcmp(reader->fields[1 - i], "seconds")) {
			reader->value_field = i;
			return 0;
		}
	}
	snprintf(expected, sizeof expected, "the first line must be '%s,seconds'", reader->column);
	reader->line += result > 0;
	return wrong(reader, err, expected);
}

/* Read a decimal number of at least 0, without a unit. */
static int read_number(const struct reader *reader, const char *text, double *number,
		       struct error *err)
{
	struct error why;

	if (strspn(text, "0123456789.+-eE") != strlen(text) ||
	    parse_number(text, number, &why) < 0 || *number < 0)
		return wrong_text(reader, err, text, "a number of 0 or more");
	return 0;
}

static int read_row(struct reader *reader, struct error *err)
{
	const char *value = reader->fields[reader->value_field];
	const char *seconds = reader->fields[1 - reader->value_field];
	struct row row;
	struct error why;
	double number;

	TRY(read_number(reader, value, &number, err));
	if (variable_parse_value(reader->varied, value, &row.value_as, &why) < 0)
		return wrong(reader, err, why.text);
	TRY(read_number(reader, seconds, &number, err));
	row.runtime_ns = 1e9 * number;
	if (row.runtime_ns <= 0 || isinf(row.runtime_ns))
		return wrong_text(reader, err, seconds, "a runtime");
	if (reader->rows.count == OBSERVATIONS_MOST_ROWS)
		return error_set(err, STATUS_LIMIT, "%s:%u: more than %d rows", reader->path,
				 reader->line, OBSERVATIONS_MOST_ROWS);
	return array_push(&reader->rows, row, err);
}

static int rows_by_value(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->value_as > y->value_as) - (x->value_as < y->value_as);
}

/* Make a point of all rows of one value. */
static int add_points(struct observations *measured, const struct reader *reader, struct error *err)
{
	const struct row *rows = reader->rows.items;

	for (size_t i = 0; i < reader->rows.count; i++) {
		struct observation *point;

		if (i == 0 || rows[i].value_as != rows[i - 1].value_as)
			TRY(array_push(&measured->points,
				       ((struct observation){.value_as = rows[i].value_as,
							     .least_ns = INFINITY}),
				       err));
		point = &measured->points.items[measured->points.count - 1];
		point->runs++;
		point->mean_ns += (rows[i].runtime_ns - point->mean_ns) / point->runs;
		point->least_ns = fmin(point->least_ns, rows[i].runtime_ns);
		point->most_ns = fmax(point->most_ns, rows[i].runtime_ns);
	}
	return 0;
}

static int read_rows(struct observations *measured, struct reader *reader, struct error *err)
{
	int result;

	TRY(read_columns(reader, err));
	while ((result = next_line(reader, err)) == 0)
		TRY(read_row(reader, err));
	TRY(result);
	if (!reader->rows.count)
		return wrong(reader, err, "no row of two numbers follows");
	qsort(reader->rows.items, reader->rows.count, sizeof *reader->rows.items, rows_by_value);
	return add_points(measured, reader, err);
}

int observations_read(struct observations *measured, const char *path,
		      const struct variable *varied, struct error *err)
{
	struct reader reader = {.path = path, .varied = varied};
	struct input input;
	int result;

	*measured = (struct observations){0};
	snprintf(reader.column, sizeof reader.column, "%s_%s", varied->name,
		 varied->unit == UNIT_TIME_PER_BYTE ? "ns_per_byte" : "ns");
	TRY(input_open(&input, path, err));
	reader.at = (const char *)input.bytes;
	reader.end = reader.at + input.count;
	result = read_rows(measured, &reader, err);
	array_release(&reader.rows);
	input_release(&input);
	if (result < 0)
		observations_release(measured);
	return result;
}

/* -------------------------------------------------------------- comparison */

static void set_errors(struct observations *measured)
{
	const size_t count = measured->points.count;
	double squares = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct observation *point = &measured->points.items[i];
		const double off = point->modelled_ns - point->mean_ns;

		squares += off * off;
		sum += point->mean_ns;
	}
	measured->compared = true;
	measured->rmse_ns = sqrt(squares / (double)count);
	measured->rrmse = measured->rmse_ns / (sum / (double)count);
}

int observations_compare(struct observations *measured, const struct model *model, uint32_t varied,
			 struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, varied);
	const size_t count = measured->points.count;
	struct path_point *points = NULL;
	struct line *lines = NULL;
	int result;

	if (!count)
		return 0;
	result = allocate(&points, count, sizeof *points, err);
	if (result == 0)
		result = allocate(&lines, count, sizeof *lines, err);
	for (size_t i = 0; i < count && result == 0; i++)
		points[i] = (struct path_point){&direction,
						rational_from(measured->points.items[i].value_as),
						SIDE_RIGHT};
	if (result == 0)
		result = path_evaluate_all(&model->graph, points, count, lines, err);
	for (size_t i = 0; i < count && result == 0; i++)
		measured->points.items[i].modelled_ns = line_runtime_ns(&lines[i], points[i].at);
	free(points);
	free(lines);
	if (result == 0)
		set_errors(measured);
	return result;
}

void observations_release(struct observations *measured)
{
	array_release(&measured->points);
}
