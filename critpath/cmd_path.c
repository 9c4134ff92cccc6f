#include "critpath/commands.h"

const struct option_spec *const path_options[] = {output_options, NULL};

static int write_path(const struct findings *findings, struct error *err)
{
	struct output output;

	TRY(output_open(&output, given_output(), err));
	run_report_path(output.stream, given_format(), findings);
	return output_commit(&output, err);
}

static int find_totals(struct findings *findings, struct error *err)
{
	struct totals totals;
	int result;

	TRY(totals_find(&totals, findings->waits, findings->walk, err));
	findings->totals = &totals;
	result = write_path(findings, err);
	totals_release(&totals);
	return result;
}

static int find_path(struct findings *findings, struct error *err)
{
	struct walk walk;
	int result;

	TRY(walk_find(&walk, findings->waits, err));
	findings->walk = &walk;
	result = find_totals(findings, err);
	walk_release(&walk);
	return result;
}

int cmd_path(char **operands, int count, struct error *err)
{
	struct measured_run run;
	struct waits waits;
	int result;

	(void)count;
	TRY(open_run(&run, operands[0], err));
	result = waits_find(&waits, &run, err);
	if (result == 0) {
		result = find_path(&(struct findings){.path = operands[0], .run = &run,
						      .waits = &waits}, err);
		waits_release(&waits);
	}
	measured_run_release(&run);
	return result;
}
