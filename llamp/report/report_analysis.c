/* Output of llamp analyze. */
#include "llamp/report/report.h"

#include <math.h>
#include <string.h>

struct data {
	const struct model *model;
	const struct analysis *analysis;
	const struct variable *varied;
	const struct overlap *overlap;
	bool with_basis;
};

/* --------------------------------------------------------------------- slopes */

static const char *const slope_meanings[LOGGPS_COUNT] = {
	[VARIABLE_L] = "Slope of T in L: latencies on the critical path. Left and right slope if it is"
		       " varied, else the right slope, as for all variables",
	[VARIABLE_G] = "Slope of T in G: bytes on the critical path",
	[VARIABLE_o] = "Slope of T in o: overheads on the critical path",
	[VARIABLE_g] = "Slope of T in g: gaps on the critical path. Only if g is above 0, or varied",
	[VARIABLE_O] = "Slope of T in O: bytes that overheads handle on the critical path. Only if O is"
		       " above 0, or varied",
};

/* Names of a variable, and of its slope to the left. */
struct slope_names {
	struct report_variable of;
	char below[VARIABLE_NAME_BYTES + 16];
};

/* Tell whether the slope of a variable is in the report; a schema has those of all networks. */
static bool has_slope(const struct data *data, uint32_t v, bool in_schema)
{
	const struct variable *variable = &data->model->loggps.variables.of[v];

	return in_schema ? v < LOGGPS_COUNT : variable_is_on(variable) || variable == data->varied;
}

/* Add fields for the slopes of all variables; the varied one has those to both sides. */
static struct report_field *add_slopes(struct report_field *fields, struct slope_names *slopes,
				       const struct data *data, const struct report_variable *varied,
				       bool in_schema)
{
	const struct variables *variables = &data->model->loggps.variables;

	for (uint32_t v = 0; v < variables->count; v++) {
		const struct variable *variable = &variables->of[v];
		const bool is_varied = !varied->is_any && !strcmp(variable->name, varied->vary[0]);
		const bool may_lack = variable->zero_is_off && !is_varied;

		if (!has_slope(data, v, in_schema))
			continue;
		slopes->of = report_variable(variable);
		*fields++ = (struct report_field){
			slopes->of.lambda, slopes->of.lambda, is_varied ? VALUE_SLOPES : VALUE_SLOPE,
			.flags = may_lack ? FIELD_OPTIONAL : 0, .unit = slopes->of.slope_csv_unit,
			.meaning = v < LOGGPS_COUNT ? slope_meanings[v] : NULL};
		if (is_varied) {
			snprintf(slopes->below, sizeof slopes->below, "  below %s", variable->name);
			*fields++ = (struct report_field){NULL, slopes->below, VALUE_SLOPE,
							  .unit = slopes->of.slope_csv_unit};
		}
		slopes++;
	}
	return fields;
}

static void put_varied(struct report_row *row, const struct analysis *analysis,
		       const struct variable *variable)
{
	const double right = analysis->lambda[analysis->varied], left = analysis->lambda_left;

	put_slopes(row, left, right);
	row_note(row, "%s is a critical %s", variable->name,
		 variable->category == CATEGORY_LATENCY ? "latency" : "value");
	put_number(row, round_digits(left) != round_digits(right) ? left : NAN);
}

static void put_all_slopes(struct report_row *row, const struct data *data)
{
	const struct variables *variables = &data->model->loggps.variables;

	for (uint32_t v = 0; v < variables->count; v++) {
		if (!has_slope(data, v, false))
			continue;
		row_note(row, "%s on the critical path", variables->of[v].counted);
		if (v == data->analysis->varied)
			put_varied(row, data->analysis, &variables->of[v]);
		else
			put_number(row, data->analysis->lambda[v]);
	}
}

/* ---------------------------------------------------------------------- facts */

static void put_range_if(struct report_row *row, bool known, const struct range_ns *range)
{
	if (known)
		put_range(row, range->low, range->high);
	else
		put_none(row);
}

