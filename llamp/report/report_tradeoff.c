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

/* Vertices of a frontier that a text shows: of a long one some, from the first to the last. */
enum { MOST_SHOWN = 20 };

static size_t shown_count(const struct tradeoff *tradeoff)
{
	return tradeoff->vertices.count < MOST_SHOWN ? tradeoff->vertices.count : MOST_SHOWN;
}

/* The tradeoff and place of a vertex among the shown ones of all tradeoffs. */
static const struct tradeoff *nth_shown(const struct tradeoffs *tradeoffs, size_t *number)
{
	const struct tradeoff *tradeoff = tradeoffs->items;

	while (*number >= shown_count(tradeoff))
		*number -= shown_count(tradeoff++);
	if (*number)
		*number = *number * (tradeoff->vertices.count - 1) / (shown_count(tradeoff) - 1);
	return tradeoff;
}

struct frontier {
	const struct tradeoffs *tradeoffs;
	const struct tradeoff *only;	/* NULL: all that are shown, in text */
};

/* The two values belong together. */
static void vertex_row(struct report_row *row, const void *data, size_t number)
{
	const struct frontier *frontier = data;
	const struct tradeoffs *tradeoffs = frontier->tradeoffs;
	const struct tradeoff *tradeoff = frontier->only ? frontier->only : nth_shown(tradeoffs, &number);
	const struct tradeoff_vertex *vertex = &tradeoff->vertices.items[number];

	put_number(row, frontier->only || !number ? tradeoff->percent : NAN);
	put_count(row, number);
	for (int axis = 0; axis < 2; axis++)
		put_name(row, report_variable(variable_at(tradeoffs, axis)).value);
	for (int axis = 0; axis < 2; axis++)
		put_number(row, vertex->value_ns[axis]);
	for (int axis = 0; axis < 2; axis++)
		put_number(row, vertex->lambda[axis]);
	put_name(row, report_tolerance_order(tradeoffs->model, false));
}

/* Write the vertices of a tradeoff, or NULL for those that are shown.  The schema does not know the variables. */
static void write_vertices(struct report *report, const struct tradeoffs *tradeoffs,
			   const struct tradeoff *only, size_t count)
{
	static const struct report_field any = {NULL, NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL};
	const struct variable *x = variable_at(tradeoffs, 0), *y = variable_at(tradeoffs, 1);
	struct report_variable names[] = {report_variable(x), report_variable(y)};
	const bool any_variable = names[0].is_any = names[1].is_any = report->format == REPORT_SCHEMA;
	const struct report_field fields[] = {
		{"percent", "tolerance", VALUE_PERCENT, .width = 9, .flags = FIELD_CSV},
		{"vertex", NULL, VALUE_COUNT, .flags = FIELD_CSV},
		{"first", NULL, VALUE_NAME, .flags = FIELD_CSV},
		{"second", NULL, VALUE_NAME, .flags = FIELD_CSV},
		{REPORT_KEY(names, value), x->name, names->kind, 14, .quantity = "first_value"},
		{REPORT_KEY(names + 1, value), y->name, names[1].kind, 16, .quantity = "second_value"},
		{REPORT_KEY(names, lambda), names->lambda, VALUE_LONG_NUMBER, 10, .quantity = "first_lambda"},
		{REPORT_KEY(names + 1, lambda), names[1].lambda, VALUE_LONG_NUMBER, 10,
		 .quantity = "second_lambda"},
		{"tolerance_order", NULL, VALUE_NAME, .flags = FIELD_CSV},
		{0},
	};

	report_table(report, &(struct report_table){
		"vertices", .no_gap = true,
		.meaning = "Vertices of the frontier: values of the two variables (null: no limit), and the"
			   " slopes of T from here to the next vertex (null at the last one)",
		.fields = fields, .others = any_variable ? &any : NULL, .row = vertex_row,
		.data = &(struct frontier){tradeoffs, only}, .count = count});
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
	size_t shown = 0, all = 0;

	if (tradeoffs->model->loggps.resources)
		fputs("T holds for one order of service, that at the given parameters\n\n",
		      report->stream);
	for (size_t i = 0; i < tradeoffs->count; i++) {
		shown += shown_count(&tradeoffs->items[i]);
		all += tradeoffs->items[i].vertices.count;
	}
	write_vertices(report, tradeoffs, NULL, shown);
	if (shown < all)
		fprintf(report->stream, "and %zu more between these; --format csv lists all\n",
			all - shown);
	for (size_t i = 0; i < tradeoffs->count; i++)
		print_shape(report->stream, tradeoffs, &tradeoffs->items[i]);
}

/* --------------------------------------------------------------- JSON and CSV */

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

static void write_tradeoff(struct report *report, const void *data, size_t number)
{
	const struct tradeoffs *tradeoffs = data;
	const struct tradeoff *tradeoff = &tradeoffs->items[number];

	report_facts(report, &(struct report_facts){
		.fields = tradeoff_fields, .row = tradeoff_row, .data = tradeoff});
	write_vertices(report, tradeoffs, tradeoff, tradeoff->vertices.count);
}

void report_tradeoffs(struct report *report, const struct tradeoffs *tradeoffs)
{
	const struct report_columns columns = {.model = tradeoffs->model, .engine = ENGINE_PATH};

	report->rows = "vertices";
	report->first_columns = report_first_columns;
	report->first_data = &columns;
	report_begin_model(report, "llamp-tradeoff-1", tradeoffs->model, tradeoffs->variables[0], NULL,
			   ENGINE_PATH);
	if (report->format == REPORT_TEXT)
		tradeoffs_text(report, tradeoffs);
	report_facts(report, &(struct report_facts){
		.fields = tradeoffs_fields, .row = tradeoffs_row, .data = tradeoffs});
	if (report->format != REPORT_TEXT)
		report_list(report, &(struct report_list){
			"tradeoffs", .object = write_tradeoff, .data = tradeoffs, .count = tradeoffs->count});
	report_end(report);
}
