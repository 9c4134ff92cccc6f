/* Output of llamp sweep. */
#include "llamp/report/report.h"

#include <math.h>

/* Rows of a text, which is for people. */
enum { MOST_SHOWN = 40 };

struct points {
	const struct model *model;
	const struct sweep_range *range;
	const struct variable *varied;
	const struct sweep *sweep;
	double *at_ns;		/* value of the variable that a line of CSV is about */
};

static const char *const order_names[] = {"frozen", "resimulated", NULL};

static void put_number_if(struct report_row *row, bool known, double value)
{
	if (known)
		put_number(row, value);
	else
		put_missing(row);
}

static void range_row(struct report_row *row, const void *data, size_t number)
{
	const struct points *points = data;
	const struct range_ns order = order_in_ns(&points->sweep->order);
	const uint64_t traced_ns = model_traced_ns(points->model);

	(void)number;
	put_number_if(row, traced_ns > 0, (double)traced_ns);
	put_name(row, points->varied->name);
	put_attoseconds(row, points->range->from_as);
	put_attoseconds(row, points->range->to_as);
	if (points->range->step_as > 0)
		put_attoseconds(row, points->range->step_as);
	else
		put_none(row);
	if (points->model->loggps.resources)
		put_name(row, order_names[!points->sweep->one_order]);
	else
		put_missing(row);
	if (points->sweep->one_order)
		put_range(row, order.low, order.high);
	else
		put_missing(row);
}

static const char *order_word(const struct sweep *sweep, const struct sweep_point *point)
{
	if (sweep->one_order)
		return point->other_order ? "assumed" : "known";
	return point->other_order ? "changed" : "";
}

static void put_truth_if(struct report_row *row, bool known, bool value)
{
	if (known)
		put_truth(row, value);
	else
		put_missing(row);
}

static void point_row(struct report_row *row, const void *data, size_t number)
{
	const struct points *points = data;
	const struct sweep_point *point = &points->sweep->points.items[number];
	const double ratio = model_to_traced(points->model, point->runtime_ns);
	const bool traced = model_traced_ns(points->model), one_order = points->sweep->one_order;

	*points->at_ns = point->value_ns;
	put_number(row, point->value_ns);
	put_number(row, point->runtime_ns);
	put_number_if(row, traced, ratio);
	put_number(row, point->lambda);
	put_number(row, point->rho);
	put_number_if(row, traced, ratio);
	put_truth_if(row, one_order, !point->other_order);
	put_truth_if(row, points->model->loggps.resources && !one_order, point->other_order);
	put_name(row, order_word(points->sweep, point));
}

/* Say which order of service the points hold for. */
static void print_order(FILE *stream, const struct variable *varied, const struct sweep *sweep)
{
	const struct range_ns order = order_in_ns(&sweep->order);
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	if (sweep->one_order)
		fprintf(stream, "T holds for one order of service, known from %s to %s, elsewhere assumed;\n"
			"--resimulate decides it again\n\n",
			report_value(varied, order.low, from), report_value(varied, order.high, to));
	else
		fputs("the order of service was decided again at each value; changed: it is not that of the"
		      " row before\n\n", stream);
}

static void begin_sweep(struct report *report, const struct points *points)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES], both[2 * UNIT_TEXT_BYTES + 4];

	snprintf(both, sizeof both, "%s to %s",
		 report_value(points->varied, report_ns(points->range->from_as), from),
		 report_value(points->varied, report_ns(points->range->to_as), to));
	report_begin_model(report, "llamp-sweep-1", points->model, points->range->varied, both,
			   ENGINE_PATH);
	if (report->format != REPORT_TEXT)
		return;
	if (model_traced_ns(points->model))
		fprintf(report->stream, "traced      %s\n\n", report_traced(points->model, from));
	if (points->model->loggps.resources)
		print_order(report->stream, points->varied, points->sweep);
}

