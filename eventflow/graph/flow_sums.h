/*
 * Nodes and edges of a flow by what they are, not by number: sums over ranks, so that runs can be compared.
 */
#ifndef EVENTFLOW_FLOW_SUMS_H
#define EVENTFLOW_FLOW_SUMS_H

#include "eventflow/graph/graph_times.h"
#include "trace/call/string_table.h"

enum { SIDES = 2 };

/* A node, "MPI_Send: send peer +1 bytes 8", or an edge, two of these with " -> " between. */
struct flow_sum {
	uint64_t visits[SIDES], time_ns[SIDES];
};

/* Zero bytes are empty. */
struct flow_sums {
	struct string_table names;
	ARRAY(struct flow_sum) sums; /* by number of the name */
};

/*
 * Add the nodes and the edges of a flow, of one rank or of all (UINT32_MAX), to one side.  total_ns becomes the time
 * of all of them.
 */
int flow_sums_add(struct flow_sums *nodes, struct flow_sums *edges, const struct flow *flow,
		  uint32_t only_rank, unsigned side, uint64_t *total_ns, struct error *err);
void flow_sums_release(struct flow_sums *sums);

/* Names that both sides have, or only one: 0, 1. */
uint64_t flow_sums_common(const struct flow_sums *sums);
uint64_t flow_sums_only(const struct flow_sums *sums, unsigned side);

#endif
