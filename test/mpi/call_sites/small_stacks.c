/* Threads with the stacks of this many KiB each call MPI, for the first time in the thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static void *call(void *nothing)
{
	int rank, in, out = 1;

	(void)nothing;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, (size_t)atoi(argv[1]) << 10) != 0)
		return 3;
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attributes, call, NULL) != 0)
			return 4;
		pthread_join(thread, NULL);
	}
	MPI_Finalize();
	puts("done");
	return 0;
}
