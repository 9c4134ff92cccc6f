#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report.h"

static struct {
	struct optional_time from, to, step;
	enum report_format format;
} given = {.format = REPORT_CSV};

static const struct option_spec options[] = {
	{"from", 0, "TIME", "smallest latency", option_time, &given.from},
	{"to", 0, "TIME", "largest latency", option_time, &given.to},
	{"step", 0, "TIME", "samples at this distance, instead of the exact latencies at which"
	 " lambda_L changes", option_time, &given.step},
	{"format", 0, "NAME", "csv (default), json or text", option_report_format, &given.format},
	{0},
};

const struct option_spec *const sweep_options[] = {model_options, options, NULL};

static int check_range(struct error *err)
{
	if (!given.from.given || !given.to.given)
		return error_set(err, STATUS_USAGE, "--from and --to are needed");
	if (given.from.as > given.to.as)
		return error_set(err, STATUS_USAGE, "--from is more than --to");
	if (given.step.given && given.step.as == 0)
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
	TRY(check_range(err));
	range = (struct sweep_range){given.from.as, given.to.as, given.step.as};
	TRY(open_program(&model, operands[0], err));
	progress_begin("llamp", "evaluating latencies");
	result = given.step.given
			 ? sweep_samples(&sweep, &model, range.from_as, range.to_as, range.step_as,
					 err)
			 : sweep_breakpoints(&sweep, &model, range.from_as, range.to_as, err);
	progress_end();
	if (result == 0) {
		report_sweep(stdout, given.format, &model, &range, &sweep);
		sweep_release(&sweep);
	}
	model_release(&model);
	return result;
}
