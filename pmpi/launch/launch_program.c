#include "pmpi/launch/launch_program.h"

#include "pmpi/launch/launch_folder.h"
#include "pmpi/launch/launch_mpi.h"

#include <stdio.h>
#include <unistd.h>

int launch_program(const char *name, char *const *words, struct error *err)
{
	const struct mpi_implementation *mpi = launch_mpi_of_environment();
	char file[64], path[PATH_MAX];

	if (launch_rank() < 0)
		return error_set(err, STATUS_USAGE,
				 "start it with the launcher of your MPI: mpiexec -n 2 %s %s",
				 name, words[1]);
	snprintf(file, sizeof file, "llamp/%s%s%s", name, mpi ? "-" : "", mpi ? mpi->key : "");
	TRY(launch_file(file, path, err));
	if (access(path, X_OK) == 0)
		execv(path, words);
	if (access(path, F_OK) < 0 && mpi)
		return error_set(err, STATUS_LIMIT,
				 "the launcher is that of %s, but %s is missing; build it with make"
				 " MPICC=...",
				 mpi->title, path);
	return error_set_errno(err, "%s", path);
}
