#include "llamp/network/parameters_read.h"

#include "common/array.h"
#include "llamp/network/topology.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- topology */

static int read_topology(struct model_parameters *parameters, const struct yaml_file *file,
			 const struct yaml_entry *entry, struct error *err)
{
	struct variables *variables = &parameters->loggps.variables;
	struct network *network = &parameters->network;
	struct topology *topology;
	char name[TOPOLOGY_TEXT_BYTES];

	TRY(allocate(&topology, 1, sizeof *topology, err));
	if (topology_read(topology, file, entry, err) < 0) {
		free(topology);
		return -1;
	}
	network->topology = topology;
	network->first_link = variables->count;
	for (uint32_t i = 0; i < topology->class_count; i++) {
		parameters_add(parameters, VARIABLE_L, topology_latency_name(topology, i, name),
			       topology->latency_as[i]);
		variables->of[network->first_link + i].counted = "links";
	}
	network->switch_variable = parameters_add(
		parameters, VARIABLE_L,
		topology_latency_name(topology, topology->class_count, name), topology->switch_as);
	variables->of[network->switch_variable].counted = "switches";
	return 0;
}

/* ------------------------------------------------------------------- the file */

static const struct yaml_entry *find_key(const struct yaml_file *file, const char *key)
{
	const struct yaml_entry *entry = file->root->first;

	while (entry && strcmp(entry->key, key) != 0)
		entry = entry->next;
	return entry;
}

static int read_value(struct model_parameters *parameters, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	const bool mapping = !strcmp(entry->key, "mapping");
	struct error reason = {0};

	if (entry->kind != YAML_SCALAR)
		return yaml_error(file, entry, err, "%s: expected a value", entry->key);
	if ((mapping ? mapping_parse(&parameters->network, entry->text, file->path, &reason)
		     : parameters_set(parameters, entry->key, entry->text, &reason)) == 0)
		return 0;
	yaml_error(file, entry, err, "%s: %s", entry->key, reason.text);
	/* An output that would overwrite the file of the mapping is no fault of the file. */
	if (mapping && reason.status == STATUS_USAGE)
		err->status = STATUS_USAGE;
	return -1;
}

/* The name is kept as that of the table of defaults, which outlives the file. */
static int read_unknown(struct model_parameters *parameters, const struct yaml_file *file,
			const struct yaml_entry *entry, struct error *err)
{
	const struct variables *variables = &loggps_default.variables;
	const int found = entry->kind == YAML_SCALAR ? variables_find(variables, entry->text) : -1;
	char known[VARIABLES_TEXT_BYTES];

	if (found < 0)
		return yaml_error(file, entry, err, "unknown: expected %s",
				  variables_names(variables, known));
	if (find_key(file, entry->text))
		return yaml_error(file, entry, err, "unknown: %s has a value", entry->text);
	parameters->unknown = variables->of[found].name;
	return 0;
}

/* Read the interval of a variable, whose value is known. */
static int read_interval(struct model_parameters *parameters, const struct yaml_file *file,
			 const struct yaml_entry *entry, struct error *err)
{
	struct variables *variables = &parameters->loggps.variables;
	const struct yaml_entry *least = entry->first, *most = least ? least->next : NULL;
	const int found = variables_find(&loggps_default.variables, entry->key);
	struct variable *variable = &variables->of[found < 0 ? 0 : found];
	char known[VARIABLES_TEXT_BYTES];
	struct error reason;

	if (found < 0)
		return yaml_error(file, entry, err, "intervals: unknown key '%s' (expected %s)",
				  entry->key, variables_names(&loggps_default.variables, known));
	if (entry->kind != YAML_SEQUENCE || !most || most->next || !least->text || !most->text)
		return yaml_error(file, entry, err, "%s: expected an interval such as [1us, 2us]",
				  entry->key);
	if (variable_parse_value(variable, least->text, &variable->least_as, &reason) < 0 ||
	    variable_parse_value(variable, most->text, &variable->most_as, &reason) < 0)
		return yaml_error(file, entry, err, "%s: %s", entry->key, reason.text);
	if (variable->least_as <= variable->value_as && variable->value_as <= variable->most_as)
		return 0;
	return yaml_error(file, entry, err, "%s: its value is not in the interval from %s to %s",
			  entry->key, least->text, most->text);
}

