#include "llamp/report/report.h"

#include "common/text.h"

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

const char *report_number(double value, char text[static UNIT_TEXT_BYTES])
{
	return format_number(value, REPORT_DIGITS, text);
}

const char *report_time(double ns, char text[static UNIT_TEXT_BYTES])
{
	return format_time(ns, REPORT_DIGITS, text);
}

const char *report_share(int128 as, int128 runtime_as, char text[static UNIT_TEXT_BYTES])
{
	snprintf(text, UNIT_TEXT_BYTES, "%.2f %%",
		 runtime_as > 0 ? 100 * (double)as / (double)runtime_as : 0);
	return text;
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
	print_count(stream, "graph       ", model->goal.rank_count, "rank");
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

/* --------------------------------------------------------------------- CSV */

static void csv_attoseconds(FILE *stream, int64_t as)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", attoseconds_text(as, text));
}

static void csv_number(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", isnan(value) ? "" : number_text(value, text));
}

const char report_csv_model_columns[] =
	"file,engine,L_ns,o_ns,g_ns,G_ns_per_byte,S_bytes,rendezvous";

void report_csv_model(FILE *stream, const struct model *model, enum engine engine,
		      enum parameter varied, const double *value_ns)
{
	static const enum parameter order[] = {PARAMETER_L, PARAMETER_O, PARAMETER_COUNT,
					       PARAMETER_G};
	const struct loggps *loggps = &model->loggps;

	text_print_csv(stream, model->path);
	fprintf(stream, ",%s", engine_name(engine));
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (order[i] == PARAMETER_COUNT)
			csv_attoseconds(stream, loggps->g);
		else if (value_ns && order[i] == varied)
			csv_number(stream, *value_ns);
		else
			csv_attoseconds(stream, loggps_value(loggps, order[i]));
	}
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		fprintf(stream, ",inf");
	else
		fprintf(stream, ",%llu", (unsigned long long)loggps->S);
	fprintf(stream, ",%s", rendezvous_name(loggps->rendezvous));
}

void report_csv_heading(FILE *stream)
{
	fprintf(stream, "%s,vary,quantity,percent,unit,value\n", report_csv_model_columns);
}

void report_csv_fact(FILE *stream, const struct report_fact *fact)
{
	report_csv_model(stream, fact->model, fact->engine, fact->varied, fact->at_ns);
	fprintf(stream, ",%s,%s", parameter_name(fact->varied), fact->quantity);
	csv_number(stream, fact->percent);
	fprintf(stream, ",%s", fact->unit);
	csv_number(stream, fact->value);
	putc('\n', stream);
}
