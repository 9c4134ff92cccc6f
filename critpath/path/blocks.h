/*
 * Blocks of calls: calls of a thread that are closer than a threshold are one block, from the start
 * of the first to the end of the last, with the computation between them.  A threshold is the
 * granularity in which a path is listed: the path and its length stay.
 */
#ifndef CRITPATH_BLOCKS_H
#define CRITPATH_BLOCKS_H

#include "critpath/path/walk.h"
#include "dist/dist.h"

struct blocks {
	uint64_t threshold_ns; /* calls with less time between them are one block */
	uint64_t count;	       /* of all ranks and threads; single calls are blocks, too */
};

/* Collective.  Count the blocks of all ranks.  A larger threshold never gives more. */
int blocks_count(struct blocks *blocks, const struct measured_run *run, uint64_t threshold_ns,
		 struct dist *dist, struct error *err);

/*
 * Join the segments of a path on ranks of this process that are one after the other in a block.  Joined
 * segments have the category WALK_BLOCK and the first call; category_ns stays that of the path in detail.
 */
void blocks_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks);

/*
 * Collective.  Join the segments of a path on all ranks, after all is added up.  Process 0 gets all of the
 * path, the others the segments of own ranks.
 */
int walk_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks,
	      struct dist *dist, struct error *err);

#endif
