/* Command critpath waits: which calls waited, for how long, and who caused it. */
#include "critpath/commands.h"
#include "critpath/report/run_report_waits.h"
#include "critpath/report/wait_rows.h"

static struct choice by = {"group", wait_grouping_names, WAITS_BY_CALL};
static struct choice pattern = {"pattern", wait_pattern_names, PATTERN_ANY};

static const struct option_spec waits_own_options[] = {
	{"by", 0, "NAME",
	 "add up waits by call (default: list all), function, comm, rank, channel, iteration or"
	 " site, the call site",
	 option_choice, &by},
	{"kind", 0, "NAME",
	 "only waits of a pattern: late-sender, late-receiver, barrier, collective, root or wrong-order (default any)",
	 option_choice, &pattern},
	{"pattern", 0, "NAME", NULL, option_choice, &pattern}, /* old name */
	{0},
};

static const struct option_spec *const waits_options[] = {waits_own_options, slice_options,
							  strict_options, NULL};

static void copy_item(void *data, size_t number, void *row)
{
	*(struct wait_item *)row = ((const struct wait_items *)data)->list.items[number];
}

/* Let process 0 write, to which the others send their rows. */
static int write_waits(const struct findings *findings, const struct wait_findings *waits,
		       struct error *err)
{
	struct output output;
	struct report report;
	int result;

	TRY(commands_open(&output, err));
	if (!commands_write())
		return commands_agree(dist_rows_serve(waits->rows, err), err);
	report = given_report(&output);
	run_report_waits(&report, findings, waits);
	result = output_commit(&output, err);
	return commands_agree(result, err);
}

static int open_rows(const struct findings *findings, const struct wait_findings *waits,
		     struct error *err)
{
	int result;

	TRY(dist_rows_open(waits->rows, err));
	result = write_waits(findings, waits, err);
	dist_rows_close(waits->rows);
	return result;
}

static int group_waits(const struct findings *findings, struct wait_items *items, struct error *err)
{
	const enum wait_grouping grouping = (enum wait_grouping)by.value;
	const enum wait_pattern wanted = (enum wait_pattern)pattern.value;
	const bool lists_calls = grouping == WAITS_BY_CALL && given_format() != REPORT_TEXT;
	struct dist_rows rows = {.dist = commands_dist(),
				 .row_bytes = sizeof(struct wait_item),
				 .make = copy_item,
				 .data = items};
	struct wait_groups groups;
	int result;

	if (grouping == WAITS_BY_SITE && !findings->run->site_count)
		return no_sites(findings->path, err);
	TRY(wait_groups_find(&groups, findings->waits, items, grouping, wanted, commands_dist(),
			     err));
	wait_items_keep(items, wanted);
	result = wait_rows_find(items, findings->run, !lists_calls, wanted, commands_dist(), err);
	rows.count = lists_calls ? items->list.count : 0;
	if (result == 0)
		result = open_rows(findings,
				   &(struct wait_findings){items, &rows, &groups, grouping, wanted},
				   err);
	wait_groups_release(&groups);
	return result;
}

static int list_waits(struct study *study, struct error *err)
{
	const struct findings *findings = &study->found;
	struct wait_items items;
	int result;

	TRY(study_waits(study, err));
	result = commands_agree(wait_items_find(&items, findings->waits, err), err);

	if (result == 0)
		result = group_waits(findings, &items, err);
	wait_items_release(&items);
	return result < 0 ? -1 : check_clocks(findings, err);
}

static int cmd_waits(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, list_waits, err);
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
