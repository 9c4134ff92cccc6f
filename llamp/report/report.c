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

void report_put_share(struct report_row *row, int128 as, int128 runtime_as)
{
	put_number(row, runtime_as > 0 ? (double)as / (double)runtime_as : 0);
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
		[UNIT_TIME] = {.unit = "ns", .slope_unit = "", .slope_csv_unit = "1",
			       .kind = VALUE_NS},
		[UNIT_TIME_PER_BYTE] = {.unit = "ns_per_byte", .slope_unit = " B",
					.slope_csv_unit = "B", .kind = VALUE_NS_PER_BYTE},
		[UNIT_FACTOR] = {.unit = "factor", .slope_unit = " ns", .slope_csv_unit = "ns",
				 .kind = VALUE_LONG_NUMBER},
	};
	struct report_variable names = by_unit[variable->unit];

	names.vary[0] = variable->name;

	snprintf(names.lambda, sizeof names.lambda, "lambda_%s", variable->name);
	snprintf(names.rho, sizeof names.rho, "rho_%s", variable->name);
	snprintf(names.value, sizeof names.value, "%s_%s", variable->name, names.unit);
	snprintf(names.delta, sizeof names.delta, "delta_%s_%s", variable->name, names.unit);
	return names;
}

void report_variable_forms(struct report *report, const struct variables *variables,
			   report_form *write, const void *data)
{
	report_begin_forms(report);
	for (int v = 0; v < LOGGPS_COUNT; v++) {
		const struct report_variable names = report_variable(&variables->of[v]);

		write(report, &names, data);
	}
	for (enum variable_unit unit = UNIT_TIME; unit <= UNIT_FACTOR; unit++) {
		struct report_variable names = report_variable(&(struct variable){.unit = unit});

		names.is_any = true;
		for (int v = 0; v < LOGGPS_COUNT; v++)
			names.vary[v] = variables->of[v].name;
		write(report, &names, data);
	}
	report_end_forms(report);
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
	char text[TOPOLOGY_TEXT_BYTES];

	fprintf(stream, "network     ");
	if (network->topology)
		fprintf(stream, "%s; ", topology_description(network->topology, text));
	if (network->mapping == MAPPING_LIST)
		fprintf(stream, "ranks on hosts of a list\n");
	else if (network->mapping == MAPPING_TRACE)
		print_nodes(stream, network);
	else
		fprintf(stream, "%u rank%s per node, %s\n", network->ranks_per_node,
			plural(network->ranks_per_node), mapping_names[network->mapping]);
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

static void print_heading(FILE *stream, const struct model *model, uint32_t varied,
			  const char *values, enum engine engine)
{
	print_count(stream, "graph       ", model->goal.rank_count, "rank");
	print_count(stream, ", ", model->graph.op_count, "operation");
	print_count(stream, ", ", model->graph.message_count, "message");
	putc('\n', stream);
	if (model->calls && *model->calls->origin.crowded)
		fprintf(stream, "traced on   %s, whose times include waiting for a core\n",
			model->calls->origin.crowded);
	report_parameters(stream, model, varied, values);
	fprintf(stream, "engine      %s\n\n", engine_names[engine]);
}

/* What is written of a model. */
struct heading {
	const struct model *model;
	enum engine engine;
};

/* After the variables.  The last ones are there only if it matters where the ranks are. */
static const struct report_field rule_fields[] = {
	{"S", NULL, VALUE_BYTES, .flags = FIELD_NULL},
	{"rendezvous", NULL, VALUE_NAME, .values = rendezvous_names},
	{"resources", NULL, VALUE_NAME, .values = resources_names,
	 .meaning = "What does one thing at a time"},
	{"topology", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL,
	 .meaning = "Kind of the topology, and its hosts"},
	{"hosts", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL | FIELD_POSITIVE},
	{"ranks_per_node", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL | FIELD_POSITIVE,
	 .meaning = "Only in networks in which it matters where ranks are"},
	{"mapping", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL, .values = mapping_names},
	{0},
};

enum { RULE_FIELDS = sizeof rule_fields / sizeof *rule_fields };

/* Set fields of the parameters.  A schema has those of all networks only. */
static void set_parameter_fields(struct report_field *fields, const struct variables *variables,
				 bool in_schema)
{
	for (uint32_t i = 0; i < variables->count; i++) {
		const uint32_t v = variables_listed(variables, i);

		if (!in_schema || v < LOGGPS_COUNT)
			*fields++ = (struct report_field){variables->of[v].name,
							  .kind = VALUE_ATTOSECONDS};
	}
	memcpy(fields, rule_fields, sizeof rule_fields);
}

static void put_places(struct report_row *row, const struct network *network)
{
	if (network->topology) {
		put_name(row, topology_name(network->topology));
		put_count(row, network->topology->host_count);
	} else {
		put_missing(row);
		put_missing(row);
	}
	put_count(row, network->ranks_per_node);
	put_name(row, mapping_names[network->mapping]);
}

static void parameter_row(struct report_row *row, const void *data, size_t number)
{
	const struct loggps *loggps = data;
	const struct variables *variables = &loggps->variables;

	(void)number;
	for (uint32_t i = 0; i < variables->count; i++)
		put_attoseconds(row, variables->of[variables_listed(variables, i)].value_as);
	put_count_or_none(row, loggps->S, loggps->S != LOGGPS_NO_RENDEZVOUS);
	put_name(row, rendezvous_name(loggps->rendezvous));
	put_name(row, resources_name(loggps->resources));
	if (shows_places(loggps))
		put_places(row, loggps->network);
}

static const struct report_field model_fields[] = {
	{"file", NULL, VALUE_NAME, .meaning = "Name of the graph on the command line"},
	{"how", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Options of schedgen that made the graph, with its version; null if unknown"},
	{"crowded", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "How many ranks of the traced run shared cores, or how long one waited for a core; null if each had one,"
		    " or if it is not known"},
	{"ranks", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"operations", NULL, .kind = VALUE_COUNT},
	{"messages", NULL, VALUE_COUNT, .meaning = "Pairs of a send and a receive"},
	{"engine", NULL, VALUE_NAME, .values = engine_names + 1,
	 .meaning = "Engine that found the results"},
	{0},
};

static void model_row(struct report_row *row, const void *data, size_t number)
{
	const struct heading *heading = data;
	const struct model *model = heading->model;
	const struct goal_calls_origin *origin = model->calls ? &model->calls->origin : NULL;

	(void)number;
	put_name(row, model->path);
	put_name(row, origin && *origin->how ? origin->how : NULL);
	put_name(row, origin && *origin->crowded ? origin->crowded : NULL);
	put_count(row, model->goal.rank_count);
	put_count(row, model->graph.op_count);
	put_count(row, model->graph.message_count);
	put_name(row, engine_names[heading->engine]);
}

static const struct report_field traced_fields[] = {
	{"traced_ns", NULL, VALUE_TIME, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "Length of the traced run that the graph is of (doc/calls-format.md); null if"
		    " unknown"},
	{0},
};

static void traced_row(struct report_row *row, const void *data, size_t number)
{
	const uint64_t traced_ns = model_traced_ns(((const struct heading *)data)->model);

	(void)number;
	put_count_or_none(row, traced_ns, traced_ns > 0);
}

void report_model_parameters(struct report *report, const struct loggps *loggps)
{
	static const struct report_field others = {
		NULL, NULL, VALUE_ATTOSECONDS,
		.meaning = "Further variables of the network (parameters.md), in ns or, those of G,"
			   " in ns per byte"};
	struct report_field fields[VARIABLES_MOST + RULE_FIELDS];

	set_parameter_fields(fields, &loggps->variables, report->format == REPORT_SCHEMA);
	report_facts(report, &(struct report_facts){
		"parameters",
		"LogGPS parameters: L, o, g in ns, G and O in ns per byte, S in bytes (null if no"
		" message uses the rendezvous protocol)",
		fields, parameter_row, loggps, .one_line = true, .others = &others});
}

void report_begin_model(struct report *report, const char *schema, const struct model *model,
			uint32_t varied, const char *values, enum engine engine)
{
	const struct heading heading = {model, engine};

	report_begin(report, schema);
	if (report->format == REPORT_TEXT)
		print_heading(report->stream, model, varied, values, engine);
	if (report->format == REPORT_CSV)
		return; /* Each line has its columns. */
	report_facts(report, &(struct report_facts){
		.fields = model_fields, .row = model_row, .data = &heading});
	report_model_parameters(report, &model->loggps);
	report_facts(report, &(struct report_facts){
		.fields = traced_fields, .row = traced_row, .data = &heading});
}

/* -------------------------------------------------------- the order of service */

const char *const report_orders[] = {"resimulated", "frozen", NULL};

const char *report_tolerance_order(const struct model *model, bool resimulated)
{
	return !model->loggps.resources ? NULL : resimulated ? "resimulated" : "frozen";
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

/* Why the traced run took so long, or so short, as far as the side file tells. */
static void why_far(const struct model *model, double ratio, char *text, size_t bytes)
{
	const struct goal_calls_origin *origin = &model->calls->origin;

	if (ratio > 2)
		snprintf(text, bytes, "messages take longer with these parameters than they did");
	else if (*origin->crowded)
		snprintf(text, bytes, "its ranks waited for cores (%s)", origin->crowded);
	else
		snprintf(text, bytes, "its MPI calls took longer than these parameters explain");
}

bool report_far_from_traced(const struct model *model, double least_ns, double most_ns,
			    char text[static REPORT_WARNING_BYTES])
{
	const double ratio = model_to_traced(model, most_ns) < 0.5 ? model_to_traced(model, most_ns)
			     : model_to_traced(model, least_ns);
	char number[UNIT_TEXT_BYTES], why[REPORT_WARNING_BYTES - 112];

	if (!(ratio < 0.5 || ratio > 2))
		return false;
	why_far(model, ratio, why, sizeof why);
	snprintf(text, REPORT_WARNING_BYTES, "T is %s times the traced run time: %s",
		 format_number(ratio, 3, number), why);
	return true;
}

/* --------------------------------------------------------------------- CSV */

static void csv_number(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", isnan(value) ? "" : number_text(value, text));
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

static void csv_variable(FILE *stream, const struct report_columns *columns, int v)
{
	char text[NUMBER_TEXT_BYTES];

	if (v < 0)
		putc(',', stream);
	else if (columns->at_ns && (uint32_t)v == columns->varied)
		csv_number(stream, *columns->at_ns);
	else
		fprintf(stream, ",%s",
			attoseconds_text(columns->model->loggps.variables.of[v].value_as, text));
}

void report_first_columns(FILE *stream, const void *data, bool names)
{
	const struct report_columns *columns = data;
	const struct loggps *loggps = &columns->model->loggps;
	const struct variables *all = columns->variables ? columns->variables : &loggps->variables;

	text_print_csv(stream, names ? "file" : columns->model->path);
	fprintf(stream, ",%s", names ? "engine" : engine_names[columns->engine]);
	for (uint32_t i = 0; i < all->count; i++) {
		const uint32_t v = variables_listed(all, i);

		if (names)
			fprintf(stream, ",%s", report_variable(&all->of[v]).value);
		else
			csv_variable(stream, columns, columns->variables
				     ? variables_find(&loggps->variables, all->of[v].name) : (int)v);
	}
	if (names)
		fputs(",S_bytes,rendezvous,resources", stream);
	else
		csv_rules(stream, loggps);
}

static void vary_columns(FILE *stream, const void *data, bool names)
{
	const struct report_columns *columns = data;

	report_first_columns(stream, data, names);
	fprintf(stream, ",%s",
		names ? "vary" : columns->model->loggps.variables.of[columns->varied].name);
}

void report_csv_facts(struct report *report, const struct report_columns *columns)
{
	report->csv_facts = true;
	report->qualifier = "percent";
	report->first_columns = vary_columns;
	report->first_data = columns;
}
