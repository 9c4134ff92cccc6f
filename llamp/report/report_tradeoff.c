#include "llamp/report/report_tradeoff.h"

#include "common/table.h"

#include <math.h>

static const char *const shapes[] = {
	[TRADEOFF_LINE] = "line",
	[TRADEOFF_ONLY_X] = "first only",
	[TRADEOFF_ONLY_Y] = "second only",
	[TRADEOFF_ALL] = "all",
};

static const struct variable *variable_at(const struct tradeoffs *tradeoffs, int axis)
{
	return &tradeoffs->model->loggps.variables.of[tradeoffs->variables[axis]];
}

/* Corner of all tradeoffs, and its tradeoff. */
static const struct tradeoff_corner *nth_corner(const struct tradeoffs *tradeoffs, size_t number,
						const struct tradeoff **of, size_t *place)
{
	const struct tradeoff *tradeoff = tradeoffs->items;

	while (number >= tradeoff->corners.count)
		number -= tradeoff++->corners.count;
	*of = tradeoff;
	*place = number;
	return &tradeoff->corners.items[number];
}

static size_t corner_count(const struct tradeoffs *tradeoffs)
{
	size_t count = 0;

	for (size_t i = 0; i < tradeoffs->count; i++)
		count += tradeoffs->items[i].corners.count;
	return count;
}

/* ------------------------------------------------------------------------ text */

static void corner_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct tradeoffs *tradeoffs = data;
	const struct tradeoff *of;
	size_t place;
	const struct tradeoff_corner *corner = nth_corner(tradeoffs, number, &of, &place);

	if (place == 0)
		snprintf(cells[0], TABLE_CELL_BYTES, "%g %%", of->percent);
	for (int axis = 0; axis < 2; axis++) {
		report_value(variable_at(tradeoffs, axis), corner->value_ns[axis],
			     cells[1 + axis]);
		if (!isnan(corner->lambda[axis]))
			report_number(corner->lambda[axis], cells[3 + axis]);
	}
}

static void print_shape(FILE *stream, const struct tradeoffs *tradeoffs,
			const struct tradeoff *tradeoff)
{
	const char *x = variable_at(tradeoffs, 0)->name, *y = variable_at(tradeoffs, 1)->name;

	if (tradeoff->shape == TRADEOFF_ALL)
		fprintf(stream, "\n%g %%: T does not depend on %s and %s\n", tradeoff->percent, x, y);
	else if (tradeoff->shape != TRADEOFF_LINE)
		fprintf(stream, "\n%g %%: T does not depend on %s\n", tradeoff->percent,
			tradeoff->shape == TRADEOFF_ONLY_X ? y : x);
}

static void tradeoffs_text(FILE *stream, const struct tradeoffs *tradeoffs)
{
	const struct variable *x = variable_at(tradeoffs, 0), *y = variable_at(tradeoffs, 1);
	const struct report_variable names[] = {report_variable(x), report_variable(y)};
	const struct table_column columns[] = {
		{"tolerance", TABLE_RIGHT, 9},	    {x->name, TABLE_RIGHT, 14},
		{y->name, TABLE_RIGHT, 16},	    {names[0].lambda, TABLE_RIGHT, 10},
		{names[1].lambda, TABLE_RIGHT, 10},
	};

	report_heading(stream, tradeoffs->model, tradeoffs->variables[0], NULL, ENGINE_PATH);
	if (corner_count(tradeoffs))
		table_print(stream, columns, 5, corner_count(tradeoffs), corner_row, tradeoffs);
	for (size_t i = 0; i < tradeoffs->count; i++)
		print_shape(stream, tradeoffs, &tradeoffs->items[i]);
}

/* ------------------------------------------------------------------------ JSON */

static void json_corners(struct json *json, const struct tradeoffs *tradeoffs,
			 const struct tradeoff *tradeoff)
{
	json_begin(json, "corners", '[', JSON_LINES);
	for (size_t i = 0; i < tradeoff->corners.count; i++) {
		const struct tradeoff_corner *corner = &tradeoff->corners.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		for (int axis = 0; axis < 2; axis++)
			json_number(json, report_variable(variable_at(tradeoffs, axis)).value,
				    corner->value_ns[axis]);
		for (int axis = 0; axis < 2; axis++)
			json_number(json, report_variable(variable_at(tradeoffs, axis)).lambda,
				    corner->lambda[axis]);
		json_end(json);
	}
	json_end(json);
}

static void tradeoffs_json(FILE *stream, const struct tradeoffs *tradeoffs)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-tradeoff-1", tradeoffs->model, ENGINE_PATH);
	json_begin(&json, "vary", '[', JSON_INLINE);
	for (int axis = 0; axis < 2; axis++)
		json_text(&json, NULL, variable_at(tradeoffs, axis)->name);
	json_end(&json);
	json_begin(&json, "tradeoffs", '[', JSON_LINES);
	for (size_t i = 0; i < tradeoffs->count; i++) {
		const struct tradeoff *tradeoff = &tradeoffs->items[i];

		json_begin(&json, NULL, '{', JSON_LINES);
		json_number(&json, "percent", tradeoff->percent);
		json_number(&json, "bound_ns", tradeoff->bound_ns);
		json_text(&json, "shape", shapes[tradeoff->shape]);
		json_corners(&json, tradeoffs, tradeoff);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

/* ------------------------------------------------------------------------- CSV */

static void csv_value(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", isnan(value) ? "" : number_text(value, text));
}

/* A line for each corner, in order: its two values belong together. */
static void tradeoffs_csv(FILE *stream, const struct tradeoffs *tradeoffs)
{
	report_csv_model_columns(stream, &tradeoffs->model->loggps.variables);
	fputs(",percent,corner,first,second,first_value,second_value,first_lambda,second_lambda\n",
	      stream);
	for (size_t number = 0; number < corner_count(tradeoffs); number++) {
		const struct tradeoff *of;
		size_t place;
		const struct tradeoff_corner *corner =
			nth_corner(tradeoffs, number, &of, &place);

		report_csv_model(stream, tradeoffs->model, ENGINE_PATH, 0, NULL);
		csv_value(stream, of->percent);
		fprintf(stream, ",%zu", place);
		for (int axis = 0; axis < 2; axis++)
			fprintf(stream, ",%s",
				report_variable(variable_at(tradeoffs, axis)).value);
		csv_value(stream, corner->value_ns[0]);
		csv_value(stream, corner->value_ns[1]);
		csv_value(stream, corner->lambda[0]);
		csv_value(stream, corner->lambda[1]);
		putc('\n', stream);
	}
}

void report_tradeoffs(FILE *stream, enum report_format format, const struct tradeoffs *tradeoffs)
{
	switch (format) {
	case REPORT_TEXT:
		tradeoffs_text(stream, tradeoffs);
		break;
	case REPORT_JSON:
		tradeoffs_json(stream, tradeoffs);
		break;
	case REPORT_CSV:
		tradeoffs_csv(stream, tradeoffs);
		break;
	}
}
