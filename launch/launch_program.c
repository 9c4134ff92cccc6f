#include "launch/launch_program.h"

#include "launch/launch_folder.h"
#include "launch/launcher.h"

#include <stdio.h>
#include <unistd.h>

int launch_program(const char *name, char *const *words, struct error *err)
{
	char file[64], path[PATH_MAX];

	if (launcher_rank(NULL) < 0)
		return error_set(err, STATUS_USAGE,
				 "start it with the launcher of your MPI: mpiexec -n 2 %s %s", name,
				 words[1]);
	snprintf(file, sizeof file, "llamp/%s", name);
	TRY(launch_file(file, "", launcher_mpi(), NULL, path, err));
	execv(path, words);
	return error_set_errno(err, "%s", path);
}
