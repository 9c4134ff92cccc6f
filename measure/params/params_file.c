#include "measure/params/params_file.h"

#include "common/units.h"
#include "common/yaml.h"

#include <math.h>
#include <string.h>

static int parse_time(const char *text, double *ns, struct error *err)
{
	int64_t as;

	TRY(parse_time_as(text, &as, err));
	*ns = (double)as / (double)AS_PER_NS;
	return 0;
}

static int parse_gap(const char *text, double *ns, struct error *err)
{
	int64_t as;

	TRY(parse_gap_per_byte_as(text, &as, err));
	*ns = (double)as / (double)AS_PER_NS;
	return 0;
}

static int parse_threshold(const char *text, uint64_t *bytes, struct error *err)
{
	*bytes = NO_THRESHOLD;
	return strcmp(text, "none") == 0 ? 0 : parse_bytes(text, bytes, err);
}

static int parse_value(struct parameters *to, const char *key, const char *text, struct error *err)
{
	if (strcmp(key, "L") == 0)
		return parse_time(text, &to->L_ns, err);
	if (strcmp(key, "o") == 0)
		return parse_time(text, &to->o_ns, err);
	if (strcmp(key, "g") == 0)
		return parse_time(text, &to->g_ns, err);
	if (strcmp(key, "G") == 0)
		return parse_gap(text, &to->G_ns, err);
	if (strcmp(key, "O") == 0)
		return parse_gap(text, &to->O_ns, err);
	if (strcmp(key, "S") == 0)
		return parse_threshold(text, &to->S, err);
	if (strcmp(key, "unknown") == 0)
		return 0;
	return error_set(
		err, STATUS_DATA,
		"'%s' is not used in the prediction of cells: it knows L, o, g, G, O and S", key);
}

static int read_entries(const struct yaml_file *file, struct parameters *to, struct error *err)
{
	if (file->root->kind != YAML_MAPPING)
		return yaml_error(file, file->root, err, "parameters are expected, as L: 1us");
	for (const struct yaml_entry *entry = file->root->first; entry; entry = entry->next) {
		struct error why;

		/* Predictions are of single values. */
		if (strcmp(entry->key, "intervals") == 0)
			continue;
		if (entry->kind != YAML_SCALAR)
			return yaml_error(file, entry, err, "'%s' is no single value", entry->key);
		if (parse_value(to, entry->key, entry->text, &why) < 0)
			return yaml_error(file, entry, err, "%s", why.text);
	}
	if (isnan(to->L_ns))
		return error_set(err, STATUS_DATA, "%s has no L: add a line such as L: 1us",
				 file->path);
	return 0;
}

int params_file_read(const char *path, struct parameters *parameters, struct error *err)
{
	struct yaml_file file;
	int result;

	*parameters = (struct parameters){.L_ns = NAN, .S = NO_THRESHOLD};
	TRY(yaml_file_open(&file, path, err));
	result = read_entries(&file, parameters, err);
	yaml_file_release(&file);
	return result;
}
