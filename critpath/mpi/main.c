/*
 * The part of critpath-mpi that is an MPI program, one for each MPI: lib/llamp/critpath-mpi-MPI.  The
 * command critpath-mpi starts it with its own words (launch/launch_program.h).
 */
#include "critpath/commands.h"
#include "dist/mpi/dist_mpi.h"

#include <stdio.h>

/* Let only the first process say what all of them know.  Messages of the system still appear. */
static void be_silent(void)
{
	FILE *nowhere = fopen("/dev/null", "w");

	if (nowhere)
		stderr = stdout = nowhere;
}

static int run(int argc, char **argv)
{
	static const struct tool tool = {.name = "critpath-mpi",
					 .summary = "",
					 .commands = critpath_commands};
	struct dist_mpi mpi;
	struct error err;

	if (dist_mpi_open(&mpi, MPI_COMM_WORLD, &err) < 0) {
		fprintf(stderr, "%s: %s\n", tool.name, err.text);
		return err.status;
	}
	if (mpi.dist.rank > 0)
		be_silent();
	commands_share(&mpi.dist);
	return tool_main(&tool, argc, argv);
}

int main(int argc, char **argv)
{
	int status;

	MPI_Init(&argc, &argv);
	status = run(argc, argv);
	MPI_Finalize();
	return status;
}
