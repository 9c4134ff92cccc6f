/* Command `goal`: look at GOAL graphs, check and convert them. */
#include "common/report/report.h"
#include "goal/cmd.h"

#include "common/progress.h"

static const struct output_format print_formats[] = {
	[REPORT_TEXT] = {"text", ".txt", NULL},
	[REPORT_JSON] = {"json", ".json", NULL},
	[REPORT_CSV] = {"csv", ".csv", NULL},
	[REPORT_SCHEMA] = {"schema", "", NULL},
	{0},
};
struct command_output print_output = {.formats = print_formats};

static const struct command *const goal_commands[] = {
	&info_command, &check_command, &convert_command, &stats_command, NULL,
};

static const struct help_entry tool_examples[] = {
	{"goal check app.bin && goal info app.bin", "check a graph and print its size"},
	{0},
};

static const struct tool tool = {
	.name = "goal",
	.summary = "Look at GOAL graphs, check and convert them.",
	.commands = goal_commands,
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
