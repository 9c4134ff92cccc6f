/*
 * Program for 4 ranks that hides MPI_Init, MPI_Finalize and the creation of one communicator from
 * tracers.  The first visible call differs between ranks.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

/* Find the MPI library's own function, which bypasses tracers. */
static void *hidden_function(const char *name)
{
	Dl_info mpi;

	if (!dladdr(dlsym(RTLD_DEFAULT, "MPI_Wtime"), &mpi))
		return NULL;
	return dlsym(dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD), name);
}

#define HIDDEN(Name) ((__typeof__(&Name))hidden_function(#Name))

int main(int argc, char **argv)
{
	int rank, value = 0, sum = 0;
	MPI_Comm hidden, self;
	MPI_Status status;

	HIDDEN(MPI_Init)(&argc, &argv);
	HIDDEN(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
	HIDDEN(MPI_Comm_dup)(MPI_COMM_WORLD, &hidden);
	HIDDEN(MPI_Comm_set_name)(hidden, "hidden");
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
	HIDDEN(MPI_Finalize)();
	printf("fine\n");
	return 0;
}
