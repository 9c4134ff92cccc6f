/*
 * Spawned processes: two further ones of this program, which communicate with their parents over
 * an inter-communicator and then over a communicator of all.  These messages have ends outside of
 * MPI_COMM_WORLD.
 */
#include <mpi.h>
#include <stdio.h>

enum { CHILDREN = 2 };

/* Add up 1 of each process; the program prints the sums. */
static int talk(MPI_Comm inter, int high)
{
	int one = 1, sum = 0, rank, others;
	MPI_Request request;
	MPI_Comm all, copy;

	MPI_Intercomm_merge(inter, high, &all);
	MPI_Comm_dup(all, &copy);
	MPI_Comm_rank(copy, &rank);
	MPI_Comm_size(copy, &others);
	MPI_Irecv(&sum, 1, MPI_INT, (rank + others - 1) % others, 3, copy, &request);
	MPI_Send(&one, 1, MPI_INT, (rank + 1) % others, 3, copy);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&all);
	return sum;
}

int main(int argc, char **argv)
{
	MPI_Comm parent, inter;
	int rank, size, sum, value = 7;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			       &inter, MPI_ERRCODES_IGNORE);
		if (rank == 0)
			MPI_Send(&value, 1, MPI_INT, 1, 1, inter);
		sum = talk(inter, 0);
		MPI_Comm_disconnect(&inter);
		if (rank == 0)
			printf("%d and %d\n", size, sum - size);
	} else {
		if (rank == 1)
			MPI_Recv(&value, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
		talk(parent, 1);
		MPI_Comm_disconnect(&parent);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
