/*
 * Which ranks of the communicators of a trace share a node, found out at the first
 * use of each.
 */
#ifndef SCHEDGEN_COMM_NODES_H
#define SCHEDGEN_COMM_NODES_H

#include "schedgen/collectives/collective.h"
#include "trace/call/trace_world.h"

struct comm_nodes {
	struct coll_nodes *comms;	/* as those of the world; without nodes: not made yet */
	uint32_t count;
};

/*
 * The nodes of a communicator, which live as long as `nodes`; NULL in *found if the
 * trace does not tell, or there is nothing to tell of one rank.
 *
 * If ranks_per_node, always the same, is not 0, so many world ranks, in the order of their
 * numbers, share a node, whatever the trace tells.  `size` is that of the communicator or, in
 * several copies of it, always the same multiple of that: then each copy has its own nodes.
 */
int comm_nodes_find(struct comm_nodes *nodes, const struct trace_world *world,
		    uint32_t ranks_per_node, uint32_t comm, uint32_t size,
		    const struct coll_nodes **found, struct error *err);
void comm_nodes_release(struct comm_nodes *nodes);

#endif
