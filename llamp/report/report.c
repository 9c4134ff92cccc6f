#include "llamp/report/report.h"

#include "common/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int option_report_format(const char *text, void *target, struct error *err)
{
	static const char *const names[] = {
		[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_CSV] = "csv", NULL};
	const int format = parse_choice(text, "format", names, err);

	TRY(format);
	*(enum report_format *)target = (enum report_format)format;
	return 0;
}

double report_rounded(double value)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%.10g", value);
	return strtod(text, NULL);
}

const char *report_number(double value, char text[static UNIT_TEXT_BYTES])
{
	if (isinf(value))
		return strcpy(text, "unbounded");
	snprintf(text, UNIT_TEXT_BYTES, "%.7g", report_rounded(value));
	return text;
}

const char *report_time(double ns, char text[static UNIT_TEXT_BYTES])
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{" s", 1e9}, {" ms", 1e6}, {" us", 1e3}, {" ns", 1}};
	size_t i = 0;

	if (isinf(ns))
		return strcpy(text, "unbounded");
	ns = report_rounded(ns);
	while (i < 3 && fabs(ns) < units[i].ns)
		i++;
	report_number(ns / units[i].ns, text);
	return strcat(text, units[i].name);
}

double report_ns(int128 as)
{
	return rational_ns((struct rational){as, 1});
}

static void print_count(FILE *stream, const char *before, uint32_t count, const char *what)
{
	fprintf(stream, "%s%u %s%s", before, count, what, plural(count));
}

const struct report_parameter *report_parameter(enum parameter parameter)
{
	static const struct report_parameter parameters[] = {
		[PARAMETER_L] = {"lambda_L", "rho_L", "L_ns", "delta_L_ns", "ns",
				 "latencies", "", "latency"},
		[PARAMETER_G] = {"lambda_G", "rho_G", "G_ns_per_byte", "delta_G_ns_per_byte",
				 "ns_per_byte", "bytes", " B", "bandwidth"},
		[PARAMETER_O] = {"lambda_o", "rho_o", "o_ns", "delta_o_ns", "ns",
				 "overheads", "", "overhead"},
	};

	return &parameters[parameter];
}

const char *report_value(enum parameter parameter, double value_ns,
			 char text[static UNIT_TEXT_BYTES])
{
	report_time(value_ns, text);
	return parameter == PARAMETER_G && !isinf(value_ns) ? strcat(text, "/B") : text;
}

static void print_parameter(FILE *stream, const char *before, const struct model *model,
			    enum parameter parameter, const char *values)
{
	char text[UNIT_TEXT_BYTES];

	if (!values)
		values = report_value(parameter,
				      report_ns(loggps_value(&model->loggps, parameter)), text);
	fprintf(stream, "%s%s %s, ", before, parameter_name(parameter), values);
}

void report_heading(FILE *stream, const struct model *model, enum parameter varied,
		    const char *values, enum engine engine)
{
	const struct loggps *loggps = &model->loggps;
	const char *shown[PARAMETER_COUNT] = {NULL};
	char gap[UNIT_TEXT_BYTES];

	shown[varied] = values;
	print_count(stream, "program     ", model->goal.rank_count, "rank");
	print_count(stream, ", ", model->graph.op_count, "operation");
	print_count(stream, ", ", model->graph.message_count, "message");
	print_parameter(stream, "\nparameters  ", model, PARAMETER_L, shown[PARAMETER_L]);
	print_parameter(stream, "", model, PARAMETER_O, shown[PARAMETER_O]);
	fprintf(stream, "g %s, ", report_time(report_ns(loggps->g), gap));
	print_parameter(stream, "", model, PARAMETER_G, shown[PARAMETER_G]);
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		fprintf(stream, "S none\n");
	else
		fprintf(stream, "S %llu B (rendezvous: %s)\n", (unsigned long long)loggps->S,
			rendezvous_name(loggps->rendezvous));
	fprintf(stream, "engine      %s\n\n", engine_name(engine));
}

static void json_parameters(struct json *json, const struct loggps *loggps)
{
	json_begin(json, "parameters", '{', JSON_INLINE);
	json_attoseconds(json, "L", loggps->L);
	json_attoseconds(json, "o", loggps->o);
	json_attoseconds(json, "g", loggps->g);
	json_attoseconds(json, "G", loggps->G);
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		json_null(json, "S");
	else
		json_integer(json, "S", loggps->S);
	json_text(json, "rendezvous", rendezvous_name(loggps->rendezvous));
	json_end(json);
}

void report_json_heading(struct json *json, const char *schema, const struct model *model,
			 enum engine engine)
{
	json_text(json, "schema", schema);
	json_text(json, "file", model->path);
	json_integer(json, "ranks", model->goal.rank_count);
	json_integer(json, "operations", model->graph.op_count);
	json_integer(json, "messages", model->graph.message_count);
	json_text(json, "engine", engine_name(engine));
	json_parameters(json, &model->loggps);
}

void report_csv_text(FILE *stream, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, stream);
		return;
	}
	putc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', stream);
		putc(*text, stream);
	}
	putc('"', stream);
}
