#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

#include <string.h>

enum { MOST_TOLERANCES = 64 };

static struct {
	const char *vary;
	enum engine engine;
	enum report_format format;
	double percents[MOST_TOLERANCES];
	size_t percent_count;
} given = {.vary = "L", .percents = {1, 2, 5}, .percent_count = 3};

static int option_engine(const char *text, void *target, struct error *err)
{
	for (int i = ENGINE_AUTO; i <= ENGINE_PATH; i++) {
		if (!strcmp(text, engine_name((enum engine)i))) {
			*(enum engine *)target = (enum engine)i;
			return 0;
		}
	}
	return error_set(err, STATUS_USAGE, "'%s' is not an engine: auto, lp or path", text);
}

/* Read percentages that are separated by commas. */
static int option_tolerances(const char *text, void *target, struct error *err)
{
	(void)target;
	given.percent_count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		char item[32];
		double percent;

		if (given.percent_count == MOST_TOLERANCES)
			return error_set(err, STATUS_USAGE, "more than %d tolerances",
					 MOST_TOLERANCES);
		if (length >= sizeof item)
			return error_set(err, STATUS_USAGE, "'%s' is not a list such as 1,2,5",
					 text);
		memcpy(item, text, length);
		item[length] = '\0';
		TRY(parse_tolerance(item, &percent, err));
		given.percents[given.percent_count++] = percent;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static const struct option_spec options[] = {
	{"vary", 0, "NAME", "variable to vary: ranges and tolerances refer to it (default L)",
	 option_text, &given.vary},
	{"tolerance", 0, "LIST", "percentages by which T may grow (default 1,2,5)",
	 option_tolerances, NULL},
	{"engine", 0, "NAME",
	 "auto (default: lp for models below 1,000,000 rows, else path), lp or"
	 " path",
	 option_engine, &given.engine},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const analyze_options[] = {model_options, options, output_options, NULL};

static int write_analysis(const struct model *model, const struct analysis *analysis,
			  const char *path, struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_analysis(output.stream, given.format, model, analysis);
	return output_commit(&output, err);
}

static int analyze(const struct model *model, uint32_t varied, const char *output,
		   struct error *err)
{
	struct analysis analysis;
	int result;

	progress_begin("llamp", "analyzing the graph");
	result = analysis_run(&analysis, model, given.engine, varied, given.percents,
			      given.percent_count, err);
	progress_end();
	if (result < 0)
		return -1;
	if (analysis.pivots > 0)
		tool_warning(
			"llamp",
			"GLPK took %lld pivot%s from the basis of the longest path, so the basis"
			" range is that of another basis",
			(long long)analysis.pivots, plural((uint64_t)analysis.pivots));
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
	TRY(variables_require(&loggps.variables, given.vary, &varied, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = analyze(&model, varied, output, err);
	model_release(&model);
	return result;
}
