/* Parameters by message size and of messages within a node, read from YAML. */
#include "llamp/network/parameters_read.h"

#include "common/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Variables that messages of a row or of a node may have of their own. */
static const struct {
	const char *key;
	uint32_t variable;
} own[] = {{"o", VARIABLE_o}, {"L", VARIABLE_L}, {"G", VARIABLE_G}};

enum { OWN_COUNT = sizeof own / sizeof *own };

/* Values of a mapping with keys o, L and G. */
struct own_values {
	bool given[OWN_COUNT];
	int64_t as[OWN_COUNT];
};

static int read_own(struct own_values *values, const struct yaml_file *file,
		    const struct yaml_entry *entry, const char *what, const char *others,
		    struct error *err)
{
	struct error reason = {0};
	int i = 0;

	while (i < OWN_COUNT && strcmp(entry->key, own[i].key))
		i++;
	if (i == OWN_COUNT)
		return yaml_error(file, entry, err, "%s: unknown key '%s' (expected %so, L or G)",
				  what, entry->key, others);
	if (entry->kind != YAML_SCALAR)
		return yaml_error(file, entry, err, "%s: expected a value", entry->key);
	if (variable_parse_value(&loggps_default.variables.of[own[i].variable], entry->text,
				 &values->as[i], &reason) < 0)
		return yaml_error(file, entry, err, "%s: %s", entry->key, reason.text);
	values->given[i] = true;
	return 0;
}

/* Add a variable for each given value.  variables[i] is that of own[i], or stays as it is. */
static void add_own(struct model_parameters *parameters, const struct own_values *values,
		    const char *suffix, uint32_t *variables[OWN_COUNT])
{
	for (int i = 0; i < OWN_COUNT; i++) {
		char name[VARIABLE_NAME_BYTES];

		snprintf(name, sizeof name, "%s_%s", own[i].key, suffix);
		if (values->given[i])
			*variables[i] = parameters_add(parameters, own[i].variable, name,
						       values->as[i]);
	}
}

/* ---------------------------------------------------------------------- sizes */

/* Row of the table while it is read. */
struct row {
	struct own_values values;
	uint64_t to;
	bool has_to;
};

static int read_row(struct row *row, const struct yaml_file *file, const struct yaml_entry *list,
		    struct error *err)
{
	*row = (struct row){.to = UINT64_MAX};
	if (list->kind != YAML_MAPPING)
		return yaml_error(file, list, err,
				  "sizes: expected rows such as"
				  " {to: 4KiB, o: 1us, L: 2us, G: 0.1ns}");
	for (const struct yaml_entry *at = list->first; at; at = at->next) {
		struct error reason = {0};

		if (strcmp(at->key, "to") != 0) {
			TRY(read_own(&row->values, file, at, "sizes", "to, ", err));
			continue;
		}
		if (at->kind != YAML_SCALAR)
			return yaml_error(file, at, err, "to: expected a size");
		if (parse_bytes(at->text, &row->to, &reason) < 0)
			return yaml_error(file, at, err, "to: %s", reason.text);
		row->has_to = true;
	}
	return 0;
}

/* Write a size exactly, for the name of a variable: 4KiB, 1000B. */
static void write_size(uint64_t bytes, char *text, size_t room)
{
	if (bytes && bytes % (1 << 20) == 0)
		snprintf(text, room, "%" PRIu64 "MiB", bytes >> 20);
	else if (bytes && bytes % (1 << 10) == 0)
		snprintf(text, room, "%" PRIu64 "KiB", bytes >> 10);
	else
		snprintf(text, room, "%" PRIu64 "B", bytes);
}

/* Name a row by the largest size in it, or by that of the row before. */
static void name_row(const struct row *row, uint64_t before, char *text, size_t room)
{
	char size[32];

	write_size(row->has_to ? row->to : before, size, sizeof size);
	snprintf(text, room, "%s%s", row->has_to ? "" : "above_", size);
	if (!row->has_to && !before)
		snprintf(text, room, "all");
}

static int check_row(const struct network *network, const struct row *row, const struct row *first,
		     const struct yaml_file *file, const struct yaml_entry *at, struct error *err)
{
	const uint32_t count = network->row_count;

	if (count == SIZES_MOST)
		return yaml_error(file, at, err, "sizes: more than %d rows", SIZES_MOST);
	if (at->next && !row->has_to)
		return yaml_error(file, at, err,
				  "sizes: a row before the last one needs"
				  " 'to: SIZE'");
	if (!at->next && row->has_to)
		return yaml_error(file, at, err,
				  "sizes: the last row is for all larger messages"
				  " and has no 'to'");
	if (count && row->to <= network->rows[count - 1].to)
		return yaml_error(file, at, err, "sizes: rows must be in ascending order of 'to'");
	for (int i = 0; i < OWN_COUNT; i++)
		if (row->values.given[i] != first->values.given[i])
			return yaml_error(file, at, err, "sizes: %s must be in all rows or in none",
					  own[i].key);
	return 0;
}

int sizes_read(struct model_parameters *parameters, const struct yaml_file *file,
	       const struct yaml_entry *entry, struct error *err)
{
	struct network *network = &parameters->network;
	uint64_t before = 0;
	struct row first;

	if (entry->kind != YAML_SEQUENCE || !entry->first)
		return yaml_error(file, entry, err, "sizes: expected a list of rows");
	network->row_count = 0;
	for (const struct yaml_entry *at = entry->first; at; at = at->next) {
		struct network_row *added = &network->rows[network->row_count];
		char name[48];
		struct row row;

		TRY(read_row(&row, file, at, err));
		first = at == entry->first ? row : first;
		TRY(check_row(network, &row, &first, file, at, err));
		*added = (struct network_row){row.to, NO_VARIABLE, NO_VARIABLE, NO_VARIABLE};
		name_row(&row, before, name, sizeof name);
		add_own(parameters, &row.values, name,
			(uint32_t *[]){&added->o, &added->L, &added->G});
		before = row.to;
		network->row_count++;
	}
	return 0;
}

/* ----------------------------------------------------------------------- node */

static void set_counted(struct model_parameters *parameters, uint32_t variable, const char *counted)
{
	if (variable != NO_VARIABLE)
		parameters->loggps.variables.of[variable].counted = counted;
}

int node_read(struct model_parameters *parameters, const struct yaml_file *file,
	      const struct yaml_entry *entry, struct error *err)
{
	struct network *network = &parameters->network;
	struct own_values values = {0};

	if (entry->kind != YAML_MAPPING || !entry->first)
		return yaml_error(file, entry, err,
				  "intra-node: expected values such as {L: 300ns, G: 0.05ns}");
	for (const struct yaml_entry *at = entry->first; at; at = at->next)
		TRY(read_own(&values, file, at, "intra-node", "", err));
	add_own(parameters, &values, "node",
		(uint32_t *[]){&network->node_o, &network->node_L, &network->node_G});
	set_counted(parameters, network->node_o, "overheads within nodes");
	set_counted(parameters, network->node_L, "latencies within nodes");
	set_counted(parameters, network->node_G, "bytes within nodes");
	return 0;
}
