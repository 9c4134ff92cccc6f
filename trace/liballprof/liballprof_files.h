/*
 * Files of a trace of liballprof: one for each rank.  The last number of the name is the rank.
 */
#ifndef TRACE_LIBALLPROF_FILES_H
#define TRACE_LIBALLPROF_FILES_H

#include "common/error.h"

#include <stdint.h>

/* Zero bytes: no trace. */
struct liballprof_files {
	char *prefix, *suffix;	/* of the names, with the folder; NULL: no trace */
	int digits;		/* least digits of the rank between them */
};

/*
 * Find the files of the trace at `path`: the file of rank 0, or the folder that holds it.
 * files->prefix is NULL if `path` is not a trace of liballprof.
 */
int liballprof_files_find(struct liballprof_files *files, const char *path, struct error *err);

/* Path of a rank's file, to be freed; NULL without memory. */
char *liballprof_files_path(const struct liballprof_files *files, uint32_t rank);

/* Count the ranks 0, 1, ... up to the first without a file. */
int liballprof_files_count(const struct liballprof_files *files, uint32_t *count,
			   struct error *err);

void liballprof_files_release(struct liballprof_files *files);

#endif
