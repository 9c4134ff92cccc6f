/* Starting the part of llamp-measure that is an MPI program. */
#ifndef MEASURE_LAUNCH_PROGRAM_H
#define MEASURE_LAUNCH_PROGRAM_H

#include "common/error.h"

/*
 * Become ../lib/llamp/llamp-measure-MPI for the MPI of the launcher that started this process, with
 * these words, which NULL ends, as its arguments; the first one is the name of the command.
 * Returns -1 on failure.
 */
int launch_measuring(char *const *words, struct error *err);

#endif
