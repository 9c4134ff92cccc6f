/* critpath: what decided the run time of an MPI program, as it was measured. */
#include "critpath/commands.h"

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "critpath",
		.summary = "What decided the run time of an MPI program?",
		.commands = critpath_commands,
		.see_also = "critpath-mpi(1), llamp-trace(1), llamp(1)",
	};

	return tool_main(&tool, argc, argv);
}
