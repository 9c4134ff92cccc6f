#include "llamp/report/report.h"

#include "common/options.h"
#include "common/text.h"
#include "llamp/network/network.h"
#include "llamp/network/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *report_number(double value, char text[static UNIT_TEXT_BYTES])
{
	return format_number(value, REPORT_DIGITS, text);
}

const char *report_time(double ns, char text[static UNIT_TEXT_BYTES])
{
	return format_time(ns, REPORT_DIGITS, text);
}

const char *report_percent(double percent, char text[static UNIT_TEXT_BYTES])
{
	report_number(percent, text);
	return strcat(text, " %");
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

struct report_variable report_variable(const struct variable *variable)
{
	static const struct report_variable by_unit[] = {
		[UNIT_TIME] = {.unit = "ns", .slope_unit = "", .slope_csv_unit = "1"},
		[UNIT_TIME_PER_BYTE] = {.unit = "ns_per_byte", .slope_unit = " B",
					.slope_csv_unit = "B"},
		[UNIT_FACTOR] = {.unit = "factor", .slope_unit = " ns", .slope_csv_unit = "ns"},
	};
	struct report_variable names = by_unit[variable->unit];

	snprintf(names.lambda, sizeof names.lambda, "lambda_%s", variable->name);
	snprintf(names.rho, sizeof names.rho, "rho_%s", variable->name);
	snprintf(names.value, sizeof names.value, "%s_%s", variable->name, names.unit);
	snprintf(names.delta, sizeof names.delta, "delta_%s_%s", variable->name, names.unit);
	return names;
}

const char *report_value(const struct variable *variable, double value_ns,
			 char text[static UNIT_TEXT_BYTES])
{
	if (variable->unit == UNIT_FACTOR)
		return report_number(value_ns, text);
	report_time(value_ns, text);
	return variable->unit == UNIT_TIME_PER_BYTE && !isinf(value_ns) ? strcat(text, "/B") : text;
}

/* Items of a line, separated by commas.  Lines that go on are indented. */
struct items {
	FILE *stream;
	int column, columns;
};

static void print_item(struct items *items, const char *name, const char *value)
{
	enum { INDENT = 12 };
	const int width = text_width(name) + 1 + text_width(value);

	if (items->column > INDENT) {
		const bool fits = items->column + 2 + width + 1 <= items->columns;

		fprintf(items->stream, ",%s%*s", fits ? " " : "\n", fits ? 0 : INDENT, "");
		items->column = fits ? items->column + 2 : INDENT;
	}
	fprintf(items->stream, "%s %s", name, value);
	items->column += width;
}

/* Tell whether it matters where the ranks are. */
static bool shows_places(const struct loggps *loggps)
{
	return loggps->network && (network_has_places(loggps->network) ||
				   loggps->resources & RESOURCE_NODE_NIC);
}

/* Write that the ranks are on the nodes of the trace. */
static void print_nodes(FILE *stream, const struct network *network)
{
	uint32_t count = 0;

	for (uint32_t rank = 0; rank < network->listed; rank++)
		count = network->hosts[rank] >= count ? network->hosts[rank] + 1 : count;
	fprintf(stream, "ranks on %u node%s, as in the trace\n", count, plural(count));
}

/* Write where the ranks are, in a network in which that matters. */
static void print_network(FILE *stream, const struct network *network)
{
	const struct topology *topology = network->topology;

	fprintf(stream, "network     ");
	if (topology)
		fprintf(stream, "%s of %u host%s; ", topology_name(topology), topology->host_count,
			plural(topology->host_count));
	if (network->mapping == MAPPING_LIST)
		fprintf(stream, "ranks on hosts of a list\n");
	else if (network->mapping == MAPPING_TRACE)
		print_nodes(stream, network);
	else
		fprintf(stream, "%u rank%s per node, %s\n", network->ranks_per_node,
			plural(network->ranks_per_node), mapping_name(network->mapping));
}

void report_parameters(FILE *stream, const struct model *model, uint32_t varied,
		       const char *values)
{
	const struct loggps *loggps = &model->loggps;
	const struct variables *variables = &loggps->variables;

	struct items items = {stream, 0, text_table_columns(stream)};
	char threshold[UNIT_TEXT_BYTES];

	items.column = fprintf(stream, "parameters  ");
	for (uint32_t i = 0; i < variables->count; i++) {
		const uint32_t v = variables_listed(variables, i);
		const struct variable *variable = &variables->of[v];
		char text[UNIT_TEXT_BYTES];

		if (!variable_is_on(variable) && v != varied)
			continue;
		report_value(variable, report_ns(variable->value_as), text);
		print_item(&items, variable->name, v == varied && values ? values : text);
	}
	snprintf(threshold, sizeof threshold, "%llu B (rendezvous: %s)",
		 (unsigned long long)loggps->S, rendezvous_name(loggps->rendezvous));
	print_item(&items, "S", loggps->S == LOGGPS_NO_RENDEZVOUS ? "none" : threshold);
	putc('\n', stream);
	if (shows_places(loggps))
		print_network(stream, loggps->network);
	fprintf(stream, "resources   %s\n", resources_name(loggps->resources));
}

void report_heading(FILE *stream, const struct model *model, uint32_t varied, const char *values,
		    enum engine engine)
{
	print_count(stream, "graph       ", model->goal.rank_count, "rank");
	print_count(stream, ", ", model->graph.op_count, "operation");
	print_count(stream, ", ", model->graph.message_count, "message");
	putc('\n', stream);
	if (model->calls && *model->calls->origin.crowded)
		fprintf(stream, "traced on   %s, whose times include waiting for a core\n",
			model->calls->origin.crowded);
	report_parameters(stream, model, varied, values);
	fprintf(stream, "engine      %s\n\n", engine_name(engine));
}

static void json_network(struct json *json, const struct network *network)
{
	if (network->topology) {
		json_text(json, "topology", topology_name(network->topology));
		json_integer(json, "hosts", network->topology->host_count);
	}
	json_integer(json, "ranks_per_node", network->ranks_per_node);
	json_text(json, "mapping", mapping_name(network->mapping));
}

void report_json_parameters(struct json *json, const struct loggps *loggps)
{
	const struct variables *variables = &loggps->variables;

	json_begin(json, "parameters", '{', JSON_INLINE);
	for (uint32_t i = 0; i < variables->count; i++) {
		const struct variable *variable = &variables->of[variables_listed(variables, i)];

		json_attoseconds(json, variable->name, variable->value_as);
	}
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		json_null(json, "S");
	else
		json_integer(json, "S", loggps->S);
	json_text(json, "rendezvous", rendezvous_name(loggps->rendezvous));
	json_text(json, "resources", resources_name(loggps->resources));
	if (shows_places(loggps))
		json_network(json, loggps->network);
	json_end(json);
}

void report_json_heading(struct json *json, const char *schema, const struct model *model,
			 enum engine engine)
{
	json_text(json, "schema", schema);
	json_text(json, "file", model->path);
	if (model->calls && *model->calls->origin.how)
		json_text(json, "how", model->calls->origin.how);
	else
		json_null(json, "how");
	if (model->calls && *model->calls->origin.crowded)
		json_text(json, "crowded", model->calls->origin.crowded);
	else
		json_null(json, "crowded");
	json_integer(json, "ranks", model->goal.rank_count);
	json_integer(json, "operations", model->graph.op_count);
	json_integer(json, "messages", model->graph.message_count);
	json_text(json, "engine", engine_name(engine));
	report_json_parameters(json, &model->loggps);
	if (model_traced_ns(model))
		json_integer(json, "traced_ns", model_traced_ns(model));
	else
		json_null(json, "traced_ns");
}

/* -------------------------------------------------------- the order of service */

const char *report_tolerance_order(const struct model *model, bool resimulated)
{
	return !model->loggps.resources ? NULL : resimulated ? "resimulated" : "frozen";
}

void report_json_tolerance_order(struct json *json, const struct model *model, bool resimulated)
{
	const char *order = report_tolerance_order(model, resimulated);

	if (order)
		json_text(json, "tolerance_order", order);
	else
		json_null(json, "tolerance_order");
}

/* ----------------------------------------------------- the traced run time */

const char *report_traced(const struct model *model, char text[static UNIT_TEXT_BYTES])
{
	return format_time((double)model_traced_ns(model), REPORT_TRACED_DIGITS, text);
}

const char *report_ratio_text(const struct model *model, double runtime_ns,
			      char text[static UNIT_TEXT_BYTES])
{
	return format_number(model_to_traced(model, runtime_ns), REPORT_TRACED_DIGITS, text);
}

void report_json_runtime(struct json *json, const struct model *model, double runtime_ns)
{
	json_number(json, "runtime_ns", runtime_ns);
	/* NAN is null. */
	json_number(json, "runtime_to_traced", model_to_traced(model, runtime_ns));
}

/* Why the traced run took so long, or so short, as far as the side file tells. */
static void why_far(const struct model *model, double ratio, char *text, size_t bytes)
{
	const struct goal_calls_origin *origin = &model->calls->origin;

	if (ratio > 2)
		snprintf(text, bytes, "messages take longer with these parameters than they did");
	else if (*origin->crowded)
		snprintf(text, bytes, "%s waited for each other inside MPI calls",
			 origin->crowded);
	else
		snprintf(text, bytes, "its MPI calls took longer than these parameters explain");
}

bool report_far_from_traced(const struct model *model, double least_ns, double most_ns,
			    char text[static REPORT_WARNING_BYTES])
{
	const double ratio = model_to_traced(model, most_ns) < 0.5 ? model_to_traced(model, most_ns)
			     : model_to_traced(model, least_ns);
	char number[UNIT_TEXT_BYTES], why[REPORT_WARNING_BYTES / 2];

	if (!(ratio < 0.5 || ratio > 2))
		return false;
	why_far(model, ratio, why, sizeof why);
	snprintf(text, REPORT_WARNING_BYTES, "T is %s times the traced run time: %s",
		 format_number(ratio, 3, number), why);
	return true;
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

void report_csv_model_columns(FILE *stream, const struct variables *columns)
{
	fputs("file,engine", stream);
	for (uint32_t i = 0; i < columns->count; i++)
		fprintf(stream, ",%s",
			report_variable(&columns->of[variables_listed(columns, i)]).value);
	fputs(",S_bytes,rendezvous,resources", stream);
}

static void csv_rules(FILE *stream, const struct loggps *loggps)
{
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		fprintf(stream, ",inf");
	else
		fprintf(stream, ",%llu", (unsigned long long)loggps->S);
	fprintf(stream, ",%s,", rendezvous_name(loggps->rendezvous));
	text_print_csv(stream, resources_name(loggps->resources));
}

void report_csv_model(FILE *stream, const struct model *model, enum engine engine,
		      uint32_t varied, const double *value_ns)
{
	const struct loggps *loggps = &model->loggps;

	text_print_csv(stream, model->path);
	fprintf(stream, ",%s", engine_name(engine));
	for (uint32_t i = 0; i < loggps->variables.count; i++) {
		const uint32_t v = variables_listed(&loggps->variables, i);

		if (value_ns && v == varied)
			csv_number(stream, *value_ns);
		else
			csv_attoseconds(stream, loggps_value(loggps, v));
	}
	csv_rules(stream, loggps);
}

void report_csv_model_in(FILE *stream, const struct variables *columns, const struct model *model,
			 enum engine engine)
{
	const struct variables *variables = &model->loggps.variables;

	text_print_csv(stream, model->path);
	fprintf(stream, ",%s", engine_name(engine));
	for (uint32_t i = 0; i < columns->count; i++) {
		const int v = variables_find(variables,
					     columns->of[variables_listed(columns, i)].name);

		if (v < 0)
			putc(',', stream);
		else
			csv_attoseconds(stream, variables->of[v].value_as);
	}
	csv_rules(stream, &model->loggps);
}

void report_csv_heading(FILE *stream, const struct model *model)
{
	report_csv_model_columns(stream, &model->loggps.variables);
	fputs(",vary,quantity,percent,unit,value\n", stream);
}

void report_csv_fact(FILE *stream, const struct report_fact *fact)
{
	report_csv_model(stream, fact->model, fact->engine, fact->varied, fact->at_ns);
	fprintf(stream, ",%s,%s", fact->model->loggps.variables.of[fact->varied].name,
		fact->quantity);
	csv_number(stream, fact->percent);
	fprintf(stream, ",%s", fact->unit);
	csv_number(stream, fact->value);
	putc('\n', stream);
}