/* The range of the order of service; an end that is not exact may be farther away. */
static void put_order(struct report_row *row, const struct data *data)
{
	const struct order_range *order = &data->analysis->order;
	const struct range_ns range = order_in_ns(order);
	const bool exact[] = {order->low_exact, order->high_exact};

	row_note(row, "of %s: requests are served in the same order%s", data->varied->name,
		 exact[0] && exact[1] ? "" : ", at least");
	put_range_if(row, data->analysis->has_order, &range);
	if (data->analysis->has_order)
		put_truths(row, exact, 2);
	else
		put_missing(row);
}

static void put_runtime(struct report_row *row, const struct data *data)
{
	const struct model *model = data->model;
	const double runtime_ns = data->analysis->runtime_ns;
	char traced[UNIT_TEXT_BYTES], async[REPORT_ASYNC_BYTES];

	row_note(row, "runtime");
	put_number(row, runtime_ns);
	put_count_or_none(row, model_traced_ns(model), model_traced_ns(model));
	row_note(row, "the traced run took %s", report_traced(model, traced));
	put_number(row, model_to_traced(model, runtime_ns));
	row_note(row, "%s", report_async_text(data->overlap, runtime_ns, async));
	if (data->overlap->messages)
		put_number(row, report_ns(data->overlap->async_as));
	else
		put_missing(row);
}

static void fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct data *of = data;
	const struct analysis *analysis = of->analysis;
	const char *name = of->varied->name;

	(void)number;
	put_count(row, of->model->goal.rank_count);
	put_count(row, of->model->graph.op_count);
	put_count(row, of->model->graph.message_count);
	put_name(row, name);
	put_runtime(row, of);
	put_all_slopes(row, of);
	row_note(row, "share of the path that is %s", category_names[of->varied->category]);
	put_number(row, analysis->rho);
	put_range_if(row, analysis->has_basis, &analysis->basis);
	row_note(row, "of %s: lambda_%s is the same", name, name);
	put_range_if(row, true, &analysis->critical);
	row_note(row, "of %s: GLPK's basis stays optimal", name);
	put_range_if(row, analysis->has_basis, &analysis->basis);
	put_order(row, of);
	put_count_or_none(row, analysis->baseline_ns, analysis->baseline_ns);
	put_name(row, report_tolerance_order(of->model, analysis->resimulated));
}

/* Slopes of variables that only some networks have, and of any varied one. */
static const struct report_field *slope_patterns(bool is_any)
{
	static const struct report_field further[] = {
		{"^lambda_..", NULL, VALUE_SLOPE, .meaning = "Slopes of further variables, as those of L"},
		{0},
	};
	static const struct report_field any[] = {
		{"^lambda_..", NULL, VALUE_ANY, .meaning = "Slopes of further variables, as those of L"},
		{"^rho_..", NULL, .kind = VALUE_NUMBER},
		{0},
	};

	return is_any ? any : further;
}

