/*
 * What a program would gain if messages moved while its ranks compute.
 *
 * A graph of `schedgen --progress calls` has deferred receives, of `calls:both` also sends (llamp/graph/deferred.h):
 * T is that of an MPI library that moves their data only in calls that wait.  Without the deferral it is that of a library
 * that moves data at any time, by a thread or by the network.  Most libraries lie between
 * the two (doc/trace-to-goal.md tells which), so the difference is the most that such a thread can bring.
 */
#ifndef LLAMP_OVERLAP_H
#define LLAMP_OVERLAP_H

#include "common/array.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/model.h"

/* Deferred halves of messages of one call site, or of one function if sites are not known. */
struct overlap_call {
	const char *name;
	uint64_t messages, bytes;
	bool critical;	/* one of them is on the critical path; else gain_as is 0 */
	int128 gain_as; /* T less that without their deferral alone */
};

struct overlap {
	uint64_t messages,
		bytes; /* deferred, each half; 0: the graph has none, and the rest is not set */
	int128 runtime_as, async_as;	  /* T, and T without deferral */
	ARRAY(struct overlap_call) calls; /* largest gain first; none if calls are not known */
};

/* Number of calls, those with most bytes, whose gain is found, since each takes an analysis. */
enum { OVERLAP_MOST_CALLS = 16 };

/*
 * Find both runtimes, and the gain of each call if `path`, the critical path, is not NULL.  The model
 * must outlive *overlap.  On failure there is nothing to release.
 */
int overlap_find(struct overlap *overlap, const struct model *model,
		 const struct critical_path *path, struct error *err);
void overlap_release(struct overlap *overlap);

#endif
