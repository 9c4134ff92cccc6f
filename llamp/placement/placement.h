/*
 * Placing ranks on hosts so that T is small (LLAMP, appendix J, algorithm 3).
 *
 * A descent begins with some mapping.  At each step the messages on the critical path tell for every
 * pair of ranks how many latencies and bytes between them T depends on, and where ranks of a node
 * wait for its NIC (llamp/placement/placement_queues.h).  Two ranks on different hosts, or a rank and a
 * free slot, change places where that saves most on this path.  T of the new mapping is computed exactly:
 * the step is taken if T is smaller, else the next best pairs are tried.  The descent ends when none of them helps.  From a random mapping it begins with
 * swaps that shorten the sum of all messages: at first chosen at random and also taken if they lengthen
 * it a little, then the best ones.  At the end the best descents go on with more tries.
 */
#ifndef LLAMP_PLACEMENT_H
#define LLAMP_PLACEMENT_H

#include "common/array.h"
#include "llamp/placement/placement_task.h"

/* A mapping and its T. */
struct placement {
	char name[48];		/* "block", "random 3 + swaps" */
	uint32_t *hosts;	/* [rank]; owned */
	__int128 runtime_as;
	uint32_t steps;		/* swaps that made T smaller */
};

struct placements {
	ARRAY(struct placement) list;	/* baselines, then descents */
	size_t best;			/* of list: the smallest T, the first of equal ones */
	uint64_t evaluations;		/* mappings whose T was computed */
};

struct placement_options {
	uint32_t random_starts;
	uint64_t seed;
	uint32_t tries;		/* swaps whose T is computed before a descent gives up at first */
};

/* Those of llamp place without options. */
extern const struct placement_options placement_options_default;

/*
 * Compute T of the given, block, cyclic and random mappings and, if SCOTCH is built in, of its
 * mapping by volume, and descend from each of them, on all processors.  Without a network whose
 * hosts differ the error is STATUS_USAGE; more ranks than slots are STATUS_DATA.
 * End with placements_release.
 */
int placements_find(struct placements *placements, const struct placement_task *task,
		    const struct placement_options *options, struct error *err);
void placements_release(struct placements *placements);

/* Compute T of a mapping. */
int placement_runtime(const struct placement_task *task, const uint32_t *hosts,
		      __int128 *runtime_as, struct error *err);

/*
 * Map by the volume of messages with SCOTCH, one rank to a slot.  Returns 1 if llamp was built
 * without SCOTCH.
 */
int placement_by_scotch(const struct placement_task *task, uint32_t *hosts, struct error *err);

#endif
