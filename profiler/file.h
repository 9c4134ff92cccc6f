/* The file of a log: written beside its place and renamed, so that it is whole or not there. */
#ifndef PROFILER_FILE_H
#define PROFILER_FILE_H

#include "usage/log/job_log.h"

/* Write a log to a path, with mode 0400.  A file that is there is replaced. */
int file_write_to(const struct job_log *log, const char *path, struct error *err);

/*
 * Write a log into DIRECTORY/YYYY/MM/DD, with mode 0400.  `directory` has to exist, the folders in it are made.
 * *name becomes the log's name in the directory.
 */
int file_write(const struct job_log *log, const char *directory,
	       char name[static JOB_LOG_NAME_BYTES], struct error *err);

#endif
