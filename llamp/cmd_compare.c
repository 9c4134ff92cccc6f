#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/programs.h"
#include "llamp/report/report_compare.h"

static enum report_format given_format;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given_format},
	{0},
};

const struct option_spec *const compare_options[] = {model_options, analysis_options,
						    tolerance_options, baseline_options,
						    options, output_options, NULL};

/* Analyze one program.  Its graph is released before the next one is read. */
static int compare_program(struct comparison *comparison, const struct program *program,
			   struct error *err)
{
	const struct analysis_question *question = analysis_options_question();
	struct compared *compared = &comparison->items[comparison->count];
	struct model model;
	uint64_t baseline_ns;
	int result;

	TRY(open_graph(&model, program->path, program->loggps, err));
	progress_begin("llamp", "analyzing the graph");
	result = baseline_of(&model, &baseline_ns, err);
	if (result == 0)
		result = compared_find(compared, &model, question->engine, program->varied,
				       baseline_ns, question->percents, question->percent_count,
				       err);
	progress_end();
	model_release(&model);
	if (result < 0)
		return -1;
	compared->label = program->label;
	compared->network = program->network;
	comparison->count++;
	warn_about_pivots(compared->pivots);
	return 0;
}

static int write_comparison(const struct comparison *comparison, const char *path,
			    struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	if (report_compare(output.stream, given_format, comparison, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int compare(const struct programs *programs, const char *output, struct error *err)
{
	struct comparison comparison = {.network_count = programs->network_count,
					.vary = analysis_options_question()->vary};
	int result = 0;

	if (programs->count < 2)
		return error_set(err, STATUS_USAGE, "one graph on one network: name another graph,"
				 " or give another --params");
	TRY(allocate(&comparison.items, programs->count, sizeof *comparison.items, err));
	for (size_t i = 0; i < programs->count && result == 0; i++)
		result = compare_program(&comparison, &programs->of[i], err);
	if (result == 0)
		result = compared_align(comparison.items, comparison.count, err);
	if (result == 0)
		result = write_comparison(&comparison, output, err);
	for (size_t i = 0; i < comparison.count; i++)
		compared_release(&comparison.items[i]);
	free(comparison.items);
	return result;
}

int cmd_compare(char **operands, int count, struct error *err)
{
	struct programs programs;
	const char *output;
	int result;

	for (int i = 0; i < count; i++)
		TRY(output_path(&output, operands[i], err));
	result = programs_find(&programs, operands, (size_t)count,
			       analysis_options_question()->vary, err);
	if (result == 0)
		result = compare(&programs, output, err);
	programs_release(&programs);
	return result;
}
