/*
 * Waits for messages one by one, in another order than they come: MPI_Wait for each, MPI_Waitall for a
 * part.  The order of the waits decides how long it takes where receives keep a
 * processor busy.
 *
 *	seqwait [ROUNDS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 6 };

/* Ring neighbours at a distance; what is sent with tag i is received i-th from the other end. */
static int neighbour(int rank, int size, int i)
{
	return (rank + 1 + i % 3) % size;
}

static int origin(int rank, int size, int i)
{
	return (rank - 1 - i % 3 + 3 * size) % size;
}

static void round_trip(int rank, int size, int round)
{
	static char in[MESSAGES][4096], out[4096];
	MPI_Request receives[MESSAGES], sends[MESSAGES];

	for (int i = 0; i < MESSAGES; i++)
		MPI_Irecv(in[i], sizeof in[i], MPI_BYTE, origin(rank, size, i), i, MPI_COMM_WORLD,
			  &receives[i]);
	for (int i = 0; i < MESSAGES; i++)
		MPI_Isend(out, 1 + (rank * 977 + i * 131 + round * 61) % 4096, MPI_BYTE,
			  neighbour(rank, size, i), i, MPI_COMM_WORLD, &sends[i]);
	/* Against the order of the messages, then two at once. */
	for (int i = MESSAGES; i-- > 2;)
		MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
	MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
	if (round % 2) {
		MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE);
		return;
	}
	for (int i = 0; i < MESSAGES; i++)
		MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 20;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++)
		round_trip(rank, size, i);
	if (rank == 0)
		printf("seqwait: %d rounds\n", rounds);
	return MPI_Finalize();
}
