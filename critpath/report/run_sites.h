/* Names of the call sites of a run, as lines of source code where they are known. */
#ifndef CRITPATH_RUN_SITES_H
#define CRITPATH_RUN_SITES_H

#include "common/source/source_lines.h"
#include "trace/measured_run.h"

struct run_sites {
	struct source_lines *lines;
	const char **names; /* [number of a site]; NULL: the run has no call sites */
};

/*
 * Find the names, and let the run have them until run_sites_release.  Sites with equal names, as of
 * an unrolled loop or on hosts with programs of their own, become one site of the run.
 */
int run_sites_find(struct run_sites *sites, struct measured_run *run, struct error *err);
void run_sites_release(struct run_sites *sites);

#endif
