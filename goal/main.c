/* Command `goal`: look at GOAL graphs, check, convert and change them. */
#include "goal/commands.h"

static const struct command *const goal_commands[] = {
	&info_command,	  &check_command, &convert_command, &stats_command,
	&balance_command, &merge_command, &move_command,    NULL,
};

static const struct help_entry tool_examples[] = {
	{"goal check app.bin && goal info app.bin", "check a graph and print its size"},
	{0},
};

static const struct tool tool = {
	.name = "goal",
	.summary = "Look at GOAL graphs, check, convert and change them.",
	.commands = goal_commands,
	.examples = tool_examples,
	.see_also = "llamp(1), schedgen(1), llamp-trace(1)",
};

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
