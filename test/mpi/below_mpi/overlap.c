/*
 * A message of BYTES from rank 1 to rank 0 beside computation of COMPUTE us, ROUNDS times, and back:
 * MPI_Irecv, computation, MPI_Wait; then MPI_Isend, computation, MPI_Wait.  The peer receives and sends at
 * once.  With "test" as 4th argument MPI_Test is called until the message is there, in place of MPI_Wait,
 * and it is sent 50 ms late.
 * Compiled with DIE, it ends before MPI_Finalize.
 */
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void compute(double seconds)
{
	const double end = now() + seconds;

	while (now() < end)
		;
}

static void complete(MPI_Request *request, int tests)
{
	int done = 0;

	while (tests && !done)
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
	if (!tests)
		MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const int bytes = argc > 1 ? atoi(argv[1]) : 524288, rounds = argc > 3 ? atoi(argv[3]) : 5;
	const double seconds = (argc > 2 ? atof(argv[2]) : 200) * 1e-6;
	const int tests = argc > 4 && !strcmp(argv[4], "test");
	char *data = calloc(1, (size_t)bytes + 1);
	const struct timespec late = {.tv_nsec = 50000000};
	MPI_Request request;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < rounds; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 0) {
			MPI_Irecv(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
			compute(seconds);
			complete(&request, tests);
			MPI_Isend(data, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
			compute(seconds);
			complete(&request, tests);
		} else if (rank == 1) {
			if (tests)
				nanosleep(&late, NULL);
			MPI_Send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
			MPI_Recv(data, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
#ifdef DIE
	raise(SIGKILL);
#endif
	MPI_Finalize();
	free(data);
	return 0;
}
