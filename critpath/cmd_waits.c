#include "critpath/commands.h"
#include "critpath/report/run_report_waits.h"

static struct choice by = {"group", wait_grouping_names, WAITS_BY_CALL};
static struct choice pattern = {"pattern", wait_pattern_names, PATTERN_ANY};

static const struct option_spec options[] = {
	{"by", 0, "NAME",
	 "add up waits by call (default: list all), function, comm, rank, channel, iteration or"
	 " site, the call site",
	 option_choice, &by},
	{"pattern", 0, "NAME",
	 "only late-sender, late-receiver, barrier, collective, root or wrong-order (default any)",
	 option_choice, &pattern},
	{0},
};

const struct option_spec *const waits_options[] = {options, output_options, NULL};

static int write_waits(const struct findings *findings, const struct wait_findings *waits,
		       struct error *err)
{
	struct output output;

	TRY(output_open(&output, given_output(), err));
	run_report_waits(output.stream, given_format(), findings, waits);
	return output_commit(&output, err);
}

static int group_waits(const struct findings *findings, struct wait_items *items, struct error *err)
{
	const enum wait_grouping grouping = (enum wait_grouping)by.value;
	const enum wait_pattern wanted = (enum wait_pattern)pattern.value;
	struct wait_groups groups;
	int result;

	if (grouping == WAITS_BY_SITE && !findings->run->site_names)
		return no_sites(findings->path, err);
	TRY(wait_groups_find(&groups, findings->waits, items, grouping, wanted, err));
	wait_items_keep(items, wanted);
	result = write_waits(findings, &(struct wait_findings){items, &groups, grouping, wanted},
			     err);
	wait_groups_release(&groups);
	return result;
}

static int list_waits(const struct findings *findings, struct error *err)
{
	struct wait_items items;
	int result;

	TRY(wait_items_find(&items, findings->waits, err));
	result = group_waits(findings, &items, err);
	wait_items_release(&items);
	return result < 0 ? -1 : check_clocks(findings, err);
}

int cmd_waits(char **operands, int count, struct error *err)
{
	(void)count;
	return with_waits(operands[0], list_waits, err);
}
