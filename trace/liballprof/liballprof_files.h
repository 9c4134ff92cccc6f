/*
 * The files of a text trace: one for each rank, whose names differ in their last number, the rank.
 */
#ifndef TRACE_LIBALLPROF_FILES_H
#define TRACE_LIBALLPROF_FILES_H

#include "common/error.h"

#include <stdint.h>

/* Zero bytes stand for no trace. */
struct liballprof_files {
	char *prefix, *suffix;	/* of the names, with the folder; NULL: there is no text trace */
	int digits;		/* of the rank between them, at least */
};

/*
 * The files of the trace that `path` names: the file of rank 0, or the folder that holds it.
 * files->prefix is NULL if it names no text trace, but perhaps something else.
 */
int liballprof_files_find(struct liballprof_files *files, const char *path, struct error *err);

/* The file of a rank, to be freed; NULL without memory. */
char *liballprof_files_path(const struct liballprof_files *files, uint32_t rank);

/* How many ranks have a file: 0, 1, ... up to the first that has none. */
int liballprof_files_count(const struct liballprof_files *files, uint32_t *count,
			   struct error *err);

void liballprof_files_release(struct liballprof_files *files);

#endif
