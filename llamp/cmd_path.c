/* Command llamp path: the critical path, its calls, slack, and what becomes critical next. */
#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report_path.h"

static struct {
	enum path_table table;
} given;

static const struct option_spec path_own_options[] = {
	{"table", 0, "NAME",
	 "rows of --format csv: segments of the path (default), slack of all calls, lambda by"
	 " function, rank pair and communicator, calls that join the path next (next), or calls that"
	 " a progress thread could help (overlap)",
	 option_path_table, &given.table},
	{0},
};

static const struct option_spec *const path_options[] = {model_options, path_own_options, NULL};

static int path_write_report(const struct findings *findings, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, table_output.path, err));
	report = given_report(&table_output, &output);
	if (report_path(&report, given.table, findings, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int find_and_report(const struct model *model, struct error *err)
{
	const bool all = table_output.format != REPORT_CSV;
	const struct path_request request = {.slack = all || given.table == PATH_SLACK,
					     .next = all || given.table == PATH_NEXT,
					     .overlap = all || given.table == PATH_OVERLAP};
	struct findings findings;
	int result;

	progress_begin("llamp", "finding the critical path");
	result = findings_find_path(&findings, model, &request, err);
	progress_end();
	if (result < 0)
		return -1;
	/* Without a side file it was said when the graph was read. */
	if (model->calls && findings.calls_error.status != STATUS_OK)
		tool_warning("llamp", "%s: calls are not named", findings.calls_error.text);
	for (size_t i = 0; model->lines && source_lines_doubt(model->lines, i); i++)
		tool_warning("llamp", "%s", source_lines_doubt(model->lines, i));
	warn_if_far_from_traced(model, report_ns(findings.path.runtime_as),
				report_ns(findings.path.runtime_as));
	warn_if_never_deferred(model, &findings.overlap);
	result = path_write_report(&findings, err);
	findings_release(&findings);
	return result;
}

static const char *table_unused(const char *option)
{
	(void)option;
	return table_output.format == REPORT_CSV ? NULL : "tables are chosen for --format csv";
}

static const struct option_condition path_conditions[] = {{"table", table_unused}, {0}};

static int cmd_path(char **operands, int count, struct error *err)
{
	struct loggps loggps;
	struct model model;
	int result;

	(void)count;
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_EVENTS, err));
	result = find_and_report(&model, err);
	model_release(&model);
	return result;
}

static const struct help_entry path_examples[] = {
	{"llamp path app.bin", "the categories, ranks and MPI calls to which the time goes"},
	{"llamp path app.bin --format csv", "all segments of the path"},
	{"llamp path app.bin --format csv --table slack",
	 "how late each MPI call may be without changing the runtime"},
	{"llamp path calls.bin -S 64KiB --format csv --table overlap",
	 "what moving messages during computation would bring, by call, of a graph with deferred messages"},
	{0},
};

const struct command path_command = {
	.name = "path",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "where the time on the critical path goes",
	.notes = input_notes,
	.options = path_options,
	.output = &table_output,
	.conditions = path_conditions,
	.run = cmd_path,
	.examples = path_examples,
	.files = graph_files,
};
