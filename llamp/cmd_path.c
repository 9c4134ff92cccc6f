#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report_path.h"

static struct {
	enum report_format format;
	enum path_table table;
} given;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{"table", 0, "NAME",
	 "rows of --format csv: segments of the path (default), slack of all calls, lambda by"
	 " function, rank pair and communicator, or calls that join the path next (next)",
	 option_path_table, &given.table},
	{0},
};

const struct option_spec *const path_options[] = {model_options, options, output_options, NULL};

static int write_path(const struct path_findings *findings, const char *output_path,
		      struct error *err)
{
	struct output output;

	TRY(output_open(&output, output_path, err));
	if (report_path(output.stream, given.format, given.table, findings, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int find_and_report(const struct model *model, const char *output, struct error *err)
{
	const bool all = given.format != REPORT_CSV;
	const struct path_request request = {.slack = all || given.table == PATH_SLACK,
					     .next = all || given.table == PATH_NEXT};
	struct path_findings findings;
	struct error why;
	int result;

	progress_begin("llamp", "finding the critical path");
	result = path_findings_find(&findings, model, &request, &why, err);
	progress_end();
	if (result < 0)
		return -1;
	if (why.status != STATUS_OK)
		tool_warning("llamp", "%s: calls are not named", why.text);
	for (size_t i = 0; model->lines && source_lines_doubt(model->lines, i); i++)
		tool_warning("llamp", "%s", source_lines_doubt(model->lines, i));
	warn_if_far_from_traced(model, report_ns(findings.path.runtime_as));
	result = write_path(&findings, output, err);
	path_findings_release(&findings);
	return result;
}

int cmd_path(char **operands, int count, struct error *err)
{
	struct loggps loggps;
	struct model model;
	const char *output;
	int result;

	(void)count;
	if (given.table != PATH_SEGMENTS && given.format != REPORT_CSV)
		return error_set(err, STATUS_USAGE, "--table is for --format csv only");
	TRY(output_path(&output, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = find_and_report(&model, output, err);
	model_release(&model);
	return result;
}
