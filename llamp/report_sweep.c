#include "llamp/report.h"

static void print_text(FILE *stream, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES], latency[2 * UNIT_TEXT_BYTES + 4];

	snprintf(latency, sizeof latency, "%s to %s", report_time(report_ns(range->from_as), from),
		 report_time(report_ns(range->to_as), to));
	report_heading(stream, model, latency, ENGINE_PATH);
	fprintf(stream, "%16s%16s%12s%12s\n", "L", "T", "lambda_L", "rho_L");
	for (size_t i = 0; i < sweep->points.count; i++) {
		const struct sweep_point *point = &sweep->points.items[i];
		char L[UNIT_TEXT_BYTES], T[UNIT_TEXT_BYTES], lambda[UNIT_TEXT_BYTES];

		fprintf(stream, "%16s%16s%12s%10.2f %%\n", report_time(point->latency_ns, L),
			report_time(point->runtime_ns, T), report_number(point->lambda_L, lambda),
			100 * point->rho_L);
	}
}

static void print_json(FILE *stream, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-sweep-1", model, ENGINE_PATH);
	json_attoseconds(&json, "from_ns", range->from_as);
	json_attoseconds(&json, "to_ns", range->to_as);
	if (range->step_as > 0)
		json_attoseconds(&json, "step_ns", range->step_as);
	else
		json_null(&json, "step_ns");
	json_begin(&json, "points", '[', JSON_LINES);
	for (size_t i = 0; i < sweep->points.count; i++) {
		json_begin(&json, NULL, '{', JSON_INLINE);
		json_number(&json, "L_ns", sweep->points.items[i].latency_ns);
		json_number(&json, "runtime_ns", sweep->points.items[i].runtime_ns);
		json_number(&json, "lambda_L", sweep->points.items[i].lambda_L);
		json_number(&json, "rho_L", sweep->points.items[i].rho_L);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void print_csv(FILE *stream, const struct sweep *sweep)
{
	fprintf(stream, "L,T,lambda_L,rho_L\n");
	for (size_t i = 0; i < sweep->points.count; i++) {
		const struct sweep_point *point = &sweep->points.items[i];
		char L[NUMBER_TEXT_BYTES], T[NUMBER_TEXT_BYTES];
		char lambda[NUMBER_TEXT_BYTES], rho[NUMBER_TEXT_BYTES];

		fprintf(stream, "%s,%s,%s,%s\n", number_text(point->latency_ns, L),
			number_text(point->runtime_ns, T), number_text(point->lambda_L, lambda),
			number_text(point->rho_L, rho));
	}
}

void report_sweep(FILE *stream, enum report_format format, const struct model *model,
		  const struct sweep_range *range, const struct sweep *sweep)
{
	switch (format) {
	case REPORT_TEXT:
		print_text(stream, model, range, sweep);
		break;
	case REPORT_JSON:
		print_json(stream, model, range, sweep);
		break;
	case REPORT_CSV:
		print_csv(stream, sweep);
		break;
	}
}
