/* Command llamp place: a mapping of ranks to hosts with a small runtime. */
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
	const char *starts, *seed, *tries, *mapping, *hosts;
	struct choice form;
} given = {.form = {"form of a mapping", forms, MAPPING_FORM_LLAMP}};

static const struct option_spec place_own_options[] = {
	{"mapping", 0, "FILE", "write the best mapping to FILE", option_text, &given.mapping},
	{"mapping-format", 0, "NAME",
	 "llamp (default; for 'mapping:' in a parameter file), mpich"
	 " (for mpiexec -f), openmpi (--rankfile) or slurm (SLURM_HOSTFILE)",
	 option_choice, &given.form},
	{"hosts", 0, "FILE", "names of the hosts, one in a line (default host0, host1, ...)",
	 option_text, &given.hosts},
	{"starts", 0, "N", "number of random mappings to start from (default 8)", option_text,
	 &given.starts},
	{"seed", 0, "N", "random seed of these mappings (default 1)", option_text, &given.seed},
	{"tries", 0, "N", "number of swaps without gain after which a search ends (default 16)",
	 option_text, &given.tries},
	{0},
};

static const struct option_spec *const place_options[] = {model_options, place_own_options, NULL};

static int read_counts(struct placement_options *chosen, struct error *err)
{
	uint64_t starts = placement_options_default.random_starts;
	uint64_t tries = placement_options_default.tries;

	*chosen = placement_options_default;
	if (given.starts && parse_count(given.starts, 0, MOST_STARTS, &starts, err) < 0)
		return error_prefix(err, "--starts");
	if (given.tries && parse_count(given.tries, 1, MOST_TRIES, &tries, err) < 0)
		return error_prefix(err, "--tries");
	if (given.seed && parse_count(given.seed, 0, UINT64_MAX, &chosen->seed, err) < 0)
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

/* Write the mapping, if it is asked for, and the report: both or none. */
static int write_results(const struct placement_task *task, const struct placements *placements,
			 const struct names *names, struct error *err)
{
	struct output outputs[2] = {{0}};
	struct report report;
	int result = output_open(&outputs[0], table_output.path, err);

	if (result == 0 && given.mapping)
		result = output_open(&outputs[1], given.mapping, err);
	if (result < 0) {
		output_discard(&outputs[0]);
		return -1;
	}
	report = given_report(&table_output, &outputs[0]);
	report_placements(&report, task, placements);
	if (given.mapping)
		report_mapping(outputs[1].stream, (enum mapping_form)given.form.value,
			       placements->list.items[placements->best].hosts,
			       task->model->goal.rank_count, names->list.items);
	return output_commit_all(outputs, 2, err);
}

static int place_task(const struct placement_task *task, const struct placement_options *chosen,
		      const struct names *names, struct error *err)
{
	struct placements placements;
	double runtime_ns;
	int result;

	progress_begin("llamp", "swapping ranks");
	result = placements_find(&placements, task, chosen, err);
	progress_end();
	if (result < 0)
		return -1;
	runtime_ns = report_ns(placements.list.items[placements.best].runtime_as);
	warn_if_far_from_traced(task->model, runtime_ns, runtime_ns);
	result = write_results(task, &placements, names, err);
	placements_release(&placements);
	return result;
}

static int place_ranks(const struct model *model, const struct placement_options *chosen,
		       struct names *names, struct error *err)
{
	struct placement_task task;
	int result;

	TRY(placement_task_init(&task, model, err));
	result = read_names(names, task.host_count, err);
	if (result == 0)
		result = place_task(&task, chosen, names, err);
	placement_task_release(&task);
	return result;
}

static const char *mapping_unused(const char *option)
{
	if (!given.mapping)
		return "no mapping is written without --mapping";
	if (!strcmp(option, "hosts") && given.form.value == MAPPING_FORM_LLAMP)
		return "a mapping for llamp has numbers of hosts, not names; see --mapping-format";
	return NULL;
}

static const char *seed_unused(const char *option)
{
	uint64_t starts;
	struct error none;

	(void)option;
	return given.starts &&
			       parse_count(given.starts, 0, MOST_STARTS, &starts, &none) == 0 &&
			       starts == 0
		       ? "there is no random mapping with --starts 0"
		       : NULL;
}

static const struct option_condition place_conditions[] = {
	{"mapping-format", mapping_unused},
	{"hosts", mapping_unused},
	{"seed", seed_unused},
	{0},
};

static int cmd_place(char **operands, int count, struct error *err)
{
	struct placement_options chosen;
	struct names names = {0};
	struct loggps loggps;
	struct model model;
	int result;

	(void)count;
	TRY(read_counts(&chosen, err));
	if (given.mapping)
		TRY(output_declare(given.mapping, err));
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_EVENTS, err));
	result = place_ranks(&model, &chosen, &names, err);
	model_release(&model);
	free(names.text);
	array_release(&names.list);
	return result;
}

static const char place_notes[] =
	"Ranks change places where the critical path says that this helps, until no swap makes T "
	"smaller; T of every mapping is exact. The parameter file describes the network: a topology, "
	"or nodes with several ranks (doc/parameters.md).";

static const struct help_entry place_examples[] = {
	{"llamp place app.bin --params cluster.yaml --mapping ranks.txt",
	 "the best mapping found, as a"
	 " file for 'mapping:'"},
	{"llamp place app.bin --params cluster.yaml --mapping rankfile --mapping-format openmpi"
	 " --hosts names.txt",
	 "the same for Open MPI"},
	{0},
};

const struct command place_command = {
	.name = "place",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "place ranks on hosts so that the runtime is small",
	.notes = place_notes,
	.options = place_options,
	.output = &table_output,
	.conditions = place_conditions,
	.run = cmd_place,
	.examples = place_examples,
};
