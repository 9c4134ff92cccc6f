/*
 * A program that sends at several places: program [PLUGIN [die]].  Rank 1 always waits for rank 0.
 * The comment behind a call names its line for test/mpi/call_sites.sh.  With `die`, rank 0 ends the run.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

void library_pass(int rank);

static __attribute__((noinline)) void first(int rank)
{
	int value = rank;

	usleep(40000 * (rank == 0));
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* first send */
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, NO_STATUS); /* first receive */
}

static __attribute__((noinline)) void second(int rank)
{
	int value = rank;

	usleep(60000 * (rank == 0));
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* second send */
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, NO_STATUS); /* second receive */
	usleep(0);
}

static inline __attribute__((always_inline)) void inlined(void)
{
	MPI_Barrier(MPI_COMM_WORLD); /* inlined barrier */
}

int main(int argc, char **argv)
{
	void (*plugin_pass)(int) = NULL;
	int rank;

	MPI_Init(&argc, &argv); /* init */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1) {
		void *plugin = dlopen(argv[1], RTLD_NOW);

		if (!plugin)
			fprintf(stderr, "%s\n", dlerror());
		else
			plugin_pass = (void (*)(int))dlsym(plugin, "library_pass");
	}
	for (int i = 0; i < 2; i++) {
		first(rank);
		second(rank);
		library_pass(rank);
		if (plugin_pass)
			plugin_pass(rank);
		inlined();
	}
	if (argc > 2 && !strcmp(argv[2], "die") && rank == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Finalize(); /* finalize */
	return 0;
}
