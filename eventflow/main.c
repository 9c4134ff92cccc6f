/* Command `eventflow`: the structure of a run, as event flow graphs. */
#include "eventflow/commands.h"

static const struct command *const eventflow_commands[] = {
	&build_command,
	&info_command,
	&profile_command,
	&matrix_command,
	&growth_command,
	&trace_command,
	&loops_command,
	&iterations_command,
	&tree_command,
	&graph_command,
	&compare_command,
	&generate_command,
	NULL,
};

static const struct help_entry main_examples[] = {
	{"eventflow build app.trace -o app.efg", "keep all calls of a run in a small file"},
	{"eventflow loops app.efg", "print which loops the program has, and where its time is"},
	{"eventflow tree app.efg", "print what rank 0 does, as sequences and loops"},
	{0},
};

static const struct tool main_tool = {
	.name = "eventflow",
	.summary = "What is the structure of an MPI program, and all its calls in a small file?",
	.commands = eventflow_commands,
	.examples = main_examples,
	.see_also = "eventflow-mpi(1), llamp-trace(1), schedgen(1), critpath(1)",
};

int main(int argc, char **argv)
{
	commands_share(dist_alone());
	return tool_main(&main_tool, argc, argv);
}
