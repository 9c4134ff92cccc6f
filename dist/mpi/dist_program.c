#include "dist/mpi/dist_program.h"

#include "dist/mpi/dist_mpi.h"

#include <stdio.h>

/* Let only the first process say what all of them know.  Messages of the system still appear. */
static void be_silent(void)
{
	FILE *nowhere = fopen("/dev/null", "w");

	if (nowhere)
		stderr = stdout = nowhere;
}

static int run_tool(int argc, char **argv, const struct tool *tool,
		    void (*share)(struct dist *dist))
{
	struct dist_mpi mpi;
	struct error err;

	if (dist_mpi_open(&mpi, MPI_COMM_WORLD, &err) < 0) {
		fprintf(stderr, "%s: %s\n", tool->name, err.text);
		return err.status;
	}
	if (mpi.dist.rank > 0)
		be_silent();
	share(&mpi.dist);
	return tool_main(tool, argc, argv);
}

int dist_program(int argc, char **argv, const struct tool *tool, void (*share)(struct dist *dist))
{
	int status;

	MPI_Init(&argc, &argv);
	status = run_tool(argc, argv, tool, share);
	MPI_Finalize();
	return status;
}
