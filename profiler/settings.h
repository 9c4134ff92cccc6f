/*
 * Settings of the profiler, from environment variables: LLAMP_USAGE_DIR and so on.
 *
 * The library and `llamp-usage --help` use this table.
 */
#ifndef PROFILER_SETTINGS_H
#define PROFILER_SETTINGS_H

#include "common/error.h"
#include "usage/log/usage_settings.h"

#include <stdbool.h>

struct settings {
	const char *directory, *file; /* of the log; both "": nothing is recorded */
	const char *partial;	      /* directories of node files, or "off" */
	bool off;
	bool all_ranks; /* logs have all ranks */
	bool counters;
	bool monotonic; /* the time-stamp counter is not used */
	bool user_info;
	bool quiet;
};

/* Read all values; STATUS_USAGE if one is not valid. */
int settings_read(struct settings *settings, struct error *err);

/* Whether LLAMP_USAGE_EXCLUDE names this program. */
bool settings_exclude(const char *program);

#endif
