#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

#include <string.h>

static enum report_format given_format;

/* Runtime that tolerances are relative to. */
static struct {
	bool traced;
	uint64_t ns;		/* 0: T */
} given_baseline;

/* Read a time, or "traced". */
static int option_baseline(const char *text, void *target, struct error *err)
{
	(void)target;
	given_baseline.traced = !strcmp(text, "traced");
	given_baseline.ns = 0;
	if (given_baseline.traced)
		return 0;
	if (parse_time_ns(text, &given_baseline.ns, err) < 0)
		return error_prefix(err, "--baseline is a time or 'traced'");
	return given_baseline.ns ? 0 : error_set(err, STATUS_USAGE, "'%s' is less than 1 ns", text);
}

static const struct option_spec options[] = {
	{"baseline", 0, "TIME", "tolerances are relative to this runtime instead of T; traced: to"
	 " the length of the traced run", option_baseline, NULL},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given_format},
	{0},
};

const struct option_spec *const analyze_options[] = {model_options, analysis_options,
						    tolerance_options, options,
						     output_options, NULL};

static int write_analysis(const struct model *model, const struct analysis *analysis,
			  const char *path, struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_analysis(output.stream, given_format, model, analysis);
	return output_commit(&output, err);
}

/* Find the baseline, 0 for T. */
static int find_baseline(const struct model *model, uint64_t *baseline_ns, struct error *err)
{
	*baseline_ns = given_baseline.traced ? model_traced_ns(model) : given_baseline.ns;
	if (!given_baseline.traced || *baseline_ns)
		return 0;
	if (!model->calls)
		return error_set(err, STATUS_USAGE, "--baseline traced: %s has no file %s.calls"
				 " beside it, in which schedgen writes the length of the traced run",
				 model->path, model->path);
	return error_set(err, STATUS_USAGE, "--baseline traced: %s is the graph of a run that nobody"
			 " has traced (%s)", model->path, model->calls->origin.how);
}

static int analyze(const struct model *model, uint32_t varied, const char *output,
		   struct error *err)
{
	const struct analysis_question *question = analysis_options_question();
	struct analysis analysis;
	uint64_t baseline_ns;
	int result;

	TRY(find_baseline(model, &baseline_ns, err));
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
	struct loggps loggps;
	struct model model;
	const char *output;
	uint32_t varied;
	int result;

	(void)count;
	TRY(output_path(&output, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(loggps_vary(&loggps, analysis_options_question()->vary, &varied, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = analyze(&model, varied, output, err);
	model_release(&model);
	return result;
}
