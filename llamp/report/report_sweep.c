/* Output of llamp sweep. */
#include "llamp/report/report.h"

#include "common/table.h"

#include <math.h>
#include <string.h>

/* Rows of a text, which is for people. */
enum { MOST_SHOWN = 40 };

struct points {
	const struct model *model;
	const struct sweep_range *range;
	const struct variable *varied;
	const struct sweep *sweep;
};

static const char *order_word(const struct sweep *sweep, const struct sweep_point *point)
{
	if (sweep->one_order)
		return point->other_order ? "assumed" : "known";
	return point->other_order ? "changed" : "";
}

static void point_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct points *points = data;
	const struct sweep_point *point = &points->sweep->points.items[number];
	int column = 4;

	report_value(points->varied, point->value_ns, cells[0]);
	report_time(point->runtime_ns, cells[1]);
	report_number(point->lambda, cells[2]);
	snprintf(cells[3], TABLE_CELL_BYTES, "%.2f %%", 100 * point->rho);
	if (model_traced_ns(points->model))
		report_ratio_text(points->model, point->runtime_ns, cells[column++]);
	if (points->model->loggps.resources)
		strcpy(cells[column], order_word(points->sweep, point));
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

static void sweep_text(struct report *report, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	const struct variable *varied = &model->loggps.variables.of[range->varied];
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES], both[2 * UNIT_TEXT_BYTES + 4];
	const struct report_variable names = report_variable(varied);
	struct table_column columns[6] = {
		{varied->name, TABLE_RIGHT, 16}, {"T", TABLE_RIGHT, 14},
		{names.lambda, TABLE_RIGHT, 10}, {names.rho, TABLE_RIGHT, 10},
	};
	int column_count = 4;
	const bool traced = model_traced_ns(model);
	const size_t shown = sweep->points.count > MOST_SHOWN ? MOST_SHOWN : sweep->points.count;

	snprintf(both, sizeof both, "%s to %s",
		 report_value(varied, report_ns(range->from_as), from),
		 report_value(varied, report_ns(range->to_as), to));
	report_begin_model(report, "llamp-sweep-1", model, range->varied, both, ENGINE_PATH);
	if (traced)
		fprintf(report->stream, "traced      %s\n\n", report_traced(model, from));
	if (model->loggps.resources)
		print_order(report->stream, varied, sweep);
	if (traced)
		columns[column_count++] = (struct table_column){"T / traced", TABLE_RIGHT, 0};
	if (model->loggps.resources)
		columns[column_count++] = (struct table_column){"order", TABLE_RIGHT, 0};
	table_print(report->stream, columns, column_count, shown, point_row,
		    &(struct points){model, range, varied, sweep});
	if (shown < sweep->points.count)
		fprintf(report->stream, "and %zu more; --format csv lists all\n",
			sweep->points.count - shown);
}

static void json_from_to(struct json *json, const struct variable *varied,
			 const struct sweep_range *range)
{
	const char *unit = report_variable(varied).unit;
	char key[32];

	json_text(json, "vary", varied->name);
	snprintf(key, sizeof key, "from_%s", unit);
	json_attoseconds(json, key, range->from_as);
	snprintf(key, sizeof key, "to_%s", unit);
	json_attoseconds(json, key, range->to_as);
	snprintf(key, sizeof key, "step_%s", unit);
	if (range->step_as > 0)
		json_attoseconds(json, key, range->step_as);
	else
		json_null(json, key);
}

static void json_order(struct json *json, const struct model *model, const char *unit,
		       const struct sweep *sweep)
{
	const struct range_ns order = order_in_ns(&sweep->order);
	char key[32];

	if (!model->loggps.resources)
		return;
	json_text(json, "order", sweep->one_order ? "frozen" : "resimulated");
	if (!sweep->one_order)
		return;
	snprintf(key, sizeof key, "order_range_%s", unit);
	json_begin(json, key, '[', JSON_INLINE);
	json_number(json, NULL, order.low);
	json_number(json, NULL, order.high);
	json_end(json);
}

