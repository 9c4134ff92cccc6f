/*
 * Nodes of the ranks of each communicator of a trace, computed at its first use.
 */
#ifndef SCHEDGEN_COMM_NODES_H
#define SCHEDGEN_COMM_NODES_H

#include "schedgen/collectives/collective.h"
#include "trace/call/trace_world.h"

struct comm_nodes {
	struct coll_nodes *comms;	/* by id of the communicator; without nodes: not computed */
	uint32_t count;
};

/*
 * Find the nodes of a communicator, owned by `nodes`.  *found is NULL if the trace has no nodes,
 * or if the communicator has one rank.
 *
 * If ranks_per_node is not 0, each node has ranks_per_node world ranks in the order of their
 * numbers, and the nodes of the trace are ignored.  `size` is the size of the communicator, or a
 * multiple of it if the graph has copies.  Each copy then has nodes of its own.  ranks_per_node
 * and the multiple must be the same in all calls.
 */
int comm_nodes_find(struct comm_nodes *nodes, const struct trace_world *world,
		    uint32_t ranks_per_node, uint32_t comm, uint32_t size,
		    const struct coll_nodes **found, struct error *err);
void comm_nodes_release(struct comm_nodes *nodes);

#endif
