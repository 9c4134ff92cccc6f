/* Call MPI_Allreduce so many times on all ranks, then end as is asked: usage_die HOW CALLS. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* End this process, or wait until somebody ends it. */
static void end(const char *how, int rank)
{
	if (strcmp(how, "kill-one") == 0 && rank == 1)
		raise(SIGKILL);
	if (strcmp(how, "kill-all") == 0)
		raise(SIGKILL);
	if (strcmp(how, "segfault") == 0 && rank == 1)
		raise(SIGSEGV);
	if (strcmp(how, "abort") == 0 && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (strcmp(how, "exit") == 0)
		exit(5);
	if (strcmp(how, "_exit") == 0)
		_exit(6);
	if (strcmp(how, "finalize") == 0) {
		MPI_Finalize();
		exit(0);
	}
	if (strcmp(how, "hang") == 0 && rank == 1) {
		int nothing;

		printf("hangs\n");
		fflush(stdout);
		MPI_Recv(&nothing, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const int calls = argc > 2 ? atoi(argv[2]) : 0;
	double sum, one = 1;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < calls; i++) {
		MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (sum != size)
			return 9;
	}
	if (rank == 0)
		printf("correct\n");
	fflush(stdout);
	/* All ranks have come as far as this, and what they print is with the launcher. */
	MPI_Barrier(MPI_COMM_WORLD);
	end(argv[1], rank);
}
