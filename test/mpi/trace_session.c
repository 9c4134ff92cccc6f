/* A program that has a session of MPI 4 and never calls MPI_Init; without MPI 4 it does nothing. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int rank, size, sum = 0;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	if (rank == 0)
		printf("sum %d\n", sum);
	MPI_Comm_free(&comm);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
	return sum == size * (size - 1) / 2 ? 7 : 1;
#else
	return 0;
#endif
}
