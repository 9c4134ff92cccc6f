/* Command critpath causes: what caused the waiting of all ranks. */
#include "critpath/commands.h"
#include "critpath/report/study_reports.h"

#include "common/units.h"

static struct choice by = {"group", cause_grouping_names, CAUSES_BY_CAUSE};
static struct choice match = {"match", cell_match_names, MATCH_SITE};
static bool no_end;
static uint64_t most;

static int option_most(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, UINT32_MAX, target, err);
}

static const struct option_spec causes_own_options[] = {
	{"by", 0, "NAME",
	 "add up causes: by cause (default), that is rank, function and call site; by rank, function, site,"
	 " iteration, or pair of the ranks that caused the waiting and that waited; or waits by waiter, what waited,"
	 " with their largest causes",
	 option_choice, &by},
	{"match", 0, "NAME",
	 "what cancels between the rank that waited and the one that was waited for: the same computation or"
	 " calls by call site (default) or function, or none",
	 option_choice, &match},
	{"no-end", 0, NULL, "leave out the time from the end of a rank to the end of the run",
	 option_flag, &no_end},
	{"top", 0, "N", "list N rows (default: 10 in text, otherwise all)", option_most, &most},
	{0},
};

static const struct option_spec *const causes_options[] = {causes_own_options, slice_options,
							   strict_options, NULL};

static int write_causes(struct study *study, struct error *err)
{
	const struct wait_causes_options options = {.match = (enum cell_match)match.value,
						    .by = (enum cause_grouping)by.value,
						    .no_end = no_end};
	struct output output;
	struct report report;

	if (by.value == CAUSES_BY_SITE && !study->found.run->site_count)
		return no_sites(study->found.path, err);
	TRY(study_walk(study, err));
	TRY(commands_open(&output, &report, err));
	TRY(commands_commit(&output, study_write_causes(study, &report, &options, most, err), err));
	return check_clocks(&study->found, err);
}

static int cmd_causes(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, write_causes, err);
}

static const struct help_entry causes_examples[] = {
	{"critpath causes llamp-trace-app-42", "the computation and calls that made others wait"},
	{"critpath causes app.trace --by iteration", "the iterations that caused most waiting"},
	{"critpath causes app.trace --by rank --format csv", "what each rank cost the others"},
	{0},
};

const struct command causes_command = {
	.name = "causes",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "who caused the waiting, also through the waits of others",
	.notes = input_notes,
	.options = causes_options,
	.output = &table_output,
	.run = cmd_causes,
	.examples = causes_examples,
};
