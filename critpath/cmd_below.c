/* Command critpath below: where the MPI library posts data below MPI, and who polls. */
#include "critpath/commands.h"
#include "critpath/report/run_report_below.h"

static const struct option_spec *const below_options[] = {slice_options, NULL};

static int write_below(struct study *study, struct error *err)
{
	struct below_totals totals;
	struct output output;
	struct report report;
	int result;

	if (!study->run.world->has_below && given_format() != REPORT_SCHEMA)
		return error_set(err, STATUS_DATA,
				 "%s: nothing below MPI is recorded; llamp-trace --below-mpi does",
				 study->found.path);
	TRY(below_totals_find(&totals, &study->run, err));
	result = commands_open(&output, &report, err);
	if (result == 0) {
		run_report_below(&report, &study->found, &totals);
		result = commands_commit(&output, 0, err);
	}
	below_totals_release(&totals);
	return result;
}

static int cmd_below(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, write_below, err);
}

static const char below_notes[] =
	"ARCHIVE is one of llamp-trace --below-mpi. A row is a function of MPI, called by a thread: how many "
	"calls of UCX in it post data, how long after its begin, and how many polls find something. A "
	"message makes progress where data are posted and where polls find something. If a message is begun by "
	"MPI_Irecv and all polls that find something are in MPI_Wait, it does not overlap the "
	"computation between them.";

static const struct help_entry below_examples[] = {
	{"critpath below app.trace", "where data are posted, and who polls"},
	{0},
};

const struct command below_command = {
	.name = "below",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "what MPI does below: when it posts data, and who polls",
	.notes = below_notes,
	.options = below_options,
	.output = &table_output,
	.run = cmd_below,
	.examples = below_examples,
};
