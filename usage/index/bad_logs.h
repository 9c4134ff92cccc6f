/* Logs that cannot be read. */
#ifndef USAGE_INDEX_BAD_LOGS_H
#define USAGE_INDEX_BAD_LOGS_H

#include "common/array.h"
#include "common/error.h"

struct bad_log {
	char *path, *reason;
};

struct bad_logs {
	ARRAY(struct bad_log) list;
};

int bad_logs_add(struct bad_logs *bad, const char *path, const char *reason, struct error *err);
void bad_logs_sort(struct bad_logs *bad); /* by path */
void bad_logs_release(struct bad_logs *bad);

#endif
