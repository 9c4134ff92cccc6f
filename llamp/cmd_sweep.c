/* Command llamp sweep: runtime and sensitivity for a range of values. */
#include "common/progress.h"
#include "llamp/analysis/curve.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

#include <math.h>

static struct {
	const char *vary;
	const char *min, *max, *step;
	bool resimulate;
} given = {.vary = "L"};

static const struct option_spec sweep_own_options[] = {
	{"vary", 0, "NAME", "variable to vary, links or a sum, as for llamp analyze (default L)",
	 option_text, &given.vary},
	{"min", 0, "VALUE", "smallest value, as for -p (default 0)", option_text, &given.min},
	{"max", 0, "VALUE", "largest value (default: a quarter beyond the 5 % tolerance)",
	 option_text, &given.max},
	{"step", 0, "VALUE",
	 "take samples at distance VALUE, instead of the exact values at which the slope changes",
	 option_text, &given.step},
	{"resimulate", 0, NULL,
	 "with --resources: decide the order of service again at every value", option_flag,
	 &given.resimulate},
	/* Old names. */
	{"from", 0, "VALUE", NULL, option_text, &given.min},
	{"to", 0, "VALUE", NULL, option_text, &given.max},
	{0},
};

static const struct option_spec *const sweep_options[] = {model_options, sweep_own_options, NULL};

static int read_value(const struct variable *variable, const char *option, const char *text,
		      int64_t *as, struct error *err)
{
	if (!text || variable_parse_value(variable, text, as, err) == 0)
		return 0;
	return error_prefix(err, "%s", option);
}

static int sweep_read_range(struct loggps *loggps, struct sweep_range *range, struct error *err)
{
	const struct variable *varied;

	*range = (struct sweep_range){.resimulate = given.resimulate};
	TRY(loggps_vary(loggps, given.vary, &range->varied, err));
	varied = &loggps->variables.of[range->varied];
	TRY(read_value(varied, "--min", given.min, &range->from_as, err));
	TRY(read_value(varied, "--max", given.max, &range->to_as, err));
	/* A range of bandwidths is one of gaps in reverse order. */
	if (given.min && given.max && range->from_as > range->to_as && strstr(given.min, "/s") &&
	    strstr(given.max, "/s")) {
		const int64_t from_as = range->to_as;

		range->to_as = range->from_as;
		range->from_as = from_as;
	}
	if (given.max && range->from_as > range->to_as)
		return error_set(err, STATUS_USAGE, "--min is more than --max");
	if (given.max && loggps->resources == 0 && model_options_set(varied->name))
		tool_warning("llamp",
			     "the given value of %s has no effect: its values are those from"
			     " --min to --max",
			     varied->name);
	if (!given.step)
		return 0;
	TRY(read_value(varied, "--step", given.step, &range->step_as, err));
	if (range->step_as == 0)
		return error_set(err, STATUS_USAGE, "--step must be more than 0");
	return 0;
}

/* Let the range end beyond the tolerances, as the curves of a report do. */
static int find_end(struct sweep_range *range, const struct model *model, struct error *err)
{
	const struct analysis_request request = {
		.engine = ENGINE_PATH,
		.varied = range->varied,
		.percents = (const double[]){1, 2, 5},
		.percent_count = 3,
		.frozen_order = true,
	};
	struct analysis analysis;

	TRY(analysis_run(&analysis, model, &request, err));
	range->to_as = curve_default_end(&analysis, model,
					 &(struct observations){.compared = false});
	analysis_release(&analysis);
	if (range->from_as <= range->to_as)
		return 0;
	return error_set(err, STATUS_USAGE,
			 "--min is beyond the largest value that is shown; --max is"
			 " needed");
}

static int write_sweep(const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, table_output.path, err));
	report = given_report(&table_output, &output);
	report_sweep(&report, model, range, sweep);
	return output_commit(&output, err);
}

/* Warn if T is far from the traced run at all values. */
static void warn_of_sweep(const struct model *model, const struct sweep *sweep)
{
	double least_ns = INFINITY, most_ns = 0;

	for (size_t i = 0; i < sweep->points.count; i++) {
		least_ns = fmin(least_ns, sweep->points.items[i].runtime_ns);
		most_ns = fmax(most_ns, sweep->points.items[i].runtime_ns);
	}
	warn_if_far_from_traced(model, least_ns, most_ns);
}

static int run_sweep(const struct model *model, struct sweep_range *range, struct error *err)
{
	struct sweep sweep;
	int result;

	progress_begin("llamp", "evaluating the runtime");
	result = given.max ? 0 : find_end(range, model, err);
	if (result == 0)
		result = sweep_run(&sweep, model, range, err);
	progress_end();
	if (result < 0)
		return -1;
	warn_of_sweep(model, &sweep);
	result = write_sweep(model, range, &sweep, err);
	sweep_release(&sweep);
	return result;
}

static int cmd_sweep(char **operands, int count, struct error *err)
{
	struct sweep_range range;
	struct loggps loggps;
	struct model model;
	int result;

	(void)count;
	TRY(model_options_loggps(&loggps, err));
	TRY(sweep_read_range(&loggps, &range, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_COSTS, err));
	result = run_sweep(&model, &range, err);
	model_release(&model);
	return result;
}

static const struct help_entry sweep_examples[] = {
	{"llamp sweep app.bin --min 0 --max 100us",
	 "the runtime at every critical latency up to 100 us"},
	{"llamp sweep app.bin --min 1us --max 10us --step 1us --format csv", "ten samples as CSV"},
	{0},
};

const struct command sweep_command = {
	.name = "sweep",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "runtime as a function of the latency, or of another variable",
	.notes = input_notes,
	.options = sweep_options,
	.output = &table_output,
	.run = cmd_sweep,
	.examples = sweep_examples,
};
