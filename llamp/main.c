/* llamp: how much network latency can an MPI application take? */
#include "llamp/commands.h"

static const struct help_entry tool_examples[] = {
	{"schedgen app.trace -o app.bin && llamp analyze app.bin",
	 "convert a trace to a graph, print its runtime and the latency that it tolerates"},
	{0},
};

static const struct command *const llamp_commands[] = {
	&analyze_command, &sweep_command,    &path_command,	&compare_command,
	&report_command,  &lp_command,	     &timeline_command, &tradeoff_command,
	&place_command,	  &topology_command, &advise_command,	NULL,
};

static const struct tool tool = {
	.name = "llamp",
	.summary = "How much network latency can an MPI application take?",
	.commands = llamp_commands,
	.examples = tool_examples,
	.see_also = "goal(1), schedgen(1), llamp-trace(1)",
};

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
