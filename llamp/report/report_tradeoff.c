#include "llamp/report/report_tradeoff.h"

#include <math.h>

static const char *const shapes[] = {
	[TRADEOFF_LINE] = "line",
	[TRADEOFF_ONLY_X] = "first only",
	[TRADEOFF_ONLY_Y] = "second only",
	[TRADEOFF_ALL] = "all",
	NULL,
};

static const struct variable *variable_at(const struct tradeoffs *tradeoffs, int axis)
{
	return &tradeoffs->model->loggps.variables.of[tradeoffs->variables[axis]];
}

/* Put both values, then both slopes. */
static void put_vertex(struct report_row *row, const struct tradeoff_vertex *vertex)
{
	for (int axis = 0; axis < 2; axis++)
		put_number(row, vertex->value_ns[axis]);
	for (int axis = 0; axis < 2; axis++)
		put_number(row, vertex->lambda[axis]);
}

/* ------------------------------------------------ vertices of all, in text and CSV */

/* Vertices of a frontier that a text shows: of a long one some, from the first to the last. */
enum { MOST_SHOWN = 20 };

static size_t shown_count(const struct tradeoff *tradeoff, bool in_text)
{
	return in_text && tradeoff->vertices.count > MOST_SHOWN ? MOST_SHOWN : tradeoff->vertices.count;
}

static size_t count_vertices(const struct tradeoffs *tradeoffs, bool in_text)
{
	size_t count = 0;

	for (size_t i = 0; i < tradeoffs->count; i++)
		count += shown_count(&tradeoffs->items[i], in_text);
	return count;
}

/* Row: the shown vertices of all tradeoffs, one after the other. */
static void vertex_row(struct report_row *row, const void *data, size_t number)
{
	const struct tradeoffs *tradeoffs = data;
	const struct tradeoff *tradeoff = tradeoffs->items;
	const bool in_text = row_in_text(row);
	size_t shown = shown_count(tradeoff, in_text), last;

	for (; number >= shown; shown = shown_count(++tradeoff, in_text))
		number -= shown;
	last = tradeoff->vertices.count - 1;
	number = shown > 1 ? number * last / (shown - 1) : 0;
	put_number(row, number == 0 || !in_text ? tradeoff->percent : NAN);
	put_count(row, number);
	for (int axis = 0; axis < 2; axis++)
		put_name(row, report_variable(variable_at(tradeoffs, axis)).value);
	put_vertex(row, &tradeoff->vertices.items[number]);
	put_name(row, report_tolerance_order(tradeoffs->model, false));
}

