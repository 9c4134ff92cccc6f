#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

static enum report_format given_format;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given_format},
	{0},
};

const struct option_spec *const analyze_options[] = {model_options, analysis_options,
						    tolerance_options, baseline_options,
						    options, output_options, NULL};

static int write_analysis(const struct model *model, const struct analysis *analysis,
			  const char *path, struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_analysis(output.stream, given_format, model, analysis);
	return output_commit(&output, err);
}

static int analyze(const struct model *model, uint32_t varied, const char *output,
		   struct error *err)
{
	const struct analysis_question *question = analysis_options_question();
	struct analysis analysis;
	uint64_t baseline_ns;
	int result;

	TRY(baseline_of(model, &baseline_ns, err));
	progress_begin("llamp", "analyzing the graph");
	result = analysis_run_to(&analysis, model, question->engine, varied, baseline_ns,
				 question->percents, question->percent_count, err);
	progress_end();
	if (result < 0)
		return -1;
	warn_if_far_from_traced(model, analysis.runtime_ns);
	warn_about_pivots(analysis.pivots);
	result = write_analysis(model, &analysis, output, err);
	analysis_release(&analysis);
	return result;
}

int cmd_analyze(char **operands, int count, struct error *err)
{
	struct direction asked;
	struct loggps loggps;
	struct model model;
	const char *output;
	uint32_t varied;
	int result;

	(void)count;
	TRY(output_path(&output, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(loggps_vary(&loggps, analysis_options_question()->vary, &varied, err));
	asked = direction_of(&loggps.variables, varied);
	loggps.asked = &asked;
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = analyze(&model, varied, output, err);
	model_release(&model);
	return result;
}
