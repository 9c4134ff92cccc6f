/* What the jobs on this node do at this moment, by their node files. */
#ifndef USAGE_SHOW_LIVE_H
#define USAGE_SHOW_LIVE_H

#include "common/report/report.h"
#include "usage/log/node_view.h"

struct live {
	ARRAY(struct node_view) jobs;
	uint64_t now_ns; /* CLOCK_MONOTONIC when they were read */
};

/*
 * Find the jobs of which a process lives here, of all whose files can be read, or the one that has the id
 * `job`, also if it is dead.  STATUS_DATA if there is none.
 */
int live_find(struct live *live, const char *job, struct error *err);

void live_release(struct live *live);

/* Write the report "llamp-usage-live-1".  Its table in CSV has the key "ranks". */
void live_write(struct report *report, const struct live *live);

#endif
