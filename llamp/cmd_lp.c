#include "llamp/commands.h"
#include "llamp/lp_engine.h"
#include "llamp/model_options.h"

static struct {
	const char *output;
} given;

static const struct option_spec options[] = {
	{"output", 'o', "FILE", "write to FILE: free MPS format if its name ends in .mps, else CPLEX"
	 " LP format; - is stdout", option_text, &given.output},
	{0},
};

const struct option_spec *const lp_options[] = {options, model_options_without_o, NULL};

int cmd_lp(char **operands, int count, struct error *err)
{
	struct lp_model *lp;
	struct model model;
	int result;

	(void)count;
	if (!given.output)
		return error_set(err, STATUS_USAGE, "no output: give --output MODEL.lp or MODEL.mps");
	TRY(open_program(&model, operands[0], err));
	result = lp_build(&lp, &model.graph, &model.loggps, err);
	if (result == 0) {
		result = lp_write(lp, &model.goal, given.output, err);
		lp_free(lp);
	}
	model_release(&model);
	return result;
}
