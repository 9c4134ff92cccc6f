#include "launch/launch_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* LIBRARY_FOLDER is the way from the folder of the installed commands to that of their libraries. */
static const char *const folders[] = {LIBRARY_FOLDER, "../lib"};

int launch_file(const char *name, const char *suffix, const struct mpi_implementation *mpi,
		const char *program, char path[static PATH_MAX], struct error *err)
{
	char self[PATH_MAX - 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return error_set_errno(err, "/proc/self/exe");
	self[length] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (snprintf(path, PATH_MAX, "%s/%s/%s%s%s%s", self, folders[i], name,
			     mpi ? "-" : "", mpi ? mpi->key : "", suffix) >= PATH_MAX)
			return error_set(err, STATUS_LIMIT, "%s: the path is too long", self);
		if (access(path, F_OK) == 0)
			return 0;
	}
	if (!mpi)
		return 0;
	return error_set(err, STATUS_LIMIT,
			 "%s %s %s, but %s is missing; build it with make MPICC=...",
			 program ? program : "the launcher is", program ? "uses" : "that of",
			 mpi->title, path);
}
