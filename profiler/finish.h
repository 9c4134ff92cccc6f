/* The end of recording: the log of the job, written by rank 0. */
#ifndef PROFILER_FINISH_H
#define PROFILER_FINISH_H

#include "common/error.h"

#include <stdbool.h>

/*
 * Write the log.  `together`: all ranks come to MPI_Finalize.  If they are on one node, they do not communicate: the
 * last one that comes writes the log from the node file.  Otherwise rank 0 writes it for all that come within
 * a limit of time; if some rank does not, each node has a log of its own, of which the index makes one job.
 * Not `together`, or without a node file then: each process writes a log of its own.
 */
int finish(bool together, struct error *err);

/* Write a log without calls, which says why there are none: another tool has kept them from this library. */
int finish_stub(const char *reason, struct error *err);

#endif
