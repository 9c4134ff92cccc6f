/* Command critpath efficiency: load balance, serialisation, transfer, and scaling between two runs. */
#include "critpath/commands.h"
#include "critpath/graph/ideal_run.h"
#include "critpath/report/run_report_efficiency.h"

static const char *reference_path;
static struct efficiency_reference reference;

static const struct option_spec efficiency_options_own[] = {
	{"reference", 0, "ARCHIVE",
	 "a run of the same program to compare with, mostly on fewer ranks: how computation scales",
	 option_text, &reference_path},
	{"weak", 0, NULL, "with --reference: the work grows with the number of ranks", option_flag,
	 &reference.weak},
	{0},
};

static const struct option_spec *const efficiency_options[] = {efficiency_options_own,
							       strict_options, NULL};

static const char *weak_unused(const char *option)
{
	(void)option;
	return reference_path ? NULL : "--weak is for --reference";
}

static const struct option_condition efficiency_conditions[] = {{"weak", weak_unused}, {0}};

static int read_reference(struct study *study, struct error *err)
{
	TRY(study_totals(study, err));
	reference.ranks = study->found.run->rank_count;
	for (uint32_t r = 0; r < reference.ranks; r++)
		reference.compute_ns += study->found.totals->ranks[r].compute_ns;
	reference.path = reference_path;
	return 0;
}

static int write_efficiency(struct study *study, struct error *err)
{
	struct efficiency efficiency;
	struct output output;
	struct report report;
	uint64_t ideal_ns;

	TRY(study_totals(study, err));
	if (ideal_run_find(&ideal_ns, study->found.waits, err) < 0)
		return error_prefix(err, "%s", study->found.path);
	efficiency_find(&efficiency, study->found.run, study->found.totals, ideal_ns,
			reference_path ? &reference : NULL);
	TRY(commands_open(&output, &report, err));
	run_report_efficiency(&report, &study->found, &efficiency);
	TRY(commands_commit(&output, 0, err));
	return 0;
}

static int cmd_efficiency(char **operands, int count, struct error *err)
{
	(void)count;
	if (reference_path)
		TRY(with_study(reference_path, false, read_reference, err));
	return with_study(operands[0], false, write_efficiency, err);
}

static const struct help_entry efficiency_examples[] = {
	{"critpath efficiency app.trace",
	 "what keeps the run from being faster: balance, serialisation, transfer"},
	{"critpath efficiency 64.trace --reference 8.trace", "how computation scales, too"},
	{0},
};

const struct command efficiency_command = {
	.name = "efficiency",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "load balance, serialisation and transfer, as POP defines them",
	.notes = input_notes,
	.options = efficiency_options,
	.conditions = efficiency_conditions,
	.output = &table_output,
	.run = cmd_efficiency,
	.examples = efficiency_examples,
};
