#include "llamp/report/report.h"

static void print_text(FILE *stream, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	const enum parameter varied = range->varied;
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES], both[2 * UNIT_TEXT_BYTES + 4];
	const struct report_parameter *parameter = report_parameter(varied);

	snprintf(both, sizeof both, "%s to %s",
		 report_value(varied, report_ns(range->from_as), from),
		 report_value(varied, report_ns(range->to_as), to));
	report_heading(stream, model, varied, both, ENGINE_PATH);
	fprintf(stream, "%16s%16s%12s%12s\n", parameter_name(varied), "T", parameter->lambda,
		parameter->rho);
	for (size_t i = 0; i < sweep->points.count; i++) {
		const struct sweep_point *point = &sweep->points.items[i];
		char value[UNIT_TEXT_BYTES], runtime[UNIT_TEXT_BYTES], lambda[UNIT_TEXT_BYTES];

		fprintf(stream, "%16s%16s%12s%10.2f %%\n",
			report_value(varied, point->value_ns, value),
			report_time(point->runtime_ns, runtime),
			report_number(point->lambda, lambda), 100 * point->rho);
	}
}

static void json_from_to(struct json *json, const struct sweep_range *range)
{
	const char *unit = report_parameter(range->varied)->unit;
	char key[32];

	json_text(json, "vary", parameter_name(range->varied));
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

static void print_json(FILE *stream, const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep)
{
	const struct report_parameter *parameter = report_parameter(range->varied);
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-sweep-1", model, ENGINE_PATH);
	json_from_to(&json, range);
	json_begin(&json, "points", '[', JSON_LINES);
	for (size_t i = 0; i < sweep->points.count; i++) {
		json_begin(&json, NULL, '{', JSON_INLINE);
		json_number(&json, parameter->value, sweep->points.items[i].value_ns);
		json_number(&json, "runtime_ns", sweep->points.items[i].runtime_ns);
		json_number(&json, parameter->lambda, sweep->points.items[i].lambda);
		json_number(&json, parameter->rho, sweep->points.items[i].rho);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void print_csv(FILE *stream, const struct sweep_range *range, const struct sweep *sweep)
{
	const struct report_parameter *parameter = report_parameter(range->varied);

	fprintf(stream, "%s,T,%s,%s\n", parameter_name(range->varied), parameter->lambda,
		parameter->rho);
	for (size_t i = 0; i < sweep->points.count; i++) {
		const struct sweep_point *point = &sweep->points.items[i];
		char value[NUMBER_TEXT_BYTES], runtime[NUMBER_TEXT_BYTES];
		char lambda[NUMBER_TEXT_BYTES], rho[NUMBER_TEXT_BYTES];

		fprintf(stream, "%s,%s,%s,%s\n", number_text(point->value_ns, value),
			number_text(point->runtime_ns, runtime),
			number_text(point->lambda, lambda), number_text(point->rho, rho));
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
		print_csv(stream, range, sweep);
		break;
	}
}
