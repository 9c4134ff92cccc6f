/* Command llamp tradeoff: pairs of values of two variables that a program tolerates. */
#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/pictures/pictures.h"
#include "llamp/report/report_tradeoff.h"

#include <string.h>

static struct {
	const char *vary;
} given = {.vary = "L,G"};

static const struct option_spec tradeoff_own_options[] = {
	{"vary", 0, "NAME,NAME", "the two variables (default L,G)", option_text, &given.vary},
	{0},
};

static const struct option_spec *const tradeoff_options[] = {model_options, tradeoff_own_options,
							     tolerance_options, NULL};

/* Find the two variables of --vary. */
static int find_variables(const struct variables *variables, uint32_t found[2], struct error *err)
{
	const char *comma = strchr(given.vary, ',');
	char first[64];

	if (!comma || (size_t)(comma - given.vary) >= sizeof first)
		return error_set(err, STATUS_USAGE, "--vary: '%s' is not two names such as L,G",
				 given.vary);
	memcpy(first, given.vary, (size_t)(comma - given.vary));
	first[comma - given.vary] = '\0';
	TRY(variables_require(variables, first, &found[0], err));
	TRY(variables_require(variables, comma + 1, &found[1], err));
	TRY(variables_require_on(variables, found[0], err));
	TRY(variables_require_on(variables, found[1], err));
	if (found[0] == found[1])
		return error_set(err, STATUS_USAGE, "--vary needs two different variables");
	return 0;
}

static int write_tradeoffs(const struct tradeoffs *tradeoffs, struct error *err)
{
	struct output output;
	struct svg svg = {.place = SVG_FILE, .width = SVG_WIDE_PX};
	struct report report;
	int result = 0;

	TRY(output_open(&output, picture_output.path, err));
	svg.stream = output.stream;
	report = given_report(&picture_output, &output);
	if (picture_output.format == OUTPUT_SVG)
		result = picture_tradeoffs(&svg, tradeoffs, err);
	else
		report_tradeoffs(&report, tradeoffs);
	if (result == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return -1;
}

static int find_tradeoffs(struct tradeoffs *tradeoffs, struct tradeoff *items, struct error *err)
{
	const struct analysis_question *question = analysis_options_question();
	int result = 0;

	progress_begin("llamp", "looking for the frontier");
	for (size_t i = 0; result == 0 && i < question->request.percent_count; i++) {
		result = tradeoff_find(&items[i], tradeoffs->model, tradeoffs->variables,
				       question->request.percents[i], err);
		tradeoffs->count += result == 0;
	}
	progress_end();
	return result;
}

static int run_tradeoff(const struct model *model, const uint32_t variables[2], struct error *err)
{
	struct tradeoff items[MOST_TOLERANCES];
	struct tradeoffs tradeoffs = {.model = model,
				      .items = items,
				      .variables = {variables[0], variables[1]}};
	int result = find_tradeoffs(&tradeoffs, items, err);

	if (result == 0 && tradeoffs.count) {
		const double runtime_ns = items[0].bound_ns / (1 + items[0].percent / 100);

		warn_if_far_from_traced(model, runtime_ns, runtime_ns);
	}
	if (result == 0)
		result = write_tradeoffs(&tradeoffs, err);
	for (size_t i = 0; i < tradeoffs.count; i++)
		tradeoff_release(&items[i]);
	return result;
}

static int cmd_tradeoff(char **operands, int count, struct error *err)
{
	struct loggps loggps;
	struct model model;
	uint32_t variables[2];
	int result;

	(void)count;
	TRY(model_options_loggps(&loggps, err));
	TRY(find_variables(&loggps.variables, variables, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_COSTS, err));
	result = run_tradeoff(&model, variables, err);
	model_release(&model);
	return result;
}

static const char tradeoff_notes[] =
	"The pairs of values at which T is longer by no more than a tolerance, the other variables "
	"having the given values: vertices of a frontier, between which both change in proportion. The "
	"slopes are those on the line from a vertex to the next one. FILE and the parameters are as "
	"for llamp analyze.";

static const struct help_entry tradeoff_examples[] = {
	{"llamp tradeoff app.bin --tolerance 5", "latency against bandwidth, for 5 % more runtime"},
	{"llamp tradeoff app.bin --vary L,o --format svg -o tradeoff.svg", "the same as a picture,"
									   " of L and o"},
	{0},
};

const struct command tradeoff_command = {
	.name = "tradeoff",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "pairs of values, such as L and G, that the program tolerates",
	.notes = tradeoff_notes,
	.options = tradeoff_options,
	.output = &picture_output,
	.run = cmd_tradeoff,
	.examples = tradeoff_examples,
};
