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

/* Vertices of a frontier that a text shows: of a long one some, from the first to the last. */
enum { MOST_SHOWN = 20 };

static size_t shown_count(const struct tradeoff *tradeoff)
{
	return tradeoff->vertices.count < MOST_SHOWN ? tradeoff->vertices.count : MOST_SHOWN;
}

/* The shown vertices of all tradeoffs, as a list: one of them, its tradeoff and its place there. */
static const struct tradeoff_vertex *nth_shown(const struct tradeoffs *tradeoffs, size_t number,
					       const struct tradeoff **of, size_t *place)
{
	const struct tradeoff *tradeoff = tradeoffs->items;
	size_t shown, last;

	while (number >= shown_count(tradeoff))
		number -= shown_count(tradeoff++);
	shown = shown_count(tradeoff);
	last = tradeoff->vertices.count - 1;
	*of = tradeoff;
	*place = shown > 1 ? number * last / (shown - 1) : 0;
	return &tradeoff->vertices.items[*place];
}

static size_t count_shown(const struct tradeoffs *tradeoffs)
{
	size_t count = 0;

	for (size_t i = 0; i < tradeoffs->count; i++)
		count += shown_count(&tradeoffs->items[i]);
	return count;
}

static size_t count_all(const struct tradeoffs *tradeoffs)
{
	size_t count = 0;

	for (size_t i = 0; i < tradeoffs->count; i++)
		count += tradeoffs->items[i].vertices.count;
	return count;
}

/* ------------------------------------------------------------------------ text */

static void vertex_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct tradeoffs *tradeoffs = data;
	const struct tradeoff *of;
	size_t place;
	const struct tradeoff_vertex *vertex = nth_shown(tradeoffs, number, &of, &place);

	if (place == 0)
		report_percent(of->percent, cells[0]);
	for (int axis = 0; axis < 2; axis++) {
		report_value(variable_at(tradeoffs, axis), vertex->value_ns[axis],
			     cells[1 + axis]);
		if (!isnan(vertex->lambda[axis]))
			report_number(vertex->lambda[axis], cells[3 + axis]);
	}
}

static void print_shape(FILE *stream, const struct tradeoffs *tradeoffs,
			const struct tradeoff *tradeoff)
{
	const char *x = variable_at(tradeoffs, 0)->name, *y = variable_at(tradeoffs, 1)->name;
	char percent[UNIT_TEXT_BYTES];

	report_percent(tradeoff->percent, percent);
	if (tradeoff->shape == TRADEOFF_ALL)
		fprintf(stream, "\n%s: T does not depend on %s and %s\n", percent, x, y);
	else if (tradeoff->shape != TRADEOFF_LINE)
		fprintf(stream, "\n%s: T does not depend on %s\n", percent,
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
	const size_t shown = count_shown(tradeoffs);

	if (tradeoffs->model->loggps.resources)
		fputs("T holds for one order of service, that at the given parameters\n\n", stream);
	if (shown)
		table_print(stream, columns, 5, shown, vertex_row, tradeoffs);
	if (shown < count_all(tradeoffs))
		fprintf(stream, "and %zu more between these; --format csv lists all\n",
			count_all(tradeoffs) - shown);
	for (size_t i = 0; i < tradeoffs->count; i++)
		print_shape(stream, tradeoffs, &tradeoffs->items[i]);
}

/* ------------------------------------------------------------------------ JSON */

static void json_vertices(struct json *json, const struct tradeoffs *tradeoffs,
			 const struct tradeoff *tradeoff)
{
	json_begin(json, "vertices", '[', JSON_LINES);
	for (size_t i = 0; i < tradeoff->vertices.count; i++) {
		const struct tradeoff_vertex *vertex = &tradeoff->vertices.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		for (int axis = 0; axis < 2; axis++)
			json_number(json, report_variable(variable_at(tradeoffs, axis)).value,
				    vertex->value_ns[axis]);
		for (int axis = 0; axis < 2; axis++)
			json_number(json, report_variable(variable_at(tradeoffs, axis)).lambda,
				    vertex->lambda[axis]);
		json_end(json);
	}
	json_end(json);
}

static void tradeoffs_json(struct json *json, const struct tradeoffs *tradeoffs)
{
	json_begin(json, "vary", '[', JSON_INLINE);
	for (int axis = 0; axis < 2; axis++)
		json_text(json, NULL, variable_at(tradeoffs, axis)->name);
	json_end(json);
	report_json_tolerance_order(json, tradeoffs->model, false);
	json_begin(json, "tradeoffs", '[', JSON_LINES);
	for (size_t i = 0; i < tradeoffs->count; i++) {
		const struct tradeoff *tradeoff = &tradeoffs->items[i];

		json_begin(json, NULL, '{', JSON_LINES);
		json_number(json, "percent", tradeoff->percent);
		json_number(json, "bound_ns", tradeoff->bound_ns);
		json_text(json, "shape", shapes[tradeoff->shape]);
		json_vertices(json, tradeoffs, tradeoff);
		json_end(json);
	}
	json_end(json);
}

/* ------------------------------------------------------------------------- CSV */

static void csv_value(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", isnan(value) ? "" : number_text(value, text));
}

/* A line for a vertex: its two values belong together. */
static void csv_vertex(FILE *stream, const struct tradeoffs *tradeoffs,
		       const struct tradeoff *tradeoff, size_t place)
{
	const struct tradeoff_vertex *vertex = &tradeoff->vertices.items[place];
	const char *order = report_tolerance_order(tradeoffs->model, false);

	report_csv_model(stream, tradeoffs->model, ENGINE_PATH, 0, NULL);
	csv_value(stream, tradeoff->percent);
	fprintf(stream, ",%zu", place);
	for (int axis = 0; axis < 2; axis++)
		fprintf(stream, ",%s", report_variable(variable_at(tradeoffs, axis)).value);
	csv_value(stream, vertex->value_ns[0]);
	csv_value(stream, vertex->value_ns[1]);
	csv_value(stream, vertex->lambda[0]);
	csv_value(stream, vertex->lambda[1]);
	fprintf(stream, ",%s\n", order ? order : "");
}

static void tradeoffs_csv(FILE *stream, const struct tradeoffs *tradeoffs)
{
	report_csv_model_columns(stream, &tradeoffs->model->loggps.variables);
	fputs(",percent,vertex,first,second,first_value,second_value,first_lambda,second_lambda,"
	      "tolerance_order\n", stream);
	for (size_t i = 0; i < tradeoffs->count; i++)
		for (size_t place = 0; place < tradeoffs->items[i].vertices.count; place++)
			csv_vertex(stream, tradeoffs, &tradeoffs->items[i], place);
}

void report_tradeoffs(struct report *report, const struct tradeoffs *tradeoffs)
{
	if (report->format == REPORT_CSV) {
		tradeoffs_csv(report->stream, tradeoffs);
		return;
	}
	report_begin_model(report, "llamp-tradeoff-1", tradeoffs->model, tradeoffs->variables[0], NULL,
			   ENGINE_PATH);
	if (report->format == REPORT_TEXT)
		tradeoffs_text(report->stream, tradeoffs);
	else
		tradeoffs_json(&report->json, tradeoffs);
	report_end(report);
}
