/* A library that sends, of which program.c is linked with one and opens another one. */
#include <mpi.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

void library_pass(int rank);

void library_pass(int rank)
{
	int value = rank;

	usleep(40000 * (rank == 0));
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* library send */
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, NO_STATUS); /* library receive */
	usleep(0);
}
