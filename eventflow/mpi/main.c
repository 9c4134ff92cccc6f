/*
 * The part of eventflow-mpi that is an MPI program, one for each MPI: lib/llamp/eventflow-mpi-MPI.  The
 * command eventflow-mpi starts it with its own words (launch/launch_program.h).
 */
#include "dist/mpi/dist_program.h"
#include "eventflow/commands.h"

int main(int argc, char **argv)
{
	static const struct command *const commands[] = {&build_command, NULL};
	static const struct tool tool = {.name = "eventflow-mpi",
					 .summary = "",
					 .commands = commands};

	return dist_program(argc, argv, &tool, commands_share);
}
