#include "pmpi/launch/launch_program.h"

#include "pmpi/launch/launch_mpi.h"
#include "pmpi/launch/launch_preload.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Find the program beside this command; `mpi` is NULL for the default one. */
static int find_program(const char *name, const struct mpi_implementation *mpi,
			char path[static PATH_MAX], struct error *err)
{
	char self[PATH_MAX - 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return error_set_errno(err, "/proc/self/exe");
	self[length] = 0;
	*strrchr(self, '/') = 0;
	if (snprintf(path, PATH_MAX, "%s/../lib/llamp/%s%s%s", self, name, mpi ? "-" : "",
		     mpi ? mpi->key : "") >= PATH_MAX)
		return error_set(err, STATUS_LIMIT, "%s: the path is too long", self);
	return 0;
}

int launch_program(const char *name, char *const *words, struct error *err)
{
	const struct mpi_implementation *mpi = launch_mpi_of_environment();
	char path[PATH_MAX];

	if (launch_rank() < 0)
		return error_set(err, STATUS_USAGE,
				 "start it with the launcher of your MPI: mpiexec -n 2 %s %s",
				 name, words[1]);
	TRY(find_program(name, mpi, path, err));
	if (access(path, X_OK) == 0)
		execv(path, words);
	launch_end_silently(STATUS_LIMIT);
	if (access(path, F_OK) < 0 && mpi)
		return error_set(err, STATUS_LIMIT,
				 "the launcher is that of %s, but %s is missing; build it with make"
				 " MPICC=...",
				 mpi->title, path);
	return error_set_errno(err, "%s", path);
}
