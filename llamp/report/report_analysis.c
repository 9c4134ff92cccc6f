/* Output of llamp analyze. */
#include "llamp/report/report.h"

#include "common/table.h"

#include <math.h>

/* -------------------------------------------------------------------- text */

/* Quantity, its value and its meaning. */
struct text_row {
	char name[REPORT_NAME_BYTES], value[2 * UNIT_TEXT_BYTES + 4], meaning[96];
};

enum { MOST_ROWS = 10 + VARIABLES_MOST };

struct text_rows {
	struct text_row items[MOST_ROWS];
	size_t count;
};

static struct text_row *add_row(struct text_rows *rows, const char *name)
{
	struct text_row *row = &rows->items[rows->count++];

	snprintf(row->name, sizeof row->name, "%s", name);
	return row;
}

static void add_range(struct text_rows *rows, const char *name, const struct variable *varied,
		      const struct range_ns *range, const char *meaning)
{
	struct text_row *row = add_row(rows, name);
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	snprintf(row->value, sizeof row->value, "%s to %s", report_value(varied, range->low, low),
		 report_value(varied, range->high, high));
	snprintf(row->meaning, sizeof row->meaning, "of %s: %s", varied->name, meaning);
}

/* The range of the order of service; an end that is not exact may be farther away. */
static void add_order(struct text_rows *rows, const struct variable *varied,
		      const struct order_range *order)
{
	const struct range_ns range = order_in_ns(order);
	const bool exact = order->low_exact && order->high_exact;

	add_range(rows, "order range", varied, &range,
		  exact ? "requests are served in the same order"
			: "requests are served in the same order, at least");
}

static void add_traced(struct text_rows *rows, const struct model *model, double runtime_ns)
{
	struct text_row *row = add_row(rows, "T / traced");
	char time[UNIT_TEXT_BYTES];

	report_ratio_text(model, runtime_ns, row->value);
	snprintf(row->meaning, sizeof row->meaning, "the traced run took %s",
		 report_traced(model, time));
}

static struct text_row *add_slope(struct text_rows *rows, const char *name, double slope,
			      const char *unit)
{
	struct text_row *row = add_row(rows, name);
	char number[UNIT_TEXT_BYTES];

	snprintf(row->value, sizeof row->value, "%s%s", report_number(slope, number), unit);
	return row;
}

/* Add the slope below a breakpoint. */
static void add_below(struct text_rows *rows, const struct variable *variable, double slope)
{
	struct text_row *row;
	char name[REPORT_NAME_BYTES];

	snprintf(name, sizeof name, "  below %s", variable->name);
	row = add_slope(rows, name, slope, report_variable(variable).slope_unit);
	snprintf(row->meaning, sizeof row->meaning, "%s is a critical %s", variable->name,
		 variable->category == CATEGORY_LATENCY ? "latency" : "value");
}

/* Add all slopes.  The varied variable also has the slope to the left, if it differs. */
static void add_slopes(struct text_rows *rows, const struct variables *variables,
		       const struct analysis *analysis)
{
	for (uint32_t v = 0; v < variables->count; v++) {
		const struct variable *variable = &variables->of[v];
		const struct report_variable names = report_variable(variable);
		struct text_row *row;

		if (!variable_is_on(variable) && v != analysis->varied)
			continue;
		row = add_slope(rows, names.lambda, analysis->lambda[v], names.slope_unit);
		snprintf(row->meaning, sizeof row->meaning, "%s on the critical path",
			 variable->counted);
		if (v == analysis->varied &&
		    round_digits(analysis->lambda_left) != round_digits(analysis->lambda[v]))
			add_below(rows, variable, analysis->lambda_left);
	}
}

static void text_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct text_row *row = &((const struct text_rows *)data)->items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", row->name);
	snprintf(cells[1], TABLE_CELL_BYTES, "%s", row->value);
	snprintf(cells[2], TABLE_CELL_BYTES, "%s", row->meaning);
}

