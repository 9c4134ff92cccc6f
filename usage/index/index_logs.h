/*
 * Adding logs to an index: files that are new or have changed are read by all processors and
 * written by one at a time.
 *
 * A log is that of one job step: (system, job, step, start).  The second log of one is a copy, of
 * which the one with more ranks counts, then the one with the better end.  Logs that lack ranks of
 * their job, which `llamp-usage collect` makes on each node, are merged to one job: those with the
 * same system, job, step, program and number of ranks that start within a minute.  A log of the
 * whole job replaces them.
 *
 * What was written stays if the process is ended: a transaction has 1,000 logs.
 */
#ifndef USAGE_INDEX_INDEX_LOGS_H
#define USAGE_INDEX_INDEX_LOGS_H

#include "usage/index/bad_logs.h"
#include "usage/index/database.h"

struct indexed_logs {
	uint64_t found;	     /* files */
	uint64_t known;	     /* read before, and unchanged; damaged ones are not among them */
	uint64_t whole;	     /* new or changed logs of whole jobs */
	uint64_t parts;	     /* ... of some ranks of a job */
	uint64_t merged;     /* jobs that several logs were merged to, or a log that lacks ranks */
	uint64_t copies;     /* new or changed logs of jobs of which there is another one */
	struct bad_logs bad; /* damaged, now or before, or not readable; by path */
	bool removed;	     /* jobs were removed or replaced */
};

/* Index the logs of folders.  The caller releases indexed->bad, also after an error. */
int index_logs(struct indexed_logs *indexed, struct usage_db *db, char **folders, uint32_t count,
	       struct error *err);

#endif