/* Read intervals after all values, which must be in them. */
static int read_intervals(struct model_parameters *parameters, const struct yaml_file *file,
			  struct error *err)
{
	const struct yaml_entry *intervals = find_key(file, "intervals");

	if (!intervals)
		return 0;
	if (intervals->kind != YAML_MAPPING)
		return yaml_error(file, intervals, err,
				  "intervals: expected some, such as {L: [1us, 2us]}");
	for (const struct yaml_entry *entry = intervals->first; entry; entry = entry->next)
		TRY(read_interval(parameters, file, entry, err));
	return 0;
}

static int read_entry(struct model_parameters *parameters, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	static const struct {
		const char *key;
		int (*read)(struct model_parameters *parameters, const struct yaml_file *file,
			    const struct yaml_entry *entry, struct error *err);
	} parts[] = {
		{"sizes", sizes_read},
		{"intra-node", node_read},
		{"topology", read_topology},
		{"unknown", read_unknown},
	};
	char known[VARIABLES_TEXT_BYTES];

	if (!strcmp(entry->key, "intervals"))
		return 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(entry->key, parts[i].key))
			return parts[i].read(parameters, file, entry, err);
	if (!parameters_know(entry->key))
		return yaml_error(
			file, entry, err,
			"unknown parameter '%s' (expected %s, S, rendezvous, resources,"
			" sizes, intra-node, ranks-per-node, mapping, topology, unknown or intervals)",
			entry->key, variables_names(&loggps_default.variables, known));
	return read_value(parameters, file, entry, err);
}

/* Refuse latencies by size beside those of links: a file would say the same thing twice. */
static int check_latencies(const struct model_parameters *parameters, const struct yaml_file *file,
			   struct error *err)
{
	const struct network *network = &parameters->network;

	if (!network->topology || network->rows[0].L == NO_VARIABLE)
		return 0;
	return yaml_error(file, find_key(file, "sizes"), err,
			  "sizes: L is not allowed beside a topology, which has the latencies");
}

/* L, o and G are added to those of sizes and of the topology: nothing, unless they are given. */
static void set_common(struct model_parameters *parameters, const struct yaml_file *file)
{
	const struct network *network = &parameters->network;
	const struct network_row *row = &network->rows[0];

	if ((network->topology || row->L != NO_VARIABLE) && !find_key(file, "L"))
		loggps_set(&parameters->loggps, VARIABLE_L, 0);
	if (row->o != NO_VARIABLE && !find_key(file, "o"))
		loggps_set(&parameters->loggps, VARIABLE_o, 0);
	if (row->G != NO_VARIABLE && !find_key(file, "G"))
		loggps_set(&parameters->loggps, VARIABLE_G, 0);
}

static int read_entries(struct model_parameters *parameters, const struct yaml_file *file,
			struct error *err)
{
	if (file->root->kind != YAML_MAPPING)
		return yaml_error(file, file->root, err, "expected 'parameter: value' lines");
	for (const struct yaml_entry *entry = file->root->first; entry; entry = entry->next)
		TRY(read_entry(parameters, file, entry, err));
	set_common(parameters, file);
	TRY(read_intervals(parameters, file, err));
	return check_latencies(parameters, file, err);
}

int parameters_read(struct model_parameters *parameters, const char *path, struct error *err)
{
	struct model_parameters read = *parameters;
	struct yaml_file file;
	int result;

	TRY(yaml_file_open(&file, path, err));
	result = read_entries(&read, &file, err);
	yaml_file_release(&file);
	if (result < 0) {
		network_release(&read.network);
		return -1;
	}
	*parameters = read;
	parameters_connect(parameters);
	return 0;
}