/* Table of tolerances in a variable. */
struct tolerances {
	const struct variable *varied;
	const struct analysis *analysis;
};

static bool some_none(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->tolerance.count; i++)
		if (analysis->tolerance.items[i].none)
			return true;
	return false;
}

static void tolerance_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct tolerances *tolerances = data;
	const struct tolerance *item = &tolerances->analysis->tolerance.items[number];
	char text[UNIT_TEXT_BYTES];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s %%", report_number(item->percent, text));
	if (item->none) {
		snprintf(cells[1], TABLE_CELL_BYTES, "none");
		return;
	}
	report_value(tolerances->varied, item->value_ns, cells[1]);
	report_value(tolerances->varied, item->delta_ns, cells[2]);
}

static void print_tolerance(FILE *stream, const struct model *model,
			    const struct analysis *analysis)
{
	const struct variable *varied = &model->loggps.variables.of[analysis->varied];
	const bool is_traced = analysis->baseline_ns == model_traced_ns(model);
	char up_to[VARIABLE_NAME_BYTES + 8], more[2 * VARIABLE_NAME_BYTES + 8];
	char baseline[UNIT_TEXT_BYTES];
	const struct table_column columns[] = {
		{"tolerance", TABLE_RIGHT, 0}, {up_to, TABLE_RIGHT, 15}, {more, TABLE_RIGHT, 14},
	};

	snprintf(up_to, sizeof up_to, "%s up to", varied->name);
	snprintf(more, sizeof more, "%s - %s0", varied->name, varied->name);
	putc('\n', stream);
	if (analysis->baseline_ns)
		fprintf(stream, "tolerances are relative to %s%s, not to T\n",
			report_time((double)analysis->baseline_ns, baseline),
			is_traced ? " (traced)" : "");
	table_print(stream, columns, 3, analysis->tolerance.count, tolerance_row,
		    &(struct tolerances){varied, analysis});
	if (some_none(analysis))
		fprintf(stream, "none: T at %s = 0 is above\n", varied->name);
	if (analysis->has_order && analysis->tolerance.count)
		fputs(analysis->resimulated
			      ? "the order of service was decided again at each tolerance\n"
			      : "tolerances hold for one order of service, which changes outside the order"
				" range\n",
		      stream);
}

static void analysis_text(FILE *stream, const struct model *model, const struct analysis *analysis,
			  bool with_basis)
{
	static const struct table_column columns[] = {
		{NULL, TABLE_LEFT, 0}, {NULL, TABLE_LEFT, 0}, {NULL, TABLE_LEFT, 0},
	};
	const struct variables *variables = &model->loggps.variables;
	const struct variable *varied = &variables->of[analysis->varied];
	const struct report_variable names = report_variable(varied);
	struct text_rows rows = {.count = 0};
	struct text_row *row;
	char meaning[REPORT_NAME_BYTES + 16];

	row = add_row(&rows, "T");
	report_time(analysis->runtime_ns, row->value);
	snprintf(row->meaning, sizeof row->meaning, "runtime");
	if (model_traced_ns(model))
		add_traced(&rows, model, analysis->runtime_ns);
	add_slopes(&rows, variables, analysis);
	row = add_slope(&rows, names.rho, 100 * analysis->rho, " %");
	snprintf(row->meaning, sizeof row->meaning, "share of the path that is %s",
		 category_names[varied->category]);
	snprintf(meaning, sizeof meaning, "%s is the same", names.lambda);
	add_range(&rows, "critical range", varied, &analysis->critical, meaning);
	if (with_basis && analysis->has_basis)
		add_range(&rows, "basis range", varied, &analysis->basis,
			  "GLPK's basis stays optimal");
	if (analysis->has_order)
		add_order(&rows, varied, &analysis->order);
	table_print(stream, columns, 3, rows.count, text_row, &rows);
	print_tolerance(stream, model, analysis);
}

/* -------------------------------------------------------------------- JSON */

