#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/report/report_compare.h"

static enum report_format given_format;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given_format},
	{0},
};

const struct option_spec *const compare_options[] = {model_options, analysis_options,
						    tolerance_options, options,
						     output_options, NULL};

/* Analyze one program.  Its graph is released before the next one is read. */
static int compare_file(struct comparison *comparison, const char *path,
			const struct loggps *loggps, struct error *err)
{
	const struct analysis_question *question = analysis_options_question();
	struct compared *compared = &comparison->items[comparison->count];
	struct model model;
	int result;

	TRY(open_graph(&model, path, loggps, err));
	progress_begin("llamp", "analyzing the graph");
	result = compared_find(compared, &model, question->engine, comparison->varied,
			       question->percents, question->percent_count, err);
	progress_end();
	model_release(&model);
	if (result < 0)
		return -1;
	comparison->count++;
	warn_about_pivots(compared->pivots);
	return 0;
}

static int write_comparison(const struct comparison *comparison, const char *path,
			    struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_compare(output.stream, given_format, comparison);
	return output_commit(&output, err);
}

static int compare(struct comparison *comparison, char **operands, int count,
		   const struct loggps *loggps, const char *output, struct error *err)
{
	int result = 0;

	TRY(allocate(&comparison->items, (size_t)count, sizeof *comparison->items, err));
	for (int i = 0; i < count && result == 0; i++)
		result = compare_file(comparison, operands[i], loggps, err);
	if (result == 0)
		result = write_comparison(comparison, output, err);
	for (size_t i = 0; i < comparison->count; i++)
		compared_release(&comparison->items[i]);
	free(comparison->items);
	return result;
}

int cmd_compare(char **operands, int count, struct error *err)
{
	struct comparison comparison = {.count = 0};
	struct loggps loggps;
	const char *output;

	for (int i = 0; i < count; i++)
		TRY(output_path(&output, operands[i], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(loggps_vary(&loggps, analysis_options_question()->vary, &comparison.varied, err));
	return compare(&comparison, operands, count, &loggps, output, err);
}
