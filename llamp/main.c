/* llamp: how much network latency can an MPI application take? */
#include "llamp/commands.h"

#include "common/progress.h"

static const char input_notes[] =
	"FILE is a GOAL graph, text or binary; - is stdin.\n\n"
	"Times accept ns us ms s (bare: ns), sizes B KB KiB MB MiB (bare: bytes). A parameter "
	"file has lines such as \"L: 3us\", \"G: 56Gbit/s\", \"S: 256KB\"; command-line options "
	"override it.";

static const char lp_notes[] =
	"The linear program minimises the runtime t in ns; the reduced costs of l, G and o are "
	"the sensitivities lambda. With --tolerance it maximises l (or G or o) with t bounded; "
	"in MPS, which has no maximum, it minimises the negative. FILE and the parameters are "
	"as for llamp analyze.";

static const struct help_entry tool_examples[] = {
	{"schedgen app.trace -o app.bin && llamp analyze app.bin",
	 "convert a trace to a graph; print its runtime and how much latency it tolerates"},
	{0},
};

static const struct help_entry analyze_examples[] = {
	{"llamp analyze app.bin -L 1.5us -G 100Gbit/s --tolerance 1,5,10",
	 "the latencies at which the runtime grows by 1, 5 and 10 %"},
	{"llamp analyze app.bin --params cluster.yaml --format json", "the same for programs to read"},
	{0},
};

static const struct help_entry sweep_examples[] = {
	{"llamp sweep app.bin --from 0 --to 100us", "the runtime at every critical latency up to 100 us"},
	{"llamp sweep app.bin --from 1us --to 10us --step 1us --format csv", "ten samples as CSV"},
	{0},
};

static const struct help_entry path_examples[] = {
	{"llamp path app.bin", "the categories, ranks and MPI calls to which the time goes"},
	{"llamp path app.bin --format csv", "all segments of the path"},
	{0},
};

static const struct help_entry lp_examples[] = {
	{"llamp lp app.bin --output app.mps", "write the linear program for another solver"},
	{0},
};

static const struct help_entry graph_files[] = {
	{"FILE", "the graph, as schedgen writes it"},
	{"FILE.calls", "the MPI calls behind the operations of the graph, where schedgen wrote it: "
	 "with it llamp path names calls"},
	{0},
};

static const struct command commands[] = {
	{
		.name = "analyze", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "runtime, latency sensitivity and latency tolerance",
		.notes = input_notes, .options = analyze_options, .run = cmd_analyze,
		.examples = analyze_examples,
	},
	{
		.name = "sweep", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "runtime as a function of the latency, or of G or o",
		.notes = input_notes, .options = sweep_options, .run = cmd_sweep,
		.examples = sweep_examples,
	},
	{
		.name = "path", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "where the time on the critical path goes",
		.notes = input_notes, .options = path_options, .run = cmd_path,
		.examples = path_examples, .files = graph_files,
	},
	{
		.name = "lp", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "write the model as a linear program, for any solver",
		.notes = lp_notes, .options = lp_options, .run = cmd_lp,
		.examples = lp_examples,
	},
	{0},
};

static const struct tool tool = {
	.name = "llamp",
	.summary = "How much network latency can an MPI application take?",
	.commands = commands,
	.examples = tool_examples,
	.see_also = "goal(1), schedgen(1), llamp-trace(1)",
};

int open_graph(struct model *model, const char *path, struct error *err)
{
	struct loggps loggps;
	int result;

	TRY(model_options_loggps(&loggps, err));
	progress_begin("llamp", "reading the graph");
	result = model_open(model, path, &loggps, err);
	progress_end();
	return result;
}

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
