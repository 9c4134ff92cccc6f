/* Messages and collectives of doc/worked-example.md: each kind once, on two ranks. */
#include <mpi.h>

static char in[128], out[128];
static int rank, other;

/* Test a receive until it completes, and probe for a message. */
static void polling(void)
{
	MPI_Request request;
	int done = 0;

	if (rank == 0) {
		MPI_Isend(in, 101, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		while (!done)
			MPI_Iprobe(1, 2, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
		MPI_Recv(out, 51, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(out, 101, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
		while (!done)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		MPI_Send(in, 51, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
	}
}

/* Exchange messages by persistent requests, twice. */
static void persistent(void)
{
	MPI_Request requests[2];
	int indices[2], count, left;
	MPI_Status statuses[2];

	MPI_Send_init(in, 21, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(out, 21, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, requests);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		for (left = 1; left; left -= count)
			MPI_Waitsome(1, &requests[1], &count, indices, statuses);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void collectives(void)
{
	int period = 1, two = 2;
	MPI_Request request;
	MPI_Comm ring;

	MPI_Iallreduce(in, out, 11, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
	MPI_Bcast_init(out, 31, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
#else
	MPI_Ibcast(out, 31, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
	MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &period, 0, &ring);
	MPI_Neighbor_alltoall(in, 41, MPI_BYTE, out, 41, MPI_BYTE, ring);
	MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	polling();
	persistent();
	collectives();
	MPI_Finalize();
	return 0;
}
