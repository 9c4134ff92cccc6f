/*
 * Threads that start late and end soon, and requests that one thread starts and
 * another completes.  Arguments: number of threads, number of threads at a time, and the end:
 * "" for MPI_Finalize, "kill" for SIGKILL of rank 1.  Ends with status 77 without
 * MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16, TAG = 5 };
static int rank, size;

struct hop {
	int in, out, tag;
	MPI_Request requests[2];
};

/* Complete a request of the main thread, and send one more message. */
static void *hop(void *argument)
{
	struct hop *own = argument;
	int right = (rank + 1) % size;

	MPI_Waitall(2, own->requests, MPI_STATUSES_IGNORE);
	MPI_Send(&own->in, 1, MPI_INT, right, own->tag + MOST, MPI_COMM_WORLD);
	return NULL;
}

static void round_of(int threads)
{
	struct hop hops[MOST];
	pthread_t ids[MOST];
	int left = (rank + size - 1) % size, right = (rank + 1) % size, last;

	for (int i = 0; i < threads; i++) {
		hops[i] = (struct hop){.out = i, .tag = TAG + i};
		MPI_Irecv(&hops[i].in, 1, MPI_INT, left, hops[i].tag, MPI_COMM_WORLD,
			  &hops[i].requests[0]);
		MPI_Isend(&hops[i].out, 1, MPI_INT, right, hops[i].tag, MPI_COMM_WORLD,
			  &hops[i].requests[1]);
		pthread_create(&ids[i], NULL, hop, &hops[i]);
	}
	for (int i = 0; i < threads; i++) {
		MPI_Recv(&last, 1, MPI_INT, left, hops[i].tag + MOST, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		pthread_join(ids[i], NULL);
	}
}

int main(int argc, char **argv)
{
	int all = argc > 1 ? atoi(argv[1]) : 100, at_once = argc > 2 ? atoi(argv[2]) : 3, provided;
	const char *how = argc > 3 ? argv[3] : "";

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE) {
		MPI_Finalize();
		return 77;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < all; i += at_once)
		round_of(at_once);
	if (strcmp(how, "kill") == 0) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			kill(getpid(), SIGKILL);
		pause();
	}
	MPI_Finalize();
	return 0;
}
