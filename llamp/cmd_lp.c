/* Command llamp lp: the linear program as a file for other solvers. */
#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/lp/lp_engine.h"

#include <string.h>

static struct {
	bool ask_tolerance;
	double percent;
	const char *vary;
} given;

static int option_tolerance(const char *text, void *target, struct error *err)
{
	given.ask_tolerance = true;
	return parse_tolerance(text, target, err);
}

static const struct option_spec lp_own_options[] = {
	{"tolerance", 0, "PERCENT",
	 "write the program of a tolerance: how far the latency may go"
	 " if T may grow by this percentage",
	 option_tolerance, &given.percent},
	{"vary", 0, "NAME", "variable that the tolerance refers to (default L)", option_text,
	 &given.vary},
	{0},
};

static const struct option_spec *const lp_options[] = {lp_own_options, model_options, NULL};

enum { FORMAT_LP, FORMAT_MPS };
static const struct output_format lp_formats[] = {
	[FORMAT_LP] = {"lp", ".lp", "a linear program"},
	[FORMAT_MPS] = {"mps", ".mps", "a linear program"},
	{0},
};
static struct command_output lp_output = {.formats = lp_formats};

static int ask_and_write(struct lp_model *lp, const struct model *model, uint32_t varied,
			 struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, varied);

	if (given.ask_tolerance)
		TRY(lp_ask_tolerance(lp, &direction, given.percent, err));
	return lp_write(lp, &model->goal, lp_output.path, lp_output.format == FORMAT_MPS, err);
}

static int write_model(const struct model *model, uint32_t varied, struct error *err)
{
	struct lp_model *lp;
	int result;

	TRY(lp_build(&lp, &model->graph, &model->loggps, err));
	result = ask_and_write(lp, model, varied, err);
	lp_free(lp);
	return result;
}

static int cmd_lp(char **operands, int count, struct error *err)
{
	struct loggps loggps;
	struct model model;
	uint32_t varied;
	int result;

	(void)count;
	if (given.vary && !given.ask_tolerance)
		return error_set(err, STATUS_USAGE, "--vary requires --tolerance");
	TRY(model_options_loggps(&loggps, err));
	TRY(loggps_vary(&loggps, given.vary ? given.vary : "L", &varied, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_EVENTS, err));
	/* Show no progress between the lines of a program that goes to stdout. */
	if (strcmp(lp_output.path, "-") != 0)
		progress_begin("llamp", "writing the linear program");
	result = write_model(&model, varied, err);
	progress_end();
	model_release(&model);
	return result;
}

static const char lp_notes[] =
	"The output is in CPLEX LP format, or in free MPS format.\n\n"
	"The linear program minimises the runtime t in ns; the reduced costs of l, G and o are "
	"the sensitivities lambda. With --tolerance it maximises l (or another) with t bounded; "
	"in MPS, which has no maximum, it minimises -l. FILE and the parameters are as for "
	"llamp analyze.";

static const struct help_entry lp_examples[] = {
	{"llamp lp app.bin -o app.mps", "write the linear program for another solver"},
	{0},
};

const struct command lp_command = {
	.name = "lp",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "write the model as a linear program, for any solver",
	.notes = lp_notes,
	.options = lp_options,
	.output = &lp_output,
	.run = cmd_lp,
	.examples = lp_examples,
};
