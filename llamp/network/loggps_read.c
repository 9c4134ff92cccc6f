#include "llamp/network/loggps.h"

#include "common/units.h"
#include "common/yaml.h"

#include <string.h>

/* Read one value; its mistakes are the command line's, with another status. */
static int read_value(struct loggps *loggps, const char *key, const char *text, struct error *err)
{
	if (!strcmp(key, "L"))
		return parse_time_as(text, &loggps->L, err);
	if (!strcmp(key, "o"))
		return parse_time_as(text, &loggps->o, err);
	if (!strcmp(key, "g"))
		return parse_time_as(text, &loggps->g, err);
	if (!strcmp(key, "G"))
		return parse_gap_per_byte_as(text, &loggps->G, err);
	if (!strcmp(key, "S"))
		return loggps_parse_threshold(text, &loggps->S, err);
	if (!strcmp(key, "rendezvous"))
		return rendezvous_parse(text, &loggps->rendezvous, err);
	return error_set(err, STATUS_DATA,
			 "this is no parameter; there are L, o, g, G, S and rendezvous");
}

static int read_entries(struct loggps *loggps, const struct yaml_file *file, struct error *err)
{
	if (file->root->kind != YAML_MAPPING)
		return yaml_error(file, file->root, err, "expected 'parameter: value' lines");
	for (const struct yaml_entry *entry = file->root->first; entry; entry = entry->next) {
		struct error reason = {0};

		if (entry->kind != YAML_SCALAR)
			return yaml_error(file, entry, err, "%s: expected a value", entry->key);
		if (read_value(loggps, entry->key, entry->text, &reason) < 0)
			return yaml_error(file, entry, err, "%s: %s", entry->key, reason.text);
	}
	return 0;
}

int loggps_read(struct loggps *loggps, const char *path, struct error *err)
{
	struct loggps read = *loggps;
	struct yaml_file file;
	int result;

	TRY(yaml_file_open(&file, path, err));
	result = read_entries(&read, &file, err);
	yaml_file_release(&file);
	if (result == 0)
		*loggps = read;
	return result;
}
