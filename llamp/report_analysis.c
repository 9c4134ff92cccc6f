#include "llamp/report.h"

/* -------------------------------------------------------------------- text */

static void print_range(FILE *stream, const char *name, const struct range_ns *range,
			const char *meaning)
{
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES], both[2 * UNIT_TEXT_BYTES + 4];

	snprintf(both, sizeof both, "%s to %s", report_time(range->low, low),
		 report_time(range->high, high));
	fprintf(stream, "%-16s%-26s  %s\n", name, both, meaning);
}

static void print_slope(FILE *stream, const char *name, double slope, const char *unit,
			const char *meaning)
{
	char number[UNIT_TEXT_BYTES], both[UNIT_TEXT_BYTES + 8];

	snprintf(both, sizeof both, "%s%s", report_number(slope, number), unit);
	fprintf(stream, "%-16s%-26s  %s\n", name, both, meaning);
}

static void print_tolerance(FILE *stream, const struct analysis *analysis)
{
	fprintf(stream, "\n%-10s%16s%16s\n", "tolerance", "L up to", "L - L0");
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerated *item = &analysis->tolerance.items[i];
		char percent[UNIT_TEXT_BYTES], latency[UNIT_TEXT_BYTES], delta[UNIT_TEXT_BYTES];

		fprintf(stream, "%7s %% %16s%16s\n", report_number(item->percent, percent),
			report_time(item->latency_ns, latency),
			report_time(item->delta_ns, delta));
	}
}

static void print_text(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	char time[UNIT_TEXT_BYTES];

	report_heading(stream, model, report_time(report_ns(model->loggps.L), time),
		       analysis->engine);
	fprintf(stream, "%-16s%-26s  the program's runtime\n", "T",
		report_time(analysis->runtime_ns, time));
	print_slope(stream, "lambda_L", analysis->lambda_L_right, "",
		    "latencies on the critical path");
	if (report_rounded(analysis->lambda_L_left) != report_rounded(analysis->lambda_L_right))
		print_slope(stream, "  below L", analysis->lambda_L_left, "",
			    "L is a critical latency");
	print_slope(stream, "lambda_G", analysis->lambda_G, " B", "bytes on the critical path");
	print_slope(stream, "lambda_o", analysis->lambda_o, "", "overheads on the critical path");
	print_slope(stream, "rho_L", 100 * analysis->rho_L, " %",
		    "share of the critical path that is latency");
	print_range(stream, "critical range", &analysis->critical, "of L: lambda_L is the same");
	if (analysis->has_basis)
		print_range(stream, "basis range", &analysis->basis,
			    "of L: GLPK's basis stays optimal");
	if (analysis->certified) {
		char pivots[UNIT_TEXT_BYTES];

		snprintf(pivots, sizeof pivots, "%lld pivots", (long long)analysis->pivots);
		fprintf(stream, "%-16s%-26s  GLPK's, from the longest path: it agrees\n", "certificate",
			pivots);
	}
	print_tolerance(stream, analysis);
}

/* -------------------------------------------------------------------- JSON */

static void json_range(struct json *json, const char *key, const struct range_ns *range)
{
	json_begin(json, key, '[', JSON_INLINE);
	json_number(json, NULL, range->low);
	json_number(json, NULL, range->high);
	json_end(json);
}

static void json_tolerance(struct json *json, const struct analysis *analysis)
{
	json_begin(json, "tolerance", '[', JSON_LINES);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerated *item = &analysis->tolerance.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_number(json, "percent", item->percent);
		json_number(json, "L_ns", item->latency_ns);
		json_number(json, "delta_L_ns", item->delta_ns);
		json_end(json);
	}
	json_end(json);
}

static void print_json(FILE *stream, const struct model *model, const struct analysis *analysis)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-analyze-1", model, analysis->engine);
	json_number(&json, "runtime_ns", analysis->runtime_ns);
	json_begin(&json, "lambda_L", '{', JSON_INLINE);
	json_number(&json, "left", analysis->lambda_L_left);
	json_number(&json, "right", analysis->lambda_L_right);
	json_end(&json);
	json_number(&json, "lambda_G", analysis->lambda_G);
	json_number(&json, "lambda_o", analysis->lambda_o);
	json_number(&json, "rho_L", analysis->rho_L);
	if (analysis->has_basis)
		json_range(&json, "basis_range_ns", &analysis->basis);
	else
		json_null(&json, "basis_range_ns");
	json_range(&json, "critical_range_ns", &analysis->critical);
	if (analysis->certified)
		json_integer(&json, "certificate_pivots", (uint64_t)analysis->pivots);
	json_tolerance(&json, analysis);
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
	fputs("file,ranks,operations,messages,engine,L_ns,o_ns,g_ns,G_ns_per_byte,S_bytes,rendezvous,"
	      "runtime_ns,lambda_L_left,lambda_L_right,lambda_G,lambda_o,rho_L,"
	      "basis_low_ns,basis_high_ns,critical_low_ns,critical_high_ns", stream);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		char percent[NUMBER_TEXT_BYTES];

		number_text(analysis->tolerance.items[i].percent, percent);
		fprintf(stream, ",L_ns_%s%%,delta_L_ns_%s%%", percent, percent);
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
	csv_number(stream, analysis->lambda_L_left);
	csv_number(stream, analysis->lambda_L_right);
	csv_number(stream, analysis->lambda_G);
	csv_number(stream, analysis->lambda_o);
	csv_number(stream, analysis->rho_L);
	if (analysis->has_basis)
		csv_range(stream, &analysis->basis);
	else
		fputs(",,", stream);
	csv_range(stream, &analysis->critical);
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		csv_number(stream, analysis->tolerance.items[i].latency_ns);
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