/* Write a range.  Its key is `what` and the variable's unit.  NULL is unknown. */
static void json_range(struct json *json, const char *what,
		       const struct report_variable *names, const struct range_ns *range)
{
	char key[64];

	snprintf(key, sizeof key, "%s_%s", what, names->unit);
	if (!range) {
		json_null(json, key);
		return;
	}
	json_begin(json, key, '[', JSON_INLINE);
	json_number(json, NULL, range->low);
	json_number(json, NULL, range->high);
	json_end(json);
}

static void json_order(struct json *json, const struct report_variable *names,
		       const struct analysis *analysis)
{
	const struct range_ns range = order_in_ns(&analysis->order);

	json_range(json, "order_range", names, analysis->has_order ? &range : NULL);
	if (!analysis->has_order)
		return;
	json_begin(json, "order_range_exact", '[', JSON_INLINE);
	json_boolean(json, NULL, analysis->order.low_exact);
	json_boolean(json, NULL, analysis->order.high_exact);
	json_end(json);
}

static void json_slopes(struct json *json, const struct variables *variables,
			const struct analysis *analysis)
{
	for (uint32_t v = 0; v < variables->count; v++) {
		const struct report_variable names = report_variable(&variables->of[v]);

		if (!variable_is_on(&variables->of[v]) && v != analysis->varied)
			continue;
		if (v != analysis->varied) {
			json_number(json, names.lambda, analysis->lambda[v]);
			continue;
		}
		json_begin(json, names.lambda, '{', JSON_INLINE);
		json_number(json, "left", analysis->lambda_left);
		json_number(json, "right", analysis->lambda[v]);
		json_end(json);
	}
}

static void json_tolerance(struct json *json, const struct report_variable *names,
			   const struct analysis *analysis)
{
	char frozen[REPORT_NAME_BYTES + 8];

	snprintf(frozen, sizeof frozen, "frozen_%s", names->value);
	json_begin(json, "tolerance", '[', JSON_LINES);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerance *item = &analysis->tolerance.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_number(json, "percent", item->percent);
		json_number(json, names->value, item->value_ns);
		json_number(json, names->delta, item->delta_ns);
		if (analysis->resimulated)
			json_number(json, frozen, analysis->frozen.items[i].value_ns);
		if (item->none)
			json_boolean(json, "none", true);
		json_end(json);
	}
	json_end(json);
}

static void analysis_json(struct json *json, const struct model *model,
			  const struct analysis *analysis)
{
	const struct variables *variables = &model->loggps.variables;
	const struct variable *varied = &variables->of[analysis->varied];
	const struct report_variable names = report_variable(varied);

	json_text(json, "vary", varied->name);
	report_json_runtime(json, model, analysis->runtime_ns);
	json_slopes(json, variables, analysis);
	json_number(json, names.rho, analysis->rho);
	json_range(json, "basis_range", &names, analysis->has_basis ? &analysis->basis : NULL);
	json_range(json, "critical_range", &names, &analysis->critical);
	json_order(json, &names, analysis);
	if (analysis->baseline_ns)
		json_integer(json, "baseline_ns", analysis->baseline_ns);
	else
		json_null(json, "baseline_ns");
	report_json_tolerance_order(json, model, analysis->resimulated);
	json_tolerance(json, &names, analysis);
}

/* --------------------------------------------------------------------- CSV */

/* Facts of an analysis, which differ in quantity, unit and value. */
struct facts {
	FILE *stream;
	struct report_fact fact;
};

static void report_analysis_csv_fact(struct facts *facts, const char *quantity, const char *unit,
				     double value)
{
	facts->fact.quantity = quantity;
	facts->fact.unit = unit;
	facts->fact.value = value;
	report_csv_fact(facts->stream, &facts->fact);
}

