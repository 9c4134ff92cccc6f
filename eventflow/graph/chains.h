/*
 * Chains of a graph: three or more nodes in a row, each with one node before it and one after it.  They are one node
 * where a graph is shown.
 */
#ifndef EVENTFLOW_CHAINS_H
#define EVENTFLOW_CHAINS_H

#include "trace/flow/flow.h"

enum { NO_CHAIN = UINT32_MAX, LEAST_CHAIN = 3 };

struct flow_chain {
	uint32_t first, last; /* nodes */
	uint32_t length;
};

/* Owned arrays. */
struct flow_chains {
	uint32_t *of; /* [node]: its chain, or NO_CHAIN */
	ARRAY(struct flow_chain) chains;
	uint64_t nodes, edges; /* of the graph with each chain as one node */
};

int flow_chains_find(struct flow_chains *chains, const struct flow_graph *graph, struct error *err);
void flow_chains_release(struct flow_chains *chains);

#endif
