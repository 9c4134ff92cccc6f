#include "common/array.h"
#include "common/input.h"
#include "common/progress.h"
#include "common/units.h"
#include "llamp/commands.h"
#include "llamp/report/report_placement.h"

#include <string.h>

enum { MOST_STARTS = 10000, MOST_TRIES = 10000 };

static const char *const forms[] = {"llamp", "mpich", "openmpi", "slurm", NULL};

static struct {
	enum report_format format;
	const char *starts, *seed, *tries, *mapping, *hosts;
	struct choice form;
} given = {.starts = "8", .seed = "1", .tries = "16",
	   .form = {"form of a mapping", forms, MAPPING_FORM_LLAMP}};

static const struct option_spec options[] = {
	{"mapping", 0, "FILE", "write the best mapping to FILE", option_text, &given.mapping},
	{"mapping-format", 0, "NAME", "llamp (default; for 'mapping:' in a parameter file), mpich"
	 " (for mpiexec -f), openmpi (--rankfile) or slurm (SLURM_HOSTFILE)", option_choice,
	 &given.form},
	{"hosts", 0, "FILE", "names of the hosts, one in a line (default host0, host1, ...)",
	 option_text, &given.hosts},
	{"starts", 0, "N", "random mappings to begin with (default 8)", option_text,
	 &given.starts},
	{"seed", 0, "N", "of the random mappings (default 1)", option_text, &given.seed},
	{"tries", 0, "N", "swaps to try before giving up (default 16)", option_text, &given.tries},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const place_options[] = {model_options, options, output_options, NULL};

static int read_counts(struct placement_options *chosen, struct error *err)
{
	uint64_t starts, tries;

	if (parse_count(given.starts, 0, MOST_STARTS, &starts, err) < 0)
		return error_prefix(err, "--starts");
	if (parse_count(given.tries, 1, MOST_TRIES, &tries, err) < 0)
		return error_prefix(err, "--tries");
	if (parse_count(given.seed, 0, UINT64_MAX, &chosen->seed, err) < 0)
		return error_prefix(err, "--seed");
	chosen->random_starts = (uint32_t)starts;
	chosen->tries = (uint32_t)tries;
	return 0;
}

/* Names of hosts, which are parts of `text`. */
struct names {
	char *text;
	ARRAY(const char *) list;
};

static int split_names(struct names *names, const struct input *input, struct error *err)
{
	char *line, *rest;

	TRY(allocate(&names->text, input->count + 1, 1, err));
	memcpy(names->text, input->bytes, input->count);
	for (line = strtok_r(names->text, " \t\r\n", &rest); line;
	     line = strtok_r(NULL, " \t\r\n", &rest))
		TRY(array_push(&names->list, line, err));
	return 0;
}

static int read_names(struct names *names, uint32_t host_count, struct error *err)
{
	struct input input;
	int result;

	if (!given.hosts)
		return 0;
	TRY(input_open(&input, given.hosts, err));
	result = split_names(names, &input, err);
	input_release(&input);
	if (result == 0 && names->list.count < host_count)
		return error_set(err, STATUS_DATA, "%s: %zu name%s, but the network has %u hosts",
				 given.hosts, names->list.count, plural(names->list.count),
				 host_count);
	return result;
}

static int write_mapping(const struct placement_task *task, const struct placements *placements,
			 const struct names *names, struct error *err)
{
	struct output output;

	if (!given.mapping)
		return 0;
	TRY(output_open(&output, given.mapping, err));
	report_mapping(output.stream, (enum mapping_form)given.form.value,
		       placements->list.items[placements->best].hosts,
		       task->model->goal.rank_count, names->list.items);
	return output_commit(&output, err);
}

static int write_placements(const struct placement_task *task,
			    const struct placements *placements, const char *path,
			    struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_placements(output.stream, given.format, task, placements);
	return output_commit(&output, err);
}

static int place(const struct model *model, const struct placement_options *chosen,
		 const char *output, struct names *names, struct error *err)
{
	struct placement_task task;
	struct placements placements;
	int result;

	TRY(placement_task_init(&task, model, err));
	TRY(read_names(names, task.host_count, err));
	progress_begin("llamp", "swapping ranks");
	result = placements_find(&placements, &task, chosen, err);
	progress_end();
	if (result < 0)
		return -1;
	result = write_mapping(&task, &placements, names, err);
	if (result == 0)
		result = write_placements(&task, &placements, output, err);
	placements_release(&placements);
	return result;
}

int cmd_place(char **operands, int count, struct error *err)
{
	struct placement_options chosen;
	struct names names = {0};
	struct loggps loggps;
	struct model model;
	const char *output;
	int result;

	(void)count;
	TRY(output_path(&output, operands[0], err));
	TRY(read_counts(&chosen, err));
	if (given.mapping)
		TRY(goal_refuse_output(given.mapping, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = place(&model, &chosen, output, &names, err);
	model_release(&model);
	free(names.text);
	array_release(&names.list);
	return result;
}