static void csv_slopes(struct facts *facts, const struct variables *variables,
		       const struct analysis *analysis)
{
	for (uint32_t v = 0; v < variables->count; v++) {
		const struct report_variable names = report_variable(&variables->of[v]);
		char left[REPORT_NAME_BYTES + 8];

		if (!variable_is_on(&variables->of[v]) && v != analysis->varied)
			continue;
		report_analysis_csv_fact(facts, names.lambda, names.slope_csv_unit,
					 analysis->lambda[v]);
		if (v != analysis->varied)
			continue;
		snprintf(left, sizeof left, "%s_left", names.lambda);
		report_analysis_csv_fact(facts, left, names.slope_csv_unit, analysis->lambda_left);
	}
}

static void csv_range(struct facts *facts, const char *name, const char *unit,
		      const struct range_ns *range)
{
	char quantity[32];

	snprintf(quantity, sizeof quantity, "%s_low", name);
	report_analysis_csv_fact(facts, quantity, unit, range->low);
	snprintf(quantity, sizeof quantity, "%s_high", name);
	report_analysis_csv_fact(facts, quantity, unit, range->high);
}

static void analysis_csv(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	const struct variables *variables = &model->loggps.variables;
	const struct variable *varied = &variables->of[analysis->varied];
	const struct report_variable names = report_variable(varied);
	struct facts facts = {stream, {
		.model = model, .engine = analysis->engine, .varied = analysis->varied,
		.percent = NAN,
	}};
	char tolerated[REPORT_NAME_BYTES], delta[REPORT_NAME_BYTES];
	char frozen[REPORT_NAME_BYTES + 8];

	report_csv_heading(stream, model);
	report_analysis_csv_fact(&facts, "ranks", "1", model->goal.rank_count);
	report_analysis_csv_fact(&facts, "operations", "1", model->graph.op_count);
	report_analysis_csv_fact(&facts, "messages", "1", model->graph.message_count);
	report_analysis_csv_fact(&facts, "runtime", "ns", analysis->runtime_ns);
	if (model_traced_ns(model)) {
		report_analysis_csv_fact(&facts, "traced", "ns", (double)model_traced_ns(model));
		report_analysis_csv_fact(&facts, "runtime_to_traced", "1",
					 model_to_traced(model, analysis->runtime_ns));
	}
	csv_slopes(&facts, variables, analysis);
	report_analysis_csv_fact(&facts, names.rho, "1", analysis->rho);
	if (analysis->has_basis)
		csv_range(&facts, "basis_range", names.unit, &analysis->basis);
	csv_range(&facts, "critical_range", names.unit, &analysis->critical);
	if (analysis->has_order) {
		const struct range_ns order = order_in_ns(&analysis->order);

		csv_range(&facts, "order_range", names.unit, &order);
	}
	if (analysis->baseline_ns)
		report_analysis_csv_fact(&facts, "baseline", "ns", (double)analysis->baseline_ns);
	snprintf(tolerated, sizeof tolerated, "tolerance_%s", varied->name);
	snprintf(delta, sizeof delta, "tolerance_delta_%s", varied->name);
	snprintf(frozen, sizeof frozen, "tolerance_frozen_%s", varied->name);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		facts.fact.percent = analysis->tolerance.items[i].percent;
		report_analysis_csv_fact(&facts, tolerated, names.unit,
					 analysis->tolerance.items[i].value_ns);
		report_analysis_csv_fact(&facts, delta, names.unit,
					 analysis->tolerance.items[i].delta_ns);
		if (analysis->resimulated)
			report_analysis_csv_fact(&facts, frozen, names.unit,
						 analysis->frozen.items[i].value_ns);
	}
}

void report_analysis(struct report *report, const struct model *model,
		     const struct analysis *analysis, bool with_basis)
{
	if (report->format == REPORT_CSV) {
		analysis_csv(report->stream, model, analysis);
		return;
	}
	report_begin_model(report, "llamp-analyze-1", model, analysis->varied, NULL, analysis->engine);
	if (report->format == REPORT_TEXT)
		analysis_text(report->stream, model, analysis, with_basis);
	else
		analysis_json(&report->json, model, analysis);
	report_end(report);
}
