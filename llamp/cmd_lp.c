#include "common/output.h"
#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/model_options.h"

#include <string.h>

static struct {
	const char *output;
	bool ask_tolerance;
	double percent;
	enum parameter varied;
} given = {.varied = PARAMETER_COUNT};

static int option_tolerance(const char *text, void *target, struct error *err)
{
	given.ask_tolerance = true;
	return parse_tolerance(text, target, err);
}

static const struct option_spec options[] = {
	{"output", 'o', "FILE", "write to FILE: free MPS format if its name ends in .mps, else CPLEX"
	 " LP format; - is stdout", option_text, &given.output},
	{"tolerance", 0, "PERCENT", "write the program of a tolerance: how far the latency may go if T"
	 " may grow by this percentage", option_tolerance, &given.percent},
	{"vary", 0, "NAME", "parameter that the tolerance is of: L (default), G or o", option_parameter,
	 &given.varied},
	{0},
};

const struct option_spec *const lp_options[] = {options, model_options_without_o, NULL};

static int check_options(struct error *err)
{
	if (!given.output)
		return error_set(err, STATUS_USAGE, "no output: give --output MODEL.lp or MODEL.mps");
	if (given.varied != PARAMETER_COUNT && !given.ask_tolerance)
		return error_set(err, STATUS_USAGE, "--vary says what the --tolerance is of, and there"
				 " is none");
	return 0;
}

static int ask_and_write(struct lp_model *lp, const struct model *model, struct error *err)
{
	const enum parameter varied = given.varied == PARAMETER_COUNT ? PARAMETER_L : given.varied;

	if (given.ask_tolerance)
		TRY(lp_ask_tolerance(lp, varied, given.percent, err));
	return lp_write(lp, &model->goal, given.output, err);
}

static int write_model(const struct model *model, struct error *err)
{
	struct lp_model *lp;
	int result;

	TRY(lp_build(&lp, &model->graph, &model->loggps, err));
	result = ask_and_write(lp, model, err);
	lp_free(lp);
	return result;
}

int cmd_lp(char **operands, int count, struct error *err)
{
	struct model model;
	int result;

	(void)count;
	TRY(check_options(err));
	TRY(output_refuse_input(given.output, operands[0], err));
	TRY(open_graph(&model, operands[0], err));
	/* What is shown must not stand between what is written. */
	if (strcmp(given.output, "-") != 0)
		progress_begin("llamp", "writing the linear program");
	result = write_model(&model, err);
	progress_end();
	model_release(&model);
	return result;
}
