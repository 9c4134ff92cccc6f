/*
 * The part of critpath-mpi that is an MPI program, one for each MPI: lib/llamp/critpath-mpi-MPI.  The
 * command critpath-mpi starts it with its own words (launch/launch_program.h).
 */
#include "critpath/commands.h"
#include "dist/mpi/dist_program.h"

int main(int argc, char **argv)
{
	static const struct tool tool = {.name = "critpath-mpi",
					 .summary = "",
					 .commands = critpath_commands};

	return dist_program(argc, argv, &tool, commands_share);
}
