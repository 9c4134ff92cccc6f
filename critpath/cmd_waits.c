/* Command critpath waits: which calls waited, for how long, and who caused it. */
#include "critpath/commands.h"
#include "critpath/report/study_reports.h"

static struct choice by = {"group", wait_grouping_names, WAITS_BY_CALL};
static struct choice pattern = {"pattern", wait_pattern_names, PATTERN_ANY};

static const struct option_spec waits_own_options[] = {
	{"by", 0, "NAME",
	 "add up waits by call (default: list all), function, comm, rank, channel, iteration or"
	 " site, the call site",
	 option_choice, &by},
	{"kind", 0, "NAME",
	 "only waits of a pattern: late-sender, late-receiver, barrier, collective, early-reduce, early-scan, late-broadcast, wrong-order-same, wrong-order-different or lock (default any)",
	 option_choice, &pattern},
	{"pattern", 0, "NAME", NULL, option_choice, &pattern}, /* old name */
	{0},
};

static const struct option_spec *const waits_options[] = {waits_own_options, slice_options,
							  strict_options, NULL};

static int write_waits(struct study *study, struct error *err)
{
	struct output output;
	struct report report;

	if (by.value == WAITS_BY_SITE && !study->found.run->site_count)
		return no_sites(study->found.path, err);
	TRY(study_waits(study, err));
	TRY(commands_open(&output, &report, err));
	TRY(commands_commit(&output,
			    study_write_waits(study, &report, (enum wait_grouping)by.value,
					      (enum wait_pattern)pattern.value, err),
			    err));
	return check_clocks(&study->found, err);
}

static int cmd_waits(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, write_waits, err);
}

static const struct help_entry waits_examples[] = {
	{"critpath waits llamp-trace-app-42", "the patterns, the longest waits and their causes"},
	{"critpath waits app.trace --by channel --kind late-sender", "the pairs of ranks whose"
								     " messages were late"},
	{"critpath waits app.trace --by iteration --format csv", "how waits develop"},
	{"critpath waits app.trace --by site", "the lines of the program that wait"},
	{0},
};

const struct command waits_command = {
	.name = "waits",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "which calls waited, how long, and for whom",
	.notes = input_notes,
	.options = waits_options,
	.output = &table_output,
	.run = cmd_waits,
	.examples = waits_examples,
};
