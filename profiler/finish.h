/* The end of recording: the log of the job, written by rank 0. */
#ifndef PROFILER_FINISH_H
#define PROFILER_FINISH_H

#include "common/error.h"

#include <stdbool.h>

/*
 * Write the log.  `together`: all ranks are in MPI_Finalize, and rank 0 writes for all; otherwise each process
 * writes a log of its own.
 */
int finish(bool together, struct error *err);

/* Write a log without calls, which says why there are none: another tool has kept them from this library. */
int finish_stub(const char *reason, struct error *err);

#endif
