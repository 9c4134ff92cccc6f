/*
 * A descent of a placement (llamp/placement/placement.h): swaps that make T smaller, the most promising
 * for the critical path first, until none of them does.
 */
#ifndef LLAMP_PLACEMENT_DESCENT_H
#define LLAMP_PLACEMENT_DESCENT_H

#include "llamp/placement/placement.h"

struct descent {
	const struct placement_task *task;
	uint32_t tries; /* swaps whose T is computed before it gives up */
	bool settles;  /* begin with the sum of all messages (llamp/placement/placement_settle.h) */
	uint64_t seed; /* of what settling does by chance */
};

/* Descend from a placement whose T is known.  *evaluations: times that T was computed. */
int placement_descend(struct placement *placement, const struct descent *descent,
		      uint64_t *evaluations, struct error *err);

#endif
