/*
 * Estimate of the time that ranks wait for each other at the NIC of their node, to choose swaps of
 * a placement (llamp/placement/placement.h).
 *
 * Two ranks of a node are taken to wait in proportion to the product of their loads, the times
 * for which their messages occupy the NIC in one direction, added for both directions.  The factor
 * is that of the waits on the critical path, or for the sum of all waits 1 / T.  T of a swap is
 * computed exactly afterwards, so that a poor estimate costs time and not quality.
 */
#ifndef LLAMP_PLACEMENT_QUEUES_H
#define LLAMP_PLACEMENT_QUEUES_H

#include "llamp/analysis/critical_path.h"

/* Times in as of messages that are injected, and of those that arrive. */
struct nic_load {
	double of[2];
};

struct placement_queues {
	struct nic_load *load;		/* [rank] */
	struct nic_load *on_host;	/* [host]: sum of its ranks */
	bool *waits;	/* [rank]: it waits, or is waited for, on the path */
	double factor;	/* 1/as; 0: no rank waits for another one */
};

/*
 * Find the loads of all ranks on hosts[rank] < host_count.  Without NICs of nodes there are none.
 * End with placement_queues_release.
 */
int placement_queues_find(struct placement_queues *queues, const struct model *model,
			  const uint32_t *hosts, uint32_t host_count, struct error *err);
void placement_queues_release(struct placement_queues *queues);

/*
 * Estimate the waits on the critical path of a model with a list of hosts, or the sum of all waits
 * in T.
 */
void placement_queues_of_path(struct placement_queues *queues, const struct model *model,
			      const struct critical_path *path);
void placement_queues_of_all(struct placement_queues *queues, __int128 runtime_as);

/* Whether the rank is part of a wait on the path. */
bool placement_queues_wait(const struct placement_queues *queues, uint32_t rank);

/*
 * Time in as that is saved if a rank moves from one host to another one, from where `other` takes
 * its place, or UINT32_MAX: nobody.  Negative if it is lost.
 */
double placement_queues_gain(const struct placement_queues *queues, uint32_t rank, uint32_t from,
			     uint32_t other, uint32_t to);

/* Let them change places. */
void placement_queues_move(struct placement_queues *queues, uint32_t rank, uint32_t from,
			   uint32_t other, uint32_t to);

#endif
