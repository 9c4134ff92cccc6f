/* Counts of operations, dependencies, messages and bytes of a graph. */
#ifndef GOAL_COUNTS_H
#define GOAL_COUNTS_H

#include "goal/goal.h"

struct goal_counts {
	uint64_t operations, sends, recvs, calcs;
	uint64_t dependencies;	/* requires and irequires */
	uint64_t bytes;		/* of all sends */
	uint64_t calc_ns;	/* of all calcs */
};

/* Sent messages by size: class 0 has 0 bytes, class k has 2^(k-1) to 2^k - 1 bytes. */
enum { GOAL_SIZE_CLASSES = 65 };

struct goal_size_class {
	uint64_t messages, bytes;
};

/* Add the operations of one rank.  STATUS_LIMIT if a sum would not fit 64 bits. */
int goal_count(struct goal_counts *counts, const struct goal_block *block, struct error *err);

/* Add the sends of one rank, after goal_count has added their bytes without overflow. */
void goal_count_sizes(struct goal_size_class classes[static GOAL_SIZE_CLASSES],
		      const struct goal_block *block);

#endif
