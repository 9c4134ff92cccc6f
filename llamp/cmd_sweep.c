#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

static struct {
	const char *vary;
	const char *from, *to, *step;
	bool redecide;
	enum report_format format;
} given = {.vary = "L"};

static const struct option_spec options[] = {
	{"vary", 0, "NAME", "variable to vary, links or a sum, as for llamp analyze (default L)", option_text,
	 &given.vary},
	{"from", 0, "VALUE", "smallest value, as for -p", option_text,
	 &given.from},
	{"to", 0, "VALUE", "largest value", option_text, &given.to},
	{"step", 0, "VALUE", "samples at this distance, instead of the exact values at which the"
	 " slope changes", option_text, &given.step},
	{"redecide", 0, NULL, "with --resources: find the order of service anew at every value",
	 option_flag, &given.redecide},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const sweep_options[] = {model_options, options, output_options, NULL};

static int read_value(const struct variable *variable, const char *option, const char *text,
		      int64_t *as, struct error *err)
{
	if (variable_parse_value(variable, text, as, err) == 0)
		return 0;
	return error_prefix(err, "%s", option);
}

static int sweep_read_range(struct loggps *loggps, struct sweep_range *range,
			    struct error *err)
{
	const struct variable *varied;

	*range = (struct sweep_range){.redecide = given.redecide};
	TRY(loggps_vary(loggps, given.vary, &range->varied, err));
	varied = &loggps->variables.of[range->varied];
	if (!given.from || !given.to)
		return error_set(err, STATUS_USAGE, "--from and --to are needed");
	TRY(read_value(varied, "--from", given.from, &range->from_as, err));
	TRY(read_value(varied, "--to", given.to, &range->to_as, err));
	if (range->from_as > range->to_as)
		return error_set(err, STATUS_USAGE, "--from is more than --to");
	if (!given.step)
		return 0;
	TRY(read_value(varied, "--step", given.step, &range->step_as, err));
	if (range->step_as == 0)
		return error_set(err, STATUS_USAGE, "--step must be more than 0");
	return 0;
}

static int write_sweep(const struct model *model, const struct sweep_range *range,
		       const struct sweep *sweep, const char *path, struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	report_sweep(output.stream, given.format, model, range, sweep);
	return output_commit(&output, err);
}

static int run_sweep(const struct model *model, const struct sweep_range *range, const char *output,
		     struct error *err)
{
	struct sweep sweep;
	int result;

	progress_begin("llamp", "evaluating the runtime");
	result = sweep_run(&sweep, model, range, err);
	progress_end();
	if (result < 0)
		return -1;
	result = write_sweep(model, range, &sweep, output, err);
	sweep_release(&sweep);
	return result;
}

int cmd_sweep(char **operands, int count, struct error *err)
{
	struct sweep_range range;
	struct loggps loggps;
	struct model model;
	const char *output;
	int result;

	(void)count;
	TRY(output_path(&output, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(sweep_read_range(&loggps, &range, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	result = run_sweep(&model, &range, output, err);
	model_release(&model);
	return result;
}
