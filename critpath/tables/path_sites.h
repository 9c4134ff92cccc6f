/* Time on a critical path by the call sites of its calls, and what of it balancing could save. */
#ifndef CRITPATH_PATH_SITES_H
#define CRITPATH_PATH_SITES_H

#include "critpath/path/walk.h"
#include "dist/dist.h"

struct path_site {
	uint32_t site;
	uint64_t calls;	     /* on the path */
	uint64_t call_ns;    /* in them */
	uint64_t compute_ns; /* computation before them */
	/* Of all calls of the site on all ranks, without waits, and of computation before them. */
	uint64_t sum_ns;
};

struct path_sites {
	ARRAY(struct path_site) list; /* most time first; empty without call sites */
};

/*
 * Collective.  Add up the segments, which are not joined to blocks, and in process 0 the sums of all ranks.  End with
 * path_sites_release.
 */
int path_sites_find(struct path_sites *sites, const struct waits *waits, const struct walk *walk,
		    struct dist *dist, struct error *err);
void path_sites_release(struct path_sites *sites);

#endif
