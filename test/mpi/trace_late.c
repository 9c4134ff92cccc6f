/*
 * MPI is initialised and ended where a tracer cannot see it, one communicator is
 * made there too, and some ranks' first call is another than that of others.
 * For 4 ranks.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, value = 0, sum = 0;
	MPI_Comm hidden, self;
	MPI_Status status;

	PMPI_Init(&argc, &argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_dup(MPI_COMM_WORLD, &hidden);
	PMPI_Comm_set_name(hidden, "hidden");
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
	if (rank < 2) {
		MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, hidden, &status);
	} else {
		MPI_Comm_dup(MPI_COMM_SELF, &self);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, self);
	}
	PMPI_Finalize();
	printf("fine\n");
	return 0;
}
