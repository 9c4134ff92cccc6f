/* The part of the node file (usage/log/node_file.h) that this process has, so that its counts survive it. */
#ifndef PROFILER_SURVIVE_H
#define PROFILER_SURVIVE_H

#include "common/machine/ticks.h"
#include "usage/log/node_view.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Join the file of this node, and let recorders that are made later have their tables there.  Without the file
 * all goes on without it.  step: the job's step, where no scheduler names it.
 */
void survive_begin(const char *step);

/* Whether the process has joined a file. */
bool survive_joined(void);

/*
 * Note that the process is in MPI_Finalize, its counters, and the rate of its clock; or that it ends without it;
 * or that it has a log of its own.
 */
void survive_finalize(const uint64_t *counters, struct ticks_rate rate);
void survive_exit(void);
void survive_apart(void);

/* Whether all that this process has counted is in the file. */
bool survive_has_all(void);

/*
 * After joining.  Count this process among those of the node that are in MPI_Finalize, once.  Returns whether it
 * is the last one, which writes a log of what survive_read finds.
 */
bool survive_is_last(void);
int survive_read(struct node_view *view, struct error *err);

/* Have done with the file.  It is removed if there is a log. */
void survive_end(bool have_log);

#endif
