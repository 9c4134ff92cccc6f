/* Names of the call sites of a run, as lines of source code where they are known. */
#ifndef CRITPATH_RUN_SITES_H
#define CRITPATH_RUN_SITES_H

#include "dist/dist.h"
#include "trace/call/string_table.h"
#include "trace/measured/measured_run.h"

struct run_sites {
	struct string_table
		texts; /* of own sites, in the order of calls; then of other processes */
	/* [number of a site]; NULL: the run has no call sites, or another process names them. */
	const char **names;
};

/*
 * Set the name of each text (common/source/call_site.h).  Texts are valid until run_sites_release.
 * Names must stay valid until then.
 */
typedef int name_sites(void *data, const struct string_table *texts, const char **names,
		       struct error *err);

/*
 * Find the names, and let the run have them until run_sites_release.  Number the sites of calls anew,
 * from 1, in the order in which ranks and calls have them.  Sites with equal names are one, as those of an
 * unrolled loop, or those of hosts with programs of their own.
 *
 * Collective.  Process 0 alone has the names, and calls `name` with data.  Numbers are the same on all
 * processes.
 */
int run_sites_find(struct run_sites *sites, struct measured_run *run, struct dist *dist,
		   name_sites *name, void *data, struct error *err);
void run_sites_release(struct run_sites *sites);

#endif
