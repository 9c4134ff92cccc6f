/* Starting the part of a command that is an MPI program, built for each MPI. */
#ifndef LAUNCH_LAUNCH_PROGRAM_H
#define LAUNCH_LAUNCH_PROGRAM_H

#include "common/error.h"

/*
 * Become ../lib/llamp/NAME-MPI for the MPI of the launcher that started this process, with these
 * words, which NULL ends, as its arguments; the second one is the name of the command.  Returns -1 on
 * failure.
 */
int launch_program(const char *name, char *const *words, struct error *err);

#endif
