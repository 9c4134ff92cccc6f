/* critpath: what determined the run time of an MPI program, as it was measured. */
#include "critpath/commands.h"

int main(int argc, char **argv)
{
	static const struct help_entry examples[] = {
		{"critpath path app.trace", "print which functions, ranks and calls determined the run time"},
		{"critpath waits app.trace --by rank", "print which ranks waited, and for whom"},
		{"critpath view app.trace -o app.html", "write the run as a page for a browser"},
		{0},
	};
	static const struct tool tool = {
		.name = "critpath",
		.summary = "What determined the run time of an MPI program?",
		.commands = critpath_commands,
		.examples = examples,
		.see_also = "critpath-mpi(1), llamp-trace(1), llamp(1)",
	};

	commands_share(dist_alone());
	return tool_main(&tool, argc, argv);
}
