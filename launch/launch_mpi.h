/* Properties of a program that is about to be started with a preloaded library. */
#ifndef LAUNCH_LAUNCH_MPI_H
#define LAUNCH_LAUNCH_MPI_H

#include "launch/launcher.h"

#include <stdbool.h>

/*
 * Find the MPI of a program from the shared libraries it needs, directly or not.  If MPI is not
 * among them (a script, an interpreter that loads MPI later), find the MPI of the launcher from the
 * environment.  NULL if neither says.
 */
const struct mpi_implementation *launch_mpi(const char *program);

/* Reason why no library can be preloaded into a program, as in "PROGRAM is ...", else NULL. */
const char *launch_obstacle(char **program);

/*
 * Find the word by which the command env sets LD_PRELOAD for the program, or NULL.  It would take the
 * place of what this process sets.
 */
char **launch_find_preload(char **program);

/* Whether a command starts processes, as mpiexec does. */
bool launch_is_launcher(const char *command);

/* Find the first word after a launcher's options that can be executed, or NULL. */
char **launch_find_program(char **words);

#endif
