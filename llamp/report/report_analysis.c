#include "llamp/report/report.h"

/* -------------------------------------------------------------------- text */

static void print_range(FILE *stream, const char *name, enum parameter parameter,
			const struct range_ns *range, const char *meaning)
{
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES], both[2 * UNIT_TEXT_BYTES + 4];

	snprintf(both, sizeof both, "%s to %s", report_value(parameter, range->low, low),
		 report_value(parameter, range->high, high));
	fprintf(stream, "%-16s%-26s  %s\n", name, both, meaning);
}

static void print_slope(FILE *stream, const char *name, double slope, const char *unit,
			const char *meaning)
{
	char number[UNIT_TEXT_BYTES], both[UNIT_TEXT_BYTES + 8];

	snprintf(both, sizeof both, "%s%s", report_number(slope, number), unit);
	fprintf(stream, "%-16s%-26s  %s\n", name, both, meaning);
}

/* The slope on the other side of a kink. */
static void print_below(FILE *stream, enum parameter parameter, double slope)
{
	char name[32], meaning[64];

	snprintf(name, sizeof name, "  below %s", parameter_name(parameter));
	snprintf(meaning, sizeof meaning, "%s is a critical %s", parameter_name(parameter),
		 parameter == PARAMETER_L ? "latency" : "value");
	print_slope(stream, name, slope, report_parameter(parameter)->slope_unit, meaning);
}

static void print_tolerance(FILE *stream, const struct analysis *analysis)
{
	char up_to[32], more[32];

	snprintf(up_to, sizeof up_to, "%s up to", parameter_name(analysis->varied));
	snprintf(more, sizeof more, "%s - %s0", parameter_name(analysis->varied),
		 parameter_name(analysis->varied));
	fprintf(stream, "\n%-10s%16s%16s\n", "tolerance", up_to, more);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerance *item = &analysis->tolerance.items[i];
		char percent[UNIT_TEXT_BYTES], value[UNIT_TEXT_BYTES], delta[UNIT_TEXT_BYTES];

		fprintf(stream, "%7s %% %16s%16s\n", report_number(item->percent, percent),
			report_value(analysis->varied, item->value_ns, value),
			report_value(analysis->varied, item->delta_ns, delta));
	}
}

/* All slopes, of the varied parameter also the left one where it is another. */
static void print_slopes(FILE *stream, const struct analysis *analysis)
{
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const struct report_parameter *parameter = report_parameter((enum parameter)i);
		char meaning[64];

		snprintf(meaning, sizeof meaning, "%s on the critical path", parameter->counted);
		print_slope(stream, parameter->lambda, analysis->lambda[i], parameter->slope_unit,
			    meaning);
		if (i != (int)analysis->varied ||
		    report_rounded(analysis->lambda_left) == report_rounded(analysis->lambda[i]))
			continue;
		print_below(stream, analysis->varied, analysis->lambda_left);
	}
}

static void print_text(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	const struct report_parameter *varied = report_parameter(analysis->varied);
	const char *name = parameter_name(analysis->varied);
	char time[UNIT_TEXT_BYTES], meaning[64];

	report_heading(stream, model, analysis->varied, NULL, analysis->engine);
	fprintf(stream, "%-16s%-26s  the program's runtime\n", "T",
		report_time(analysis->runtime_ns, time));
	print_slopes(stream, analysis);
	snprintf(meaning, sizeof meaning, "share of the critical path that is %s", varied->share);
	print_slope(stream, varied->rho, 100 * analysis->rho, " %", meaning);
	snprintf(meaning, sizeof meaning, "of %s: %s is the same", name, varied->lambda);
	print_range(stream, "critical range", analysis->varied, &analysis->critical, meaning);
	snprintf(meaning, sizeof meaning, "of %s: GLPK's basis stays optimal", name);
	if (analysis->has_basis)
		print_range(stream, "basis range", analysis->varied, &analysis->basis, meaning);
	print_tolerance(stream, analysis);
}

/* -------------------------------------------------------------------- JSON */

/* `what` and the parameter's unit make the key. */
static void json_range(struct json *json, const char *what,
		       const struct report_parameter *parameter, const struct range_ns *range)
{
	char key[64];

	snprintf(key, sizeof key, "%s_%s", what, parameter->unit);
	if (!range) {
		json_null(json, key);
		return;
	}
	json_begin(json, key, '[', JSON_INLINE);
	json_number(json, NULL, range->low);
	json_number(json, NULL, range->high);
	json_end(json);
}

