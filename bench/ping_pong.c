/*
 * Two ranks send 8 bytes to and fro: ping_pong ROUNDS.  Prints the time per MPI
 * call in ns, the best of 20 parts of the run, which others disturb least.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 20 };

static void ping_pong(int rank, int rounds)
{
	double value = 1;

	for (int i = 0; i < rounds; i++) {
		if (rank == 0)
			MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) / PARTS : 0;
	double best = 1e30;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rounds < 1 || ranks != 2) {
		fprintf(stderr, "usage: mpiexec -n 2 ping_pong ROUNDS\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	ping_pong(rank, rounds);
	for (int part = 0; part < PARTS; part++) {
		double start = MPI_Wtime(), time;

		ping_pong(rank, rounds);
		time = MPI_Wtime() - start;
		best = time < best ? time : best;
	}
	if (rank == 0)
		printf("%.1f\n", best * 1e9 / rounds / 2);
	MPI_Finalize();
	return 0;
}
