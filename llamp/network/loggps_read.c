#include "llamp/network/loggps.h"

#include "common/yaml.h"

static int read_entries(struct loggps *loggps, const struct yaml_file *file, struct error *err)
{
	if (file->root->kind != YAML_MAPPING)
		return yaml_error(file, file->root, err, "expected 'parameter: value' lines");
	for (const struct yaml_entry *entry = file->root->first; entry; entry = entry->next) {
		struct error reason = {0};

		if (entry->kind != YAML_SCALAR)
			return yaml_error(file, entry, err, "%s: expected a value", entry->key);
		if (loggps_require(loggps, entry->key, &reason) < 0)
			return yaml_error(file, entry, err, "%s", reason.text);
		if (loggps_parse(loggps, entry->key, entry->text, &reason) < 0)
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