static void json_slopes(struct json *json, const struct analysis *analysis)
{
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const char *lambda = report_parameter((enum parameter)i)->lambda;

		if (i != (int)analysis->varied) {
			json_number(json, lambda, analysis->lambda[i]);
			continue;
		}
		json_begin(json, lambda, '{', JSON_INLINE);
		json_number(json, "left", analysis->lambda_left);
		json_number(json, "right", analysis->lambda[i]);
		json_end(json);
	}
}

static void json_tolerance(struct json *json, const struct report_parameter *parameter,
			   const struct analysis *analysis)
{
	json_begin(json, "tolerance", '[', JSON_LINES);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerance *item = &analysis->tolerance.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_number(json, "percent", item->percent);
		json_number(json, parameter->value, item->value_ns);
		json_number(json, parameter->delta, item->delta_ns);
		json_end(json);
	}
	json_end(json);
}

static void print_json(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	const struct report_parameter *varied = report_parameter(analysis->varied);
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-analyze-1", model, analysis->engine);
	json_text(&json, "vary", parameter_name(analysis->varied));
	json_number(&json, "runtime_ns", analysis->runtime_ns);
	json_slopes(&json, analysis);
	json_number(&json, varied->rho, analysis->rho);
	json_range(&json, "basis_range", varied, analysis->has_basis ? &analysis->basis : NULL);
	json_range(&json, "critical_range", varied, &analysis->critical);
	json_tolerance(&json, varied, analysis);
	json_end(&json);
}

/* --------------------------------------------------------------------- CSV */

static void csv_number(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", number_text(value, text));
}

static void csv_attoseconds(FILE *stream, int64_t as)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", attoseconds_text(as, text));
}

static void csv_range(FILE *stream, const struct range_ns *range)
{
	csv_number(stream, range->low);
	csv_number(stream, range->high);
}

static void csv_header(FILE *stream, const struct analysis *analysis)
{
	const struct report_parameter *varied = report_parameter(analysis->varied);

	fputs("file,ranks,operations,messages,engine,L_ns,o_ns,g_ns,G_ns_per_byte,S_bytes,"
	      "rendezvous,runtime_ns", stream);
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const char *lambda = report_parameter((enum parameter)i)->lambda;

		if (i == (int)analysis->varied)
			fprintf(stream, ",%s_left,%s_right", lambda, lambda);
		else
			fprintf(stream, ",%s", lambda);
	}
	fprintf(stream, ",%s", varied->rho);
	fprintf(stream, ",basis_low_%s,basis_high_%s", varied->unit, varied->unit);
	fprintf(stream, ",critical_low_%s,critical_high_%s", varied->unit, varied->unit);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		char percent[NUMBER_TEXT_BYTES];

		number_text(analysis->tolerance.items[i].percent, percent);
		fprintf(stream, ",%s_%s%%,%s_%s%%", varied->value, percent, varied->delta, percent);
	}
	putc('\n', stream);
}

static void csv_parameters(FILE *stream, const struct loggps *loggps)
{
	csv_attoseconds(stream, loggps->L);
	csv_attoseconds(stream, loggps->o);
	csv_attoseconds(stream, loggps->g);
	csv_attoseconds(stream, loggps->G);
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		fprintf(stream, ",inf");
	else
		fprintf(stream, ",%llu", (unsigned long long)loggps->S);
	fprintf(stream, ",%s", rendezvous_name(loggps->rendezvous));
}

static void print_csv(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	csv_header(stream, analysis);
	report_csv_text(stream, model->path);
	fprintf(stream, ",%u,%u,%u,%s", model->goal.rank_count, model->graph.op_count,
		model->graph.message_count, engine_name(analysis->engine));
	csv_parameters(stream, &model->loggps);
	csv_number(stream, analysis->runtime_ns);
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		if (i == (int)analysis->varied)
			csv_number(stream, analysis->lambda_left);
		csv_number(stream, analysis->lambda[i]);
	}
	csv_number(stream, analysis->rho);
	if (analysis->has_basis)
		csv_range(stream, &analysis->basis);
	else
		fputs(",,", stream);
	csv_range(stream, &analysis->critical);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		csv_number(stream, analysis->tolerance.items[i].value_ns);
		csv_number(stream, analysis->tolerance.items[i].delta_ns);
	}
	putc('\n', stream);
}

void report_analysis(FILE *stream, enum report_format format, const struct model *model,
		     const struct analysis *analysis)
{
	switch (format) {
	case REPORT_TEXT:
		print_text(stream, model, analysis);
		break;
	case REPORT_JSON:
		print_json(stream, model, analysis);
		break;
	case REPORT_CSV:
		print_csv(stream, model, analysis);
		break;
	}
}
