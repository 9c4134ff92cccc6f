/* Logs in folders: regular files whose names end in .usage, in a folder or below it. */
#ifndef USAGE_INDEX_WALK_H
#define USAGE_INDEX_WALK_H

#include "common/array.h"
#include "common/error.h"

#include <stdint.h>

struct found_log {
	uint32_t folder; /* number in folders */
	char *name;
	int64_t mtime_ns, bytes;
};

struct found_logs {
	ARRAY(char *) folders;	      /* absolute, without links; each once, even without logs */
	ARRAY(struct found_log) logs; /* by folder, then by name */
};

/*
 * Find the logs of a folder and add them.  Names that begin with a dot are left out, and links to
 * folders.  A folder that was added before, by itself or below another one, is not added again.
 */
int find_logs(struct found_logs *found, const char *path, struct error *err);
void found_logs_release(struct found_logs *found);

#endif
