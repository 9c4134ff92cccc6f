/* Command llamp compare: several programs or networks side by side. */
#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/programs.h"
#include "llamp/report/report_compare.h"

static const struct option_spec *const compare_options[] = {model_options,     analysis_options,
							    tolerance_options, baseline_options,
							    order_options,     NULL};

/* Analyze one program.  Its graph is released before the next one is read. */
static int compare_program(struct comparison *comparison, const struct program *program,
			   struct error *err)
{
	struct analysis_request request = analysis_options_question()->request;
	struct compared *compared = &comparison->items[comparison->count];
	struct model model;
	int result;

	TRY(open_graph(&model, program->path, program->loggps, MODEL_EVENTS, err));
	progress_begin("llamp", "analyzing the graph");
	request.varied = program->varied;
	result = baseline_of(&model, &request.baseline_ns, err);
	if (result == 0)
		result = compared_find(compared, &model, &request, err);
	progress_end();
	if (result == 0)
		warn_if_far_from_traced(&model, compared->runtime_ns, compared->runtime_ns);
	model_release(&model);
	if (result < 0)
		return -1;
	compared->label = program->label;
	compared->network = program->network;
	comparison->count++;
	warn_about_pivots(compared->pivots);
	return 0;
}

static int write_comparison(const struct comparison *comparison, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, table_output.path, err));
	report = given_report(&table_output, &output);
	if (report_compare(&report, comparison, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int compare(const struct programs *programs, struct error *err)
{
	struct comparison comparison = {.network_count = programs->network_count,
					.vary = analysis_options_vary()};
	int result = 0;

	if (programs->count < 2)
		return error_set(err, STATUS_USAGE,
				 "one graph on one network: name another graph,"
				 " or give another --params");
	TRY(allocate(&comparison.items, programs->count, sizeof *comparison.items, err));
	for (size_t i = 0; i < programs->count && result == 0; i++)
		result = compare_program(&comparison, &programs->of[i], err);
	if (result == 0)
		result = compared_align(comparison.items, comparison.count, err);
	if (result == 0)
		result = write_comparison(&comparison, err);
	for (size_t i = 0; i < comparison.count; i++)
		compared_release(&comparison.items[i]);
	free(comparison.items);
	return result;
}

static int cmd_compare(char **operands, int count, struct error *err)
{
	struct programs programs;
	int result;

	result = programs_find(&programs, operands, (size_t)count, analysis_options_vary(), err);
	if (result == 0)
		result = compare(&programs, err);
	programs_release(&programs);
	return result;
}

static const char compare_notes[] =
	"Each FILE is a GOAL graph, analyzed as llamp analyze does. With several --params each graph is "
	"analyzed on each of these networks; other options apply to all. Two or three programs are "
	"columns of a table, more are its rows. Differences are to the first: its value is "
	"subtracted, also in per cent of it.";

static const struct help_entry compare_examples[] = {
	{"llamp compare ring.bin doubling.bin",
	 "the same program with two algorithms of its collectives"},
	{"llamp compare app.bin --params old.yaml --params new.yaml",
	 "the same program on two networks"},
	{"llamp compare app-*.bin --format csv", "all facts as CSV, for a table of your own"},
	{0},
};

const struct command compare_command = {
	.name = "compare",
	.operands = "FILE...",
	.least_operands = 1,
	.most_operands = -1,
	.summary = "several graphs side by side, and how they differ from the first",
	.notes = compare_notes,
	.options = compare_options,
	.output = &table_output,
	.run = cmd_compare,
	.examples = compare_examples,
	.files = graph_files,
};
