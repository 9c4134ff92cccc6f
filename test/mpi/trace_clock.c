/*
 * Messages between all pairs of ranks, repeated for 1 s, or the time in ms of the argument, in
 * which clocks drift.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void exchange(int rank, int size)
{
	int value = 0;

	for (int other = 0; other < size; other++) {
		if (other == rank)
			continue;
		if (rank < other)
			MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank > other)
			MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size, pause_us = (argc > 1 ? atoi(argv[1]) : 1000) * 1000 / 20;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 80 / (size * size); i++)
			exchange(rank, size);
		usleep((useconds_t)pause_us);
	}
	MPI_Finalize();
	return 0;
}
