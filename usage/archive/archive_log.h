/*
 * The log of a run from its trace: an archive of any tool, a trace of liballprof or an event flow file.
 *
 * It has the cells, ranks and sums that a profile of the run would have had, with the differences that
 * usage/archive/rank_calls.h names.  A trace does not tell which job it is of: the program is the name of the
 * trace.  The clock is "trace"; `reason` says what the trace lacks.
 */
#ifndef USAGE_ARCHIVE_LOG_H
#define USAGE_ARCHIVE_LOG_H

#include "usage/log/job_log.h"

/*
 * Make the log of a trace.  all: with all ranks, not just those that have roles.  On failure nothing is to be
 * released.
 */
int archive_log(struct job_log *log, const char *path, bool all, struct error *err);

#endif