static void write_facts(struct report *report, const struct report_variable *names,
			const struct data *data)
{
	enum { OTHERS = 20 };
	struct report_field fields[2 * VARIABLES_MOST + OTHERS], *field;
	struct slope_names slopes[VARIABLES_MOST];
	char basis[REPORT_NAME_BYTES], critical[REPORT_NAME_BYTES], order[REPORT_NAME_BYTES];
	const struct report_field sizes[] = {
		{"ranks", NULL, VALUE_COUNT, .flags = FIELD_CSV},
		{"operations", NULL, VALUE_COUNT, .flags = FIELD_CSV},
		{"messages", NULL, VALUE_COUNT, .flags = FIELD_CSV},
		{REPORT_VARY_FIELD(names) | FIELD_JSON,
		 .meaning = "Variable that ranges and tolerances refer to"},
		{"runtime_ns", "T", VALUE_NS, .unit = "ns", .quantity = "runtime", .meaning = "T"},
		{"traced", NULL, VALUE_TIME, .flags = FIELD_CSV, .unit = "ns"},
		{"runtime_to_traced", "T / traced", VALUE_NUMBER, .flags = FIELD_NULL,
		 .meaning = "T / traced_ns; null if traced_ns is"},
		{"runtime_async_ns", "T async", VALUE_NS, .unit = "ns", .quantity = "runtime_async",
		 REPORT_ASYNC},
	};
	const struct report_field ranges[] = {
		{REPORT_KEY(names, rho), names->rho, VALUE_LONG_SHARE,
		 .meaning = "The variable times its right slope / T, or 0 if T is 0"},
		{basis, NULL, VALUE_RANGE, .flags = FIELD_NULL, .unit = names->unit,
		 .quantity = "basis_range",
		 .meaning = "Interval of the varied parameter in which GLPK's basis stays optimal. null"
			    " from the path engine"},
		{critical, "critical range", VALUE_RANGE, .unit = names->unit,
		 .quantity = "critical_range", .ends = names->kind,
		 .meaning = "Interval of the varied parameter in which its right slope stays the same"},
		{NULL, data->with_basis ? "basis range" : NULL, VALUE_RANGE, .ends = names->kind},
		{order, "order range", VALUE_RANGE, .flags = FIELD_NULL, .unit = names->unit,
		 .quantity = "order_range", .ends = names->kind,
		 .meaning = "Interval of the varied parameter in which requests are served in the same"
			    " order; null without resources"},
		{"order_range_exact", NULL, VALUE_TRUTHS, .flags = FIELD_OPTIONAL | FIELD_JSON,
		 .meaning = "Whether another request is served first beyond the low and the high end; if"
			    " not, the order holds at least up to there"},
		{"baseline_ns", NULL, VALUE_TIME, .flags = FIELD_NULL | FIELD_POSITIVE, .unit = "ns",
		 .quantity = "baseline",
		 .meaning = "Runtime that tolerances are relative to; null: runtime_ns"},
		{REPORT_TOLERANCE_ORDER | FIELD_JSON},
		{0},
	};

	snprintf(basis, sizeof basis, "basis_range_%s", names->unit);
	snprintf(critical, sizeof critical, "critical_range_%s", names->unit);
	snprintf(order, sizeof order, "order_range_%s", names->unit);
	memcpy(fields, sizes, sizeof sizes);
	field = add_slopes(fields + sizeof sizes / sizeof *sizes, slopes, data, names,
			   report->format == REPORT_SCHEMA);
	memcpy(field, ranges, sizeof ranges);
	report_facts(report, &(struct report_facts){
		.fields = fields, .row = fact_row, .data = data,
		.patterns = slope_patterns(names->is_any)});
}

/* ------------------------------------------------------------------ tolerances */

static void tolerance_row(struct report_row *row, const void *data, size_t number)
{
	const struct analysis *analysis = ((const struct data *)data)->analysis;
	const struct tolerance *item = &analysis->tolerance.items[number];
	char percent[NUMBER_TEXT_BYTES];

	row_qualify(row, number_text(item->percent, percent));
	put_number(row, item->percent);
	put_number(row, item->value_ns);
	put_number(row, item->none && row_in_text(row) ? NAN : item->delta_ns);
	if (analysis->resimulated)
		put_number(row, analysis->frozen.items[number].value_ns);
	else
		put_missing(row);
	if (item->none)
		put_truth(row, true);
	else
		put_missing(row);
}

