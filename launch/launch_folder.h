/* Where what a command starts or preloads is: the folder of libraries. */
#ifndef LAUNCH_LAUNCH_FOLDER_H
#define LAUNCH_LAUNCH_FOLDER_H

#include "common/error.h"
#include "launch/launcher.h"

#include <limits.h>

/*
 * Write the path of the file for `mpi` in the folder of libraries: NAME-MPI and the suffix, such as
 * "libllamptrace-mpich.so" or "llamp/llamp-measure-mpich"; without -MPI, for the default one, if `mpi` is
 * NULL.  The folder is LIBDIR of `make install`, seen from the command, or lib beside the command's folder.
 * Fails with STATUS_LIMIT if there is none for `mpi`, which `program` uses, or the launcher if that is NULL.
 */
int launch_file(const char *name, const char *suffix, const struct mpi_implementation *mpi,
		const char *program, char path[static PATH_MAX], struct error *err);

#endif