static void write_sweep(struct report *report, const struct report_variable *names,
			const void *data)
{
	static const struct report_field any = {NULL, NULL, .kind = VALUE_LONG_NUMBER};
	static const char *const parts[] = {"from", "to", "step", "order_range"};
	char keys[4][REPORT_NAME_BYTES];
	const struct points *points = data;
	const struct report_field range_fields[] = {
		{"traced", NULL, VALUE_NS, .flags = FIELD_CSV, .unit = "ns"},
		{REPORT_VARY_FIELD(names) | FIELD_JSON,
		 .meaning = "Varied variable, whose value among the parameters is not used"},
		{keys[0], NULL, VALUE_ATTOSECONDS, .flags = FIELD_JSON},
		{keys[1], NULL, VALUE_ATTOSECONDS, .flags = FIELD_JSON},
		{keys[2], NULL, VALUE_ATTOSECONDS, .flags = FIELD_NULL | FIELD_JSON,
		 .meaning = "Distance of samples. If it is null, the points are the two ends and all breakpoints"
			    " between them"},
		{"order", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL | FIELD_JSON, .values = order_names,
		 .meaning = "With resources: all points hold for the order of service at the given value"
			    " (frozen), or it was decided again at each (resimulated)"},
		{keys[3], NULL, VALUE_RANGE, .flags = FIELD_OPTIONAL, .unit = names->unit,
		 .quantity = "order_range",
		 .meaning = "Values for which the order of service at the given one is known to be the same;"
			    " absent if it was decided again"},
		{0},
	};
	const struct report_field point_fields[] = {
		{REPORT_KEY(names, value), points->varied->name, names->kind, .width = 16,
		 .flags = FIELD_JSON},
		{"runtime_ns", "T", VALUE_NS, .width = 14, .unit = "ns", .quantity = "runtime"},
		{"runtime_to_traced", NULL, VALUE_NUMBER, .flags = FIELD_OPTIONAL | FIELD_JSON,
		 .meaning = "T / traced_ns; absent if that is null"},
		{REPORT_KEY(names, lambda), names->lambda, VALUE_LONG_NUMBER, .width = 10,
		 .unit = names->slope_csv_unit, .meaning = "Right slope"},
		{REPORT_KEY(names, rho), names->rho, VALUE_SHARE, .width = 10},
		{"runtime_to_traced", model_traced_ns(points->model) ? "T / traced" : NULL, VALUE_NUMBER,
		 .flags = FIELD_CSV},
		{"order_known", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL,
		 .meaning = "With resources: the order of service at the given value is known to hold here;"
			    " if not, it is assumed"},
		{"order_changed", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL,
		 .meaning = "If the order of service was decided again: it is not that of the point before"},
		{NULL, points->model->loggps.resources ? "order" : NULL, VALUE_NAME, .right = true},
		{0},
	};

	for (int i = 0; i < 4; i++)
		snprintf(keys[i], sizeof keys[i], "%s_%s", parts[i], names->unit);
	begin_sweep(report, points);
	report_facts(report, &(struct report_facts){
		.fields = range_fields, .row = range_row, .data = points});
	report_table(report, &(struct report_table){
		"points", .no_gap = true, .fields = point_fields, .others = names->is_any ? &any : NULL,
		.row = point_row, .data = points, .count = points->sweep->points.count,
		.most = MOST_SHOWN, .counts_rest = true, .lists_all = "--format csv"});
	report_end(report);
}

void report_sweep(struct report *report, const struct model *model,
		  const struct sweep_range *range, const struct sweep *sweep)
{
	const struct variables *variables = &model->loggps.variables;
	double at_ns = NAN;
	const struct points points = {model, range, &variables->of[range->varied], sweep, &at_ns};
	const struct report_variable names = report_variable(points.varied);
	const struct report_columns columns = {model, ENGINE_PATH, range->varied, &at_ns, NULL};

	report_csv_facts(report, &columns);
	if (report->format == REPORT_SCHEMA)
		report_variable_forms(report, variables, write_sweep, &points);
	else
		write_sweep(report, &names, &points);
}
