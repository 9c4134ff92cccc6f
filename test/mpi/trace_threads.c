/* Threads that call MPI at the same time, each with its own tag; argument: number of rounds. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };
static int rank, size, rounds;

static void *talk(void *argument)
{
	int tag = (int)(intptr_t)argument, right = (rank + 1) % size,
	    left = (rank + size - 1) % size;
	int out = tag, in[2];

	for (int i = 0; i < rounds; i++) {
		MPI_Request requests[3];

		MPI_Irecv(&in[0], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&out, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(&out, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[2]);
		MPI_Waitall(3, requests, (MPI_Status[3]){{0}});
		MPI_Recv(&in[1], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &(MPI_Status){0});
		if (in[0] != tag || in[1] != tag)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int provided;

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, talk, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	MPI_Finalize();
	return 0;
}
