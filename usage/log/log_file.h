/*
 * The file of a log in the directory of logs, which all users of a site may share: written beside its place
 * and renamed, so that it is whole or not there.
 */
#ifndef USAGE_LOG_LOG_FILE_H
#define USAGE_LOG_LOG_FILE_H

#include "usage/log/job_log.h"

#include <sys/types.h>

/*
 * Write a log to DIRECTORY/NAME, NAME by job_log_name with `random`, mode 0400, and replace a file of that name.
 * The directory has to exist.  Folders in it are made with its mode, and no links in it are followed: other users
 * may have made them.  owner: whom the file is to belong to, if the process is root.  `name` gets NAME.
 */
int log_file_write(const struct job_log *log, const char *directory, uint64_t random, uid_t owner,
		   char name[static JOB_LOG_NAME_BYTES], struct error *err);

/*
 * Write a log to a path, mode 0400.  A file that is there is replaced, a device or pipe is written to.  A log for which
 * a pipe has no room is an error, as nobody waits for its reader.
 */
int log_file_write_to(const struct job_log *log, const char *path, struct error *err);

#endif
