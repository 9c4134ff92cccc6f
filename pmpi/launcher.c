#include "pmpi/launcher.h"

#include <stdlib.h>
#include <string.h>

/* Launcher of another MPI that has started the process, with its rank and number of processes. */
static struct {
	const struct mpi_implementation *mpi;
	long rank, size;
} foreign;

const struct mpi_implementation *launcher_own_mpi(void)
{
	const struct mpi_implementation *mpi = mpi_implementations;

	while (strcmp(mpi->key, LIBRARY_MPI) != 0)
		mpi++;
	return mpi;
}

void launcher_note(void)
{
	const struct mpi_implementation *own = launcher_own_mpi(), *mpi;

	if (getenv(own->size))
		return;
	for (mpi = mpi_implementations; mpi < mpi_implementations + MPI_IMPLEMENTATIONS; mpi++) {
		const char *rank = getenv(mpi->rank), *size = getenv(mpi->size);

		if (mpi == own || !rank || !size || atol(size) <= foreign.size)
			continue;
		foreign.mpi = mpi;
		foreign.rank = atol(rank);
		foreign.size = atol(size);
	}
}

int launcher_check(int size, bool *first, struct error *err)
{
	const struct mpi_implementation *own = launcher_own_mpi();

	if (size != 1 || foreign.size <= 1)
		return 0;
	*first = foreign.rank == 0;
	return error_set(err, STATUS_DATA,
			 "the launcher started %ld processes, but MPI_COMM_WORLD has 1: the program"
			 " is linked with %s, mpiexec is %s's; start it with %s's (on Debian"
			 " mpiexec.%s)",
			 foreign.size, own->title, foreign.mpi->title, own->title, own->key);
}