static void write_tolerances(struct report *report, const struct report_variable *names,
			     const struct data *data)
{
	static const struct report_field others = {
		NULL, NULL, VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED};
	const struct analysis *analysis = data->analysis;
	const char *name = data->varied->name;
	char up_to[REPORT_NAME_BYTES], more[2 * REPORT_NAME_BYTES], frozen[2 * REPORT_NAME_BYTES];
	char tolerated[2 * REPORT_NAME_BYTES], delta[2 * REPORT_NAME_BYTES];
	char still[2 * REPORT_NAME_BYTES], title[128], baseline[UNIT_TEXT_BYTES];
	const struct report_field fields[] = {
		{"percent", "tolerance", VALUE_PERCENT, .flags = FIELD_JSON},
		{REPORT_KEY(names, value), up_to, names->kind, .width = 15, .flags = FIELD_NULL,
		 .unit = names->unit, .quantity = tolerated},
		{REPORT_KEY(names, delta), more, names->kind, .width = 14,
		 .flags = FIELD_NULL | FIELD_SIGNED, .unit = names->unit, .quantity = delta,
		 .meaning = "The value less that of the parameters; below 0 only with baseline_ns"},
		{names->is_any ? NULL : frozen, NULL, names->kind,
		 .flags = FIELD_NULL | FIELD_OPTIONAL, .unit = names->unit, .quantity = still,
		 .meaning = "With resources: the tolerance for the order of service at the given"
			    " parameters"},
		{"none", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL | FIELD_JSON,
		 .meaning = "T is above the bound even at 0: no value is small enough"},
		{0},
	};

	snprintf(up_to, sizeof up_to, "%s up to", name);
	snprintf(more, sizeof more, "%s - %s0", name, name);
	snprintf(frozen, sizeof frozen, "frozen_%s", names->value);
	snprintf(tolerated, sizeof tolerated, "tolerance_%s", name);
	snprintf(delta, sizeof delta, "tolerance_delta_%s", name);
	snprintf(still, sizeof still, "tolerance_frozen_%s", name);
	snprintf(title, sizeof title, "tolerances are relative to %s%s, not to T",
		 report_time((double)analysis->baseline_ns, baseline),
		 analysis->baseline_ns == model_traced_ns(data->model) ? " (traced)" : "");
	report_table(report, &(struct report_table){
		"tolerance",
		.meaning = "Largest value of the varied parameter for which T is no more than the"
			   " percentage above the baseline, or null if it is unbounded or none",
		.title = analysis->baseline_ns ? title : NULL, .fields = fields,
		.others = names->is_any ? &others : NULL, .row = tolerance_row, .data = data,
		.count = analysis->tolerance.count});
}

static void print_remarks(FILE *stream, const struct data *data)
{
	const struct analysis *analysis = data->analysis;
	bool some_none = false;

	for (size_t i = 0; i < analysis->tolerance.count; i++)
		some_none |= analysis->tolerance.items[i].none;
	if (some_none)
		fprintf(stream, "none: T at %s = 0 is above\n", data->varied->name);
	if (analysis->has_order && analysis->tolerance.count)
		fputs(analysis->resimulated
			      ? "the order of service was decided again at each tolerance\n"
			      : "tolerances hold for one order of service, which changes outside the order"
				" range\n",
		      stream);
}

/* ---------------------------------------------------------------------- report */

static void write_analysis(struct report *report, const struct report_variable *names,
			   const void *data)
{
	const struct data *of = data;

	report_begin_model(report, "llamp-analyze-1", of->model, of->analysis->varied, NULL,
			   of->analysis->engine);
	write_facts(report, names, of);
	write_tolerances(report, names, of);
	report_end(report);
	if (report->format == REPORT_TEXT)
		print_remarks(report->stream, of);
}

void report_analysis(struct report *report, const struct model *model,
		     const struct analysis *analysis, const struct overlap *overlap, bool with_basis)
{
	const struct variables *variables = &model->loggps.variables;
	const struct variable *varied = &variables->of[analysis->varied];
	const struct data data = {model, analysis, varied, overlap, with_basis};
	const struct report_variable names = report_variable(varied);
	const struct report_columns columns = {model, analysis->engine, analysis->varied, NULL, NULL};

	report_csv_facts(report, &columns);
	if (report->format == REPORT_SCHEMA)
		report_variable_forms(report, variables, write_analysis, &data);
	else
		write_analysis(report, &names, &data);
}
