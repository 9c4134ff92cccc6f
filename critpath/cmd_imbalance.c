/*
 * Command critpath imbalance: waits and computation by rank, communicator, function and
 * iteration.
 */
#include "critpath/commands.h"
#include "critpath/report/imbalance_rows.h"
#include "critpath/report/run_report_iterations.h"

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

/* Let process 0 write, to which the others send their rows. */
static int write_imbalance(const struct findings *findings, const struct imbalance *imbalance,
			   struct dist_rows *rows, struct error *err)
{
	struct output output;
	struct report report;
	int result;

	TRY(commands_open(&output, err));
	if (!commands_write())
		return commands_agree(dist_rows_serve(rows, err), err);
	report = given_report(&output);
	run_report_imbalance(&report, (enum imbalance_table)table.value, findings, imbalance, rows);
	result = output_commit(&output, err);
	return commands_agree(result, err);
}

static int open_rows(const struct findings *findings, const struct imbalance *imbalance,
		     struct error *err)
{
	struct imbalance_rows rows;
	int result;

	TRY(imbalance_rows_open(&rows, given_format(), (enum imbalance_table)table.value, findings,
				imbalance, commands_dist(), err));
	result = write_imbalance(findings, imbalance, &rows.rows, err);
	imbalance_rows_close(&rows);
	return result;
}

static int write_iterations(const struct findings *findings,
			    const struct imbalance_iterations *iterations, struct error *err)
{
	struct output output;
	struct report report;

	if (!commands_write())
		return 0;
	TRY(output_open(&output, given_output(), err));
	report = given_report(&output);
	run_report_iterations(&report, findings, iterations);
	return output_commit(&output, err);
}

static int find_iterations(const struct findings *findings, const struct imbalance *imbalance,
			   struct error *err)
{
	struct imbalance_iterations iterations;
	int result;

	TRY(imbalance_iterations_find(&iterations, imbalance, commands_dist(), err));
	result = commands_agree(write_iterations(findings, &iterations, err), err);
	imbalance_iterations_release(&iterations);
	return result;
}

static int find_imbalance(struct study *study, struct error *err)
{
	const struct findings *findings = &study->found;
	struct imbalance imbalance;
	int result;

	TRY(study_totals(study, err));
	TRY(imbalance_find(&imbalance, findings->waits, commands_dist(), err));
	result = by.value == BY_ITERATION ? find_iterations(findings, &imbalance, err)
					  : open_rows(findings, &imbalance, err);
	imbalance_release(&imbalance);
	return result < 0 ? -1 : check_clocks(findings, err);
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
	return with_study(operands[0], false, find_imbalance, err);
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
