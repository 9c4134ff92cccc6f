/*
 * Blocks of calls: calls of a thread that are closer than a threshold are one block, from the start
 * of the first to the end of the last, with the computation between them.  A threshold is the
 * granularity in which a path is listed: the path and its length stay.
 */
#ifndef CRITPATH_BLOCKS_H
#define CRITPATH_BLOCKS_H

#include "critpath/path/walk.h"

struct blocks {
	uint64_t threshold_ns; /* calls with less time between them are one block */
	uint64_t count;	       /* of all ranks and threads; single calls are blocks, too */
};

/* Count the blocks of the ranks of this process.  A larger threshold never gives more. */
int blocks_count(struct blocks *blocks, const struct measured_run *run, uint64_t threshold_ns,
		 struct error *err);

/*
 * Join the segments of a path, or those of it on own ranks, that are one after the other in a block.
 * Joined segments have the category WALK_BLOCK and the first call; category_ns stays that of the path
 * in detail.
 */
void blocks_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks);

#endif
