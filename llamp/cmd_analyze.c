#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

#include <string.h>

enum { MOST_TOLERANCES = 64 };

static struct {
	enum parameter varied;
	enum engine engine;
	enum report_format format;
	double percents[MOST_TOLERANCES];
	size_t percent_count;
} given = {.percents = {1, 2, 5}, .percent_count = 3};

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

/* Percentages with commas between them. */
static int option_tolerance(const char *text, void *target, struct error *err)
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
	{"vary", 0, "NAME", "parameter that ranges and tolerances are of: L (default), G or o",
	 option_parameter, &given.varied},
	{"tolerance", 0, "LIST", "percentages by which T may grow (default 1,2,5)",
	 option_tolerance, NULL},
	{"engine", 0, "NAME", "auto (default: lp for models below 1,000,000 rows, else path), lp or"
	 " path", option_engine, &given.engine},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const analyze_options[] = {model_options, options, NULL};

int cmd_analyze(char **operands, int count, struct error *err)
{
	struct analysis analysis;
	struct model model;
	int result;

	(void)count;
	TRY(open_graph(&model, operands[0], err));
	progress_begin("llamp", "analyzing the graph");
	result = analysis_run(&analysis, &model, given.engine, given.varied, given.percents,
			      given.percent_count, err);
	progress_end();
	if (result == 0) {
		if (analysis.pivots > 0)
			tool_warning("llamp", "GLPK took %lld pivot%s from the basis of the"
				     " longest path: the basis range is that of another one",
				     (long long)analysis.pivots, plural((uint64_t)analysis.pivots));
		report_analysis(stdout, given.format, &model, &analysis);
		analysis_release(&analysis);
	}
	model_release(&model);
	return result;
}
