#include "critpath/commands.h"
#include "critpath/report/run_report_imbalance.h"

static const char *const tables[] = {
	[IMBALANCE_RANKS] = "ranks",	     [IMBALANCE_COMMS] = "comms",
	[IMBALANCE_FUNCTIONS] = "functions", [IMBALANCE_INSTANCES] = "instances",
	[IMBALANCE_CALLS] = "calls",	     NULL};
static struct choice table = {"table", tables, IMBALANCE_RANKS};

static const struct option_spec options[] = {
	{"table", 0, "NAME",
	 "rows of --format csv: ranks (default), comms, functions, instances of collectives, or calls",
	 option_choice, &table},
	{0},
};

const struct option_spec *const imbalance_options[] = {options, output_options, NULL};

static int find_imbalance(const struct findings *findings, struct error *err)
{
	struct imbalance imbalance;
	struct output output;
	int result;

	TRY(imbalance_find(&imbalance, findings->waits, err));
	result = output_open(&output, given_output(), err);
	if (result == 0) {
		run_report_imbalance(output.stream, given_format(),
				     (enum imbalance_table)table.value, findings, &imbalance);
		result = output_commit(&output, err);
	}
	imbalance_release(&imbalance);
	return result < 0 ? -1 : check_clocks(findings, err);
}

int cmd_imbalance(char **operands, int count, struct error *err)
{
	(void)count;
	return with_totals(operands[0], find_imbalance, err);
}
