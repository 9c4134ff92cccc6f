#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report_topology.h"

#include <string.h>

static const char *const formats[] = {"text", "json", "csv", "svg", NULL};
enum { FORMAT_SVG = 3 };

static struct {
	struct choice format;
} given = {.format = {"format", formats, REPORT_TEXT}};

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json, csv or svg, a picture", option_choice,
	 &given.format},
	{0},
};

const struct option_spec *const topology_options[] = {options, output_options, NULL};

/* Read the topology of a parameter file. */
static int open_topology(struct topology *topology, const char *path, struct error *err)
{
	const struct yaml_entry *entry;
	struct yaml_file file;
	int result;

	TRY(yaml_file_open(&file, path, err));
	entry = file.root->kind == YAML_MAPPING ? file.root->first : NULL;
	while (entry && strcmp(entry->key, "topology") != 0)
		entry = entry->next;
	result = entry ? topology_read(topology, &file, entry, err)
		       : yaml_error(&file, file.root, err, "there is no 'topology:'");
	yaml_file_release(&file);
	return result;
}

static int draw(const char *path, const struct topology *topology, struct error *err)
{
	struct svg svg = {.place = SVG_FILE, .width = SVG_WIDE_PX};
	struct output output;
	const char *name;

	TRY(output_path(&name, path, err));
	TRY(output_open(&output, name, err));
	svg.stream = output.stream;
	if (picture_topology(&svg, topology, err) == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return -1;
}

static int write_survey(const char *path, const struct topology *topology,
			const struct topology_survey *survey, struct error *err)
{
	struct output output;
	const char *name;

	TRY(output_path(&name, path, err));
	TRY(output_open(&output, name, err));
	report_topology(output.stream, (enum report_format)given.format.value, path, topology,
			survey);
	return output_commit(&output, err);
}

/* Survey and report. */
static int survey_routes(const char *path, const struct topology *topology, struct error *err)
{
	struct topology_survey survey;
	int result;

	progress_begin("llamp", "looking at the routes");
	result = topology_survey_find(&survey, topology, err);
	progress_end();
	if (result == 0) {
		result = write_survey(path, topology, &survey, err);
		topology_survey_release(&survey);
	}
	return result;
}

int cmd_topology(char **operands, int count, struct error *err)
{
	struct topology topology;
	int result;

	(void)count;
	TRY(open_topology(&topology, operands[0], err));
	result = (given.format.value == FORMAT_SVG ? draw : survey_routes)(operands[0], &topology,
									   err);
	topology_release(&topology);
	return result;
}
