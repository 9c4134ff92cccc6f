/*
 * Placing ranks on hosts so that T is small (LLAMP, appendix J, algorithm 3).
 *
 * A descent begins with some mapping.  At each step the messages on the critical path tell for every
 * pair of ranks how many latencies and bytes between them T depends on, and where ranks of a node
 * wait for its NIC (llamp/placement/placement_queues.h).  Two ranks on different hosts, or a rank and a free slot, change places where that saves most on this path.  T of the
 * new mapping is computed exactly: the step is taken if T is smaller, else the next best pairs
 * are tried.  The descent ends when none of them helps.  From a random mapping it begins with
 * swaps that shorten the sum of all messages: at first chosen at random and also taken if they lengthen
 * it a little, then the best ones.  At the end the best descents go on with more tries.
 */
#ifndef LLAMP_PLACEMENT_H
#define LLAMP_PLACEMENT_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/network/network.h"
#include "llamp/placement/placement_hosts.h"

/* A program and a network whose ranks are to be placed. */
struct placement_task {
	const struct model *model;	/* with a network; its own mapping is the given one */
	uint32_t host_count, slots;	/* hosts, and ranks that fit on each */
	struct placement_hosts hosts;	/* owned */
};

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

/*
 * Compute T of the given, block, cyclic and random mappings and, if SCOTCH is built in, of its
 * mapping by volume, and descend from each of them, on all processors.  Without a network whose
 * hosts differ the error is STATUS_USAGE; more ranks than slots are STATUS_DATA.
 * End with placements_release.
 */
int placements_find(struct placements *placements, const struct placement_task *task,
		    const struct placement_options *options, struct error *err);
void placements_release(struct placements *placements);

/*
 * Find the hosts and slots of a model's network.  End with
 * placement_task_release.
 */
int placement_task_init(struct placement_task *task, const struct model *model,
			struct error *err);
void placement_task_release(struct placement_task *task);

/*
 * Number of hosts that the ranks fill, and of those that are near: twice as many.  They are the first
 * ones in order.  A network may be far larger than a job, and mappings over all of it are poor ones.
 */
uint32_t placement_packed_hosts(const struct placement_task *task);
uint32_t placement_near_hosts(const struct placement_task *task);

/*
 * Number of hosts among which a compact mapping of any shape fits: a cube of them in a torus has hosts
 * that are farther from host 0 than many outside of it.
 */
uint32_t placement_roomy_hosts(const struct placement_task *task);

/* Compute T of a mapping. */
int placement_runtime(const struct placement_task *task, const uint32_t *hosts,
		      __int128 *runtime_as, struct error *err);

/*
 * Map by the volume of messages with SCOTCH, one rank to a slot.  Returns 1 if llamp was built
 * without SCOTCH.
 */
int placement_by_scotch(const struct placement_task *task, uint32_t *hosts, struct error *err);

#endif