static void json_point_order(struct json *json, const struct model *model,
			     const struct sweep *sweep, const struct sweep_point *point)
{
	if (!model->loggps.resources)
		return;
	if (sweep->one_order)
		json_boolean(json, "order_known", !point->other_order);
	else
		json_boolean(json, "order_changed", point->other_order);
}

static void sweep_json(struct report *report, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	const struct variable *varied = &model->loggps.variables.of[range->varied];
	const struct report_variable names = report_variable(varied);
	struct json *json = &report->json;

	report_begin_model(report, "llamp-sweep-1", model, range->varied, NULL, ENGINE_PATH);
	json_from_to(json, varied, range);
	json_order(json, model, names.unit, sweep);
	json_begin(json, "points", '[', JSON_LINES);
	for (size_t i = 0; i < sweep->points.count; i++) {
		json_begin(json, NULL, '{', JSON_INLINE);
		json_number(json, names.value, sweep->points.items[i].value_ns);
		json_number(json, "runtime_ns", sweep->points.items[i].runtime_ns);
		if (model_traced_ns(model))
			json_number(json, "runtime_to_traced",
				    model_to_traced(model, sweep->points.items[i].runtime_ns));
		json_number(json, names.lambda, sweep->points.items[i].lambda);
		json_number(json, names.rho, sweep->points.items[i].rho);
		json_point_order(json, model, sweep, &sweep->points.items[i]);
		json_end(json);
	}
	json_end(json);
	report_end(report);
}

/* Write a fact of the point at `at_ns`, or of all points (NAN). */
static void report_sweep_csv_fact(FILE *stream, const struct points *points, double at_ns,
				  const char *quantity, const char *unit, double value)
{
	report_csv_fact(stream, &(struct report_fact){
		.model = points->model, .engine = ENGINE_PATH, .varied = points->range->varied,
		.at_ns = &at_ns, .quantity = quantity, .percent = NAN, .unit = unit,
		.value = value});
}

static void csv_point(FILE *stream, const struct points *points, const struct sweep_point *point)
{
	const struct report_variable names = report_variable(points->varied);
	const double at_ns = point->value_ns;

	report_sweep_csv_fact(stream, points, at_ns, "runtime", "ns", point->runtime_ns);
	report_sweep_csv_fact(stream, points, at_ns, names.lambda, names.slope_csv_unit,
			      point->lambda);
	report_sweep_csv_fact(stream, points, at_ns, names.rho, "1", point->rho);
	if (model_traced_ns(points->model))
		report_sweep_csv_fact(stream, points, at_ns, "runtime_to_traced", "1",
				      model_to_traced(points->model, point->runtime_ns));
	if (points->sweep->one_order)
		report_sweep_csv_fact(stream, points, at_ns, "order_known", "1",
				      !point->other_order);
	else if (points->model->loggps.resources)
		report_sweep_csv_fact(stream, points, at_ns, "order_changed", "1",
				      point->other_order);
}

static void sweep_csv(FILE *stream, const struct points *points)
{
	const struct sweep *sweep = points->sweep;
	const struct range_ns order = order_in_ns(&sweep->order);
	const char *unit = report_variable(points->varied).unit;

	report_csv_heading(stream, points->model);
	if (model_traced_ns(points->model))
		report_sweep_csv_fact(stream, points, NAN, "traced", "ns",
				      (double)model_traced_ns(points->model));
	if (sweep->one_order) {
		report_sweep_csv_fact(stream, points, NAN, "order_range_low", unit, order.low);
		report_sweep_csv_fact(stream, points, NAN, "order_range_high", unit, order.high);
	}
	for (size_t i = 0; i < sweep->points.count; i++)
		csv_point(stream, points, &sweep->points.items[i]);
}

void report_sweep(struct report *report, const struct model *model,
		  const struct sweep_range *range, const struct sweep *sweep)
{
	if (report->format == REPORT_TEXT)
		sweep_text(report, model, range, sweep);
	else if (report->format == REPORT_JSON)
		sweep_json(report, model, range, sweep);
	else
		sweep_csv(report->stream, &(struct points){
			model, range, &model->loggps.variables.of[range->varied], sweep});
}
