/*
 * Command critpath imbalance: waits and computation by rank, communicator, function and
 * iteration.
 */
#include "critpath/commands.h"
#include "critpath/report/run_report_iterations.h"
#include "critpath/report/study_reports.h"

static const char *const tables[] = {
	[IMBALANCE_RANKS] = "ranks",	     [IMBALANCE_COMMS] = "comms",
	[IMBALANCE_FUNCTIONS] = "functions", [IMBALANCE_INSTANCES] = "instances",
	[IMBALANCE_CALLS] = "calls",	     NULL};
static struct choice table = {"table", tables, IMBALANCE_RANKS};

enum grouping { BY_NOTHING, BY_ITERATION };

static const char *const groupings[] = {"all", "iteration", NULL};
static struct choice by = {"grouping", groupings, BY_NOTHING};

static const struct option_spec imbalance_own_options[] = {
	{"by", 0, "NAME",
	 "all of the run (default), or by iteration: how balance and waits develop", option_choice,
	 &by},
	{"table", 0, "NAME",
	 "rows of --format csv: ranks (default), comms, functions, instances of collectives, or calls",
	 option_choice, &table},
	{0},
};

static const struct option_spec *const imbalance_options[] = {imbalance_own_options, slice_options,
							      strict_options, NULL};

static int write_iterations(struct study *study, struct report *report,
			    const struct imbalance *imbalance, struct error *err)
{
	struct imbalance_iterations iterations;

	TRY(imbalance_iterations_find(&iterations, imbalance, study->dist, err));
	if (study->dist->rank == 0)
		run_report_iterations(report, &study->found, &iterations);
	imbalance_iterations_release(&iterations);
	return 0;
}

static int find_iterations(struct study *study, struct report *report, struct error *err)
{
	struct imbalance imbalance;
	int result;

	TRY(imbalance_find(&imbalance, study->found.waits, study->dist, err));
	result = write_iterations(study, report, &imbalance, err);
	imbalance_release(&imbalance);
	return result;
}

static int write_imbalance(struct study *study, struct error *err)
{
	struct output output;
	struct report report;
	int result;

	TRY(study_totals(study, err));
	TRY(commands_open(&output, &report, err));
	result = by.value == BY_ITERATION
			 ? find_iterations(study, &report, err)
			 : study_write_imbalance(study, &report, (enum imbalance_table)table.value,
						 err);
	TRY(commands_commit(&output, result, err));
	return check_clocks(&study->found, err);
}

static int cmd_imbalance(char **operands, int count, struct error *err)
{
	(void)count;
	if (table.value != IMBALANCE_RANKS && given_format() != REPORT_CSV)
		return error_set(err, STATUS_USAGE, "--table is for --format csv only");
	if (table.value != IMBALANCE_RANKS && by.value == BY_ITERATION)
		return error_set(err, STATUS_USAGE, "--by iteration has no --table");
	if (given_slice() && by.value == BY_ITERATION)
		return error_set(err, STATUS_USAGE, "--by iteration has no --from and --to");
	return with_study(operands[0], false, write_imbalance, err);
}

static const struct help_entry imbalance_examples[] = {
	{"critpath imbalance llamp-trace-app-42", "efficiencies, and the ranks, functions and"
						  " collectives that wait"},
	{"critpath imbalance app.trace --format csv --table calls", "waits and execution of all"
								    " calls"},
	{0},
};

const struct command imbalance_command = {
	.name = "imbalance",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "how balanced the ranks are, and what collectives wait for",
	.notes = input_notes,
	.options = imbalance_options,
	.output = &table_output,
	.run = cmd_imbalance,
	.examples = imbalance_examples,
};
