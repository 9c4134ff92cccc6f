/*
 * Waits for a large message that is sent and for small ones that are received.  The large one goes by
 * rendezvous to rank 1, the small ones come from all other ranks.  Then rank 1 gets a small one.
 *
 *	sendwait HOW BYTES
 *
 *	together	one MPI_Waitall for all
 *	first		MPI_Wait for the send, then MPI_Waitall for the receives
 *	blocking	MPI_Send, then MPI_Waitall for the receives
 *	sendrecv	MPI_Sendrecv of the large message and one of the small ones, then MPI_Waitall
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, MOST_BYTES = 1 << 20 };

static char large[MOST_BYTES];

static void wait_for_all(const char *how, int bytes, int size)
{
	/* Of rank 1 there is the send. */
	MPI_Request requests[MOST_RANKS], *send = &requests[1];
	MPI_Status statuses[MOST_RANKS];
	char small[MOST_RANKS];
	const int posted = strcmp(how, "sendrecv") ? size : size - 1;

	for (int i = 2; i < posted; i++)
		MPI_Irecv(&small[i], 1, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[i]);
	if (!strcmp(how, "together")) {
		MPI_Isend(large, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, send);
		MPI_Waitall(size - 1, send, statuses);
		return;
	}
	if (!strcmp(how, "first")) {
		MPI_Isend(large, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, send);
		MPI_Wait(send, MPI_STATUS_IGNORE);
	} else if (!strcmp(how, "blocking")) {
		MPI_Send(large, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Sendrecv(large, bytes, MPI_BYTE, 1, 0, &small[posted], 1, MPI_BYTE, posted, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Waitall(posted - 2, &requests[2], statuses);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "together";
	const int bytes = argc > 2 ? atoi(argv[2]) : 1 << 16;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 3 || size > MOST_RANKS || bytes < 1 || bytes > MOST_BYTES)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (rank == 0) {
		wait_for_all(how, bytes, size);
		MPI_Send(large, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(large, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(large, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(large, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
	return MPI_Finalize();
}
