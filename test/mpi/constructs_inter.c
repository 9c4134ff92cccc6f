/* Inter-communicators of doc/worked-example.md: one rank in each group. */
#include <mpi.h>

int main(int argc, char **argv)
{
	char in[64] = "", out[64] = "";
	MPI_Request request;
	MPI_Comm inter;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
	if (rank == 0)
		MPI_Send(in, 11, MPI_BYTE, 0, 0, inter);
	else
		MPI_Recv(out, 11, MPI_BYTE, 0, 0, inter, MPI_STATUS_IGNORE);
	MPI_Bcast(in, 21, MPI_BYTE, rank ? MPI_ROOT : 0, inter);
	MPI_Allreduce(in, out, 31, MPI_BYTE, MPI_BOR, inter);
	MPI_Iallgather(in, 41, MPI_BYTE, out, 41, MPI_BYTE, inter, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&inter);
	MPI_Finalize();
	return 0;
}
