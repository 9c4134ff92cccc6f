/* The part of the node file (usage/log/node_file.h) that this process has, so that its counts survive it. */
#ifndef PROFILER_SURVIVE_H
#define PROFILER_SURVIVE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Join the file of this node, and let recorders that are made later have their tables there.  Without the file
 * all goes on without it.  step: the job's step, where no scheduler names it.
 */
void survive_begin(const char *step);

/* Note that the process is in MPI_Finalize, and its counters; or that it ends without it. */
void survive_finalize(const uint64_t *counters);
void survive_exit(void);

/* Have done with the file.  It is removed if there is a log. */
void survive_end(bool have_log);

#endif
