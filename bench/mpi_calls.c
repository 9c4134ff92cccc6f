/*
 * MPI calls in a pattern: mpi_calls PATTERN ROUNDS, where PATTERN is
 *
 *	ping-pong	8 bytes to and fro in each pair of ranks: 2 blocking calls a round
 *	ring		8 bytes once around all ranks: 2 blocking calls a round
 *	neighbours	26 receives and 26 sends of 8 bytes and one Waitall, like a rank
 *			inside a cube, but all with the other rank of the pair: 53 calls a round
 *	allreduce	of 8 bytes: 1 call a round
 *
 * Prints the time per MPI call in ns in the fastest of 20 parts of the run, and the number of
 * calls of each rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 20, NEIGHBOURS = 26 };

static int rank, ranks;

static void ping_pong(int rounds)
{
	double value = 1;

	for (int i = 0; i < rounds; i++) {
		if (rank % 2 == 0)
			MPI_Send(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank % 2 == 1)
			MPI_Send(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
	}
}

static void ring(int rounds)
{
	const int before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
	double value = 1;

	for (int i = 0; i < rounds; i++) {
		if (rank == 0)
			MPI_Send(&value, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank != 0)
			MPI_Send(&value, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
	}
}

static void neighbours(int rounds)
{
	static double in[NEIGHBOURS], out[NEIGHBOURS];
	MPI_Request requests[2 * NEIGHBOURS];

	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < NEIGHBOURS; j++)
			MPI_Irecv(&in[j], 1, MPI_DOUBLE, rank ^ 1, j, MPI_COMM_WORLD, &requests[j]);
		for (int j = 0; j < NEIGHBOURS; j++)
			MPI_Isend(&out[j], 1, MPI_DOUBLE, rank ^ 1, j, MPI_COMM_WORLD,
				  &requests[NEIGHBOURS + j]);
		MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
	}
}

static void allreduce(int rounds)
{
	double value = 1, sum;

	for (int i = 0; i < rounds; i++)
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct pattern {
	const char *name;
	void (*run)(int rounds);
	int calls; /* of a rank in a round */
} patterns[] = {
	{"ping-pong", ping_pong, 2},
	{"ring", ring, 2},
	{"neighbours", neighbours, 2 * NEIGHBOURS + 1},
	{"allreduce", allreduce, 1},
};

static const struct pattern *find(const char *name)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (strcmp(patterns[i].name, name) == 0)
			return &patterns[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct pattern *pattern = argc == 3 ? find(argv[1]) : NULL;
	int rounds = argc == 3 ? atoi(argv[2]) / PARTS : 0;
	double best = 1e30;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!pattern || rounds < 1 || ranks % 2) {
		fprintf(stderr,
			"usage: mpiexec -n RANKS mpi_calls PATTERN ROUNDS, with an even number of ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	pattern->run(rounds);
	for (int part = 0; part < PARTS; part++) {
		double start = MPI_Wtime(), time;

		pattern->run(rounds);
		time = MPI_Wtime() - start;
		best = time < best ? time : best;
	}
	if (rank == 0)
		printf("%.1f %d\n", best * 1e9 / rounds / pattern->calls,
		       (PARTS + 1) * rounds * pattern->calls);
	MPI_Finalize();
	return 0;
}
