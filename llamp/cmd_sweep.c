#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

static struct {
	enum parameter varied;
	const char *from, *to, *step;
	enum report_format format;
} given;

static const struct option_spec options[] = {
	{"vary", 0, "NAME", "parameter that is varied: L (default), G or o", option_parameter,
	 &given.varied},
	{"from", 0, "VALUE", "smallest value, as of the parameter's own option", option_text,
	 &given.from},
	{"to", 0, "VALUE", "largest value", option_text, &given.to},
	{"step", 0, "VALUE", "samples at this distance, instead of the exact values at which the"
	 " slope changes", option_text, &given.step},
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const sweep_options[] = {model_options, options, NULL};

/* The values are of the parameter that is varied, whose option may stand behind them. */
static int read_value(const char *option, const char *text, int64_t *as, struct error *err)
{
	if (parameter_parse_value(given.varied, text, as, err) == 0)
		return 0;
	return error_prefix(err, "%s", option);
}

static int read_range(struct sweep_range *range, struct error *err)
{
	*range = (struct sweep_range){.varied = given.varied};
	if (!given.from || !given.to)
		return error_set(err, STATUS_USAGE, "--from and --to are needed");
	TRY(read_value("--from", given.from, &range->from_as, err));
	TRY(read_value("--to", given.to, &range->to_as, err));
	if (range->from_as > range->to_as)
		return error_set(err, STATUS_USAGE, "--from is more than --to");
	if (!given.step)
		return 0;
	TRY(read_value("--step", given.step, &range->step_as, err));
	if (range->step_as == 0)
		return error_set(err, STATUS_USAGE, "--step must be more than 0");
	return 0;
}

int cmd_sweep(char **operands, int count, struct error *err)
{
	struct sweep_range range;
	struct sweep sweep;
	struct model model;
	int result;

	(void)count;
	TRY(read_range(&range, err));
	TRY(open_graph(&model, operands[0], err));
	progress_begin("llamp", "evaluating the runtime");
	result = sweep_run(&sweep, &model, &range, err);
	progress_end();
	if (result == 0) {
		report_sweep(stdout, given.format, &model, &range, &sweep);
		sweep_release(&sweep);
	}
	model_release(&model);
	return result;
}