/* A row for a vertex: its two values belong together. */
static void write_vertices(struct report *report, const struct tradeoffs *tradeoffs)
{
	const struct variable *x = variable_at(tradeoffs, 0), *y = variable_at(tradeoffs, 1);
	const struct report_variable names[] = {report_variable(x), report_variable(y)};
	const struct report_field fields[] = {
		{"percent", "tolerance", VALUE_PERCENT, .width = 9},
		{"vertex", NULL, .kind = VALUE_COUNT},
		{"first", NULL, .kind = VALUE_NAME},
		{"second", NULL, .kind = VALUE_NAME},
		{"first_value", x->name, names[0].kind, .width = 14},
		{"second_value", y->name, names[1].kind, .width = 16},
		{"first_lambda", names[0].lambda, VALUE_LONG_NUMBER, .width = 10},
		{"second_lambda", names[1].lambda, VALUE_LONG_NUMBER, .width = 10},
		{REPORT_TOLERANCE_ORDER},
		{0},
	};

	report->rows = "vertices";
	report->first_columns = report_first_columns;
	report->first_data = tradeoffs->model;
	report_table(report, &(struct report_table){
		"vertices", .no_gap = true, .fields = fields, .row = vertex_row, .data = tradeoffs,
		.count = count_vertices(tradeoffs, report->format == REPORT_TEXT)});
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

static void tradeoffs_text(struct report *report, const struct tradeoffs *tradeoffs)
{
	const size_t rest = count_vertices(tradeoffs, false) - count_vertices(tradeoffs, true);

	if (tradeoffs->model->loggps.resources)
		fputs("T holds for one order of service, that at the given parameters\n\n",
		      report->stream);
	write_vertices(report, tradeoffs);
	if (rest)
		fprintf(report->stream, "and %zu more between these; --format csv lists all\n", rest);
	for (size_t i = 0; i < tradeoffs->count; i++)
		print_shape(report->stream, tradeoffs, &tradeoffs->items[i]);
}

/* ------------------------------------------------------------------------ JSON */

static const struct report_field tradeoffs_fields[] = {
	{"vary", NULL, VALUE_NAMES, .meaning = "The two variables"},
	{REPORT_TOLERANCE_ORDER},
	{0},
};

static void tradeoffs_row(struct report_row *row, const void *data, size_t number)
{
	const struct tradeoffs *tradeoffs = data;

	(void)number;
	put_names(row, (const char *const[]){variable_at(tradeoffs, 0)->name,
					     variable_at(tradeoffs, 1)->name}, 2);
	put_name(row, report_tolerance_order(tradeoffs->model, false));
}

static const struct report_field tradeoff_fields[] = {
	{"percent", NULL, .kind = VALUE_PERCENT},
	{"bound_ns", NULL, VALUE_NS, .meaning = "T at the vertices"},
	{"shape", NULL, VALUE_NAME, .values = shapes,
	 .meaning = "line: from the first variable being 0 to the second being 0; first only, second only:"
		    " T depends on one of them; all: on none"},
	{0},
};

static void tradeoff_row(struct report_row *row, const void *data, size_t number)
{
	const struct tradeoff *tradeoff = data;

	(void)number;
	put_number(row, tradeoff->percent);
	put_number(row, tradeoff->bound_ns);
	put_name(row, shapes[tradeoff->shape]);
}

static void vertex_values(struct report_row *row, const void *data, size_t number)
{
	put_vertex(row, &((const struct tradeoff *)data)->vertices.items[number]);
}

/* The schema does not know the variables. */
static void write_tradeoff(struct report *report, const void *data, size_t number)
{
	static const struct report_field any = {NULL, NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL};
	const bool in_schema = report->format == REPORT_SCHEMA;
	const struct tradeoffs *tradeoffs = data;
	const struct tradeoff *tradeoff = &tradeoffs->items[number];
	const struct report_variable x = report_variable(variable_at(tradeoffs, 0)),
				     y = report_variable(variable_at(tradeoffs, 1));
	const struct report_field fields[] = {
		{x.value, NULL, .kind = x.kind}, {y.value, NULL, .kind = y.kind},
		{x.lambda, NULL, .kind = VALUE_LONG_NUMBER}, {y.lambda, NULL, .kind = VALUE_LONG_NUMBER},
		{0},
	};

	report_facts(report, &(struct report_facts){
		.fields = tradeoff_fields, .row = tradeoff_row, .data = tradeoff});
	report_table(report, &(struct report_table){
		"vertices", .meaning = "Vertices of the frontier: values of the two variables (null: no limit),"
				       " and the slopes of T from here to the next vertex (null at the last one)",
		.fields = in_schema ? &fields[4] : fields, .others = &any, .row = vertex_values,
		.data = tradeoff, .count = in_schema ? 0 : tradeoff->vertices.count});
}

void report_tradeoffs(struct report *report, const struct tradeoffs *tradeoffs)
{
	if (report->format == REPORT_CSV) {
		write_vertices(report, tradeoffs);
		return;
	}
	report_begin_model(report, "llamp-tradeoff-1", tradeoffs->model, tradeoffs->variables[0], NULL,
			   ENGINE_PATH);
	if (report->format == REPORT_TEXT) {
		tradeoffs_text(report, tradeoffs);
		return;
	}
	report_facts(report, &(struct report_facts){
		.fields = tradeoffs_fields, .row = tradeoffs_row, .data = tradeoffs});
	report_list(report, &(struct report_list){
		"tradeoffs", .object = write_tradeoff, .data = tradeoffs, .count = tradeoffs->count});
	report_end(report);
}
