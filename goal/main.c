/* Command `goal`: look at GOAL graphs, check and convert them. */
#include "goal/cmd.h"

#include "common/progress.h"

static const struct output_format print_formats[] = {
	[FORMAT_TEXT] = {"text", ".txt", NULL},
	[FORMAT_JSON] = {"json", ".json", NULL},
	[FORMAT_CSV] = {"csv", ".csv", NULL},
	{0},
};
struct command_output print_output = {.formats = print_formats};

static const struct option_spec *const no_tables[] = {NULL};
/* Old name of --format. */
static const struct option_spec convert_options[] = {
	{"to", 0, "FORMAT", NULL, option_output_format, &convert_output},
	{0},
};
static const struct option_spec *const convert_tables[] = {convert_options, NULL};
static const struct option_spec *const stats_tables[] = {stats_options, NULL};

#define FILE_NOTES "FILE is GOAL text or binary, told apart by its content; - is stdin."

static const struct help_entry info_examples[] = {
	{"goal info app.bin --format json", "the size of a graph for programs to read"},
	{0},
};

static const struct help_entry check_examples[] = {
	{"goal check app.goal", "whether a graph written by hand can run"},
	{0},
};

static const struct help_entry convert_examples[] = {
	{"goal convert app.bin -o app.goal", "print a binary graph as text"},
	{"goal convert app.goal -o app.bin", "compile text, as LogGOPSim's txt2bin does"},
	{0},
};

static const struct help_entry stats_examples[] = {
	{"goal stats app.bin", "how the work is spread over the ranks"},
	{"goal stats app.bin --by-rank --format csv", "the work of every rank, one fact a line"},
	{0},
};

static const struct command commands[] = {
	{
		.name = "info", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "print the size of a graph: ranks, operations, dependencies, bytes",
		.notes = FILE_NOTES " bytes is the sum over all sends.",
		.options = no_tables, .output = &print_output, .run = cmd_info, .examples = info_examples,
	},
	{
		.name = "check", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "check that a graph can run to its end",
		.notes = FILE_NOTES "\n\n"
			 "Checks the form of the file; that every send has its receive, first-in "
			 "first-out per source, destination and tag; and that no operation waits "
			 "for itself through dependencies and messages.",
		.options = no_tables, .run = cmd_check, .examples = check_examples,
	},
	{
		.name = "convert", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "convert a graph between text and binary",
		.notes = FILE_NOTES " LogGOPSim and its txt2bin read the output.",
		.options = convert_tables, .output = &convert_output, .run = cmd_convert, .examples = convert_examples,
	},
	{
		.name = "stats", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "print how the work is spread over ranks, and message sizes",
		.notes = FILE_NOTES " bytes are those sent; compute is the sum of the calcs. JSON "
			 "and CSV have quartiles, too.",
		.options = stats_tables, .output = &print_output, .run = cmd_stats, .examples = stats_examples,
	},
	{0},
};

static const struct help_entry tool_examples[] = {
	{"goal check app.bin && goal info app.bin", "check a graph and print its size"},
	{0},
};

static const struct tool tool = {
	.name = "goal",
	.summary = "Look at GOAL graphs, check and convert them.",
	.commands = commands,
	.examples = tool_examples,
	.see_also = "llamp(1), schedgen(1), llamp-trace(1)",
};

int open_graph(struct goal *goal, const char *path, struct error *err)
{
	int result;

	progress_begin(tool.name, "reading the graph");
	result = goal_open(goal, path, err);
	progress_end();
	return result;
}

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
