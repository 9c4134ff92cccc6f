/* Where what a command starts or preloads is: the folder of libraries. */
#ifndef PMPI_LAUNCH_FOLDER_H
#define PMPI_LAUNCH_FOLDER_H

#include "common/error.h"

#include <limits.h>

/*
 * Write the path of a file of the folder of libraries: "libllamptrace.so", "llamp/llamp-measure-mpich".
 * The folder is LIBDIR of `make install`, seen from the command, or lib beside the command's folder.
 */
int launch_file(const char *name, char path[static PATH_MAX], struct error *err);

#endif
