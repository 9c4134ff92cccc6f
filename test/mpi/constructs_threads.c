/*
 * Threads of doc/worked-example.md: two on each of two ranks, a partitioned
 * message between them, and a request that one thread starts and another completes.
 */
#include <mpi.h>

#if MPI_VERSION >= 4
#include <pthread.h>

static char in[128], out[128];
static int rank, other;
static MPI_Request parts, request;

/* Run between two parts of the first thread. */
static void *second_thread(void *argument)
{
	if (rank == 0) {
		MPI_Pready(1, parts);
		MPI_Recv(in, 101, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Send(out, 101, MPI_BYTE, other, 2, MPI_COMM_WORLD);
	}
	return argument;
}

static void send_first(void)
{
	MPI_Psend_init(out, 2, 41, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &parts);
	MPI_Start(&parts);
	MPI_Pready(0, parts);
	MPI_Isend(out, 21, MPI_BYTE, other, 1, MPI_COMM_WORLD, &request);
}

static void receive_first(void)
{
	MPI_Precv_init(in, 2, 41, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &parts);
	MPI_Start(&parts);
	MPI_Irecv(out, 21, MPI_BYTE, other, 1, MPI_COMM_WORLD, &request);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	if (rank == 0)
		send_first();
	else
		receive_first();
	pthread_create(&thread, NULL, second_thread, NULL);
	pthread_join(thread, NULL);
	MPI_Wait(&parts, MPI_STATUS_IGNORE);
	if (rank == 0) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Recv(in, 31, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(out, 31, MPI_BYTE, other, 2, MPI_COMM_WORLD);
	}
	MPI_Request_free(&parts);
	MPI_Finalize();
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
