/*
 * Efficiencies of parts of a run: of each iteration, or of each visit of a region
 * (trace/measured/measured_parts.h).
 *
 * T of a part is from the first rank that begins it to the last that ends it, so that parts of ranks
 * that are not in step overlap.  C is the computation of the first thread between its start and its
 * end on the rank.  The mean is of the ranks that have the part.
 */
#ifndef CRITPATH_EFFICIENCY_PARTS_H
#define CRITPATH_EFFICIENCY_PARTS_H

#include "critpath/tables/efficiency.h"
#include "dist/dist.h"
#include "trace/measured/measured_parts.h"

struct efficiency_part {
	/* When the first rank began it and the last ended it, on the clock of the run. */
	uint64_t start_ns, end_ns;
	struct efficiency_times times;
};

struct efficiency_parts {
	struct efficiency_part *list; /* [part]; owned */
	uint32_t count;
	uint32_t least; /* parts of a rank; the most is `count` */
};

/*
 * Find the parts of the ranks of this process, as measured_parts_find.  Collective: least and most
 * become those of the run.  Fails if no rank visits the region.
 */
int efficiency_parts_of_ranks(struct measured_parts *of_ranks, const struct measured_run *run,
			      const char *region, struct dist *dist, struct error *err);

/*
 * Add up, for all processes.  Collective.  ideal_ns: of each part (critpath/graph/ideal_run.h).
 * Memory: 72 bytes for each part.  End with efficiency_parts_release.
 */
int efficiency_parts_find(struct efficiency_parts *parts, const struct measured_run *run,
			  const struct measured_parts *of_ranks, const uint64_t *ideal_ns,
			  struct dist *dist, struct error *err);
void efficiency_parts_release(struct efficiency_parts *parts);

#endif
