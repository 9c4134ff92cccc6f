/*
 * A run with a known critical path: slow_rank RANK ITERATIONS MILLISECONDS.
 * In each iteration one rank computes (it sleeps, so that the time is known), and the next rank
 * waits for its message, all for a reduction.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	int rank, size, slow, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 4 || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	slow = atoi(argv[1]);
	for (int i = 0; i < atoi(argv[2]); i++) {
		const struct timespec time = {0, atoi(argv[3]) * 1000000L};

		if (rank == slow) {
			nanosleep(&time, NULL);
			MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
		} else if (rank == (slow + 1) % size) {
			MPI_Recv(&sum, 1, MPI_INT, slow, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
