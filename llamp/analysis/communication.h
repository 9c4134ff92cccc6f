/* Messages and bytes between the ranks of a graph. */
#ifndef LLAMP_COMMUNICATION_H
#define LLAMP_COMMUNICATION_H

#include "common/array.h"
#include "goal/goal.h"

/* Messages from one rank to another, or to itself. */
struct communication_pair {
	uint32_t source, destination;
	uint64_t messages, bytes;
};

struct communication {
	uint32_t rank_count;
	uint64_t messages, bytes;	/* of all pairs */
	uint32_t largest;		/* index of the pair with most bytes, then most messages */
	ARRAY(struct communication_pair) pairs;	/* by source, then destination */
};

/*
 * Count the messages of all pairs that have one, in a time linear in operations and ranks.  Sums
 * of bytes beyond 64 bits are STATUS_LIMIT.  On failure there is nothing to release.
 */
int communication_count(struct communication *communication, const struct goal *goal,
			struct error *err);
void communication_release(struct communication *communication);

/* Matrix for a picture: each cell is the sum of a square of ranks_per_cell ranks. */
struct communication_grid {
	uint32_t side;			/* rows and columns */
	uint32_t ranks_per_cell;	/* the last row and column may have fewer */
	uint64_t *messages, *bytes;	/* [row of the source * side + column of the destination] */
};

/* Sum the pairs into at most most_side x most_side cells.  On failure nothing to release. */
int communication_bin(struct communication_grid *grid, const struct communication *communication,
		      uint32_t most_side, struct error *err);
void communication_grid_release(struct communication_grid *grid);

#endif
