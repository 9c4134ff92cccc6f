/* A graph as it is shown: chains as one node if asked for, labels, mean times of the threads that have it. */
#ifndef EVENTFLOW_SHOWN_GRAPH_H
#define EVENTFLOW_SHOWN_GRAPH_H

#include "eventflow/graph/chains.h"
#include "eventflow/graph/graph_times.h"

struct shown_node {
	char *label;	/* owned */
	uint32_t node;	/* of the graph: the first of a chain */
	uint32_t calls; /* 1, or the length of a chain */
	uint64_t visits, time_ns;
};

struct shown_edge {
	uint32_t from, to; /* shown nodes */
	uint64_t count, time_ns;
	char *visits; /* blocks of the visits after which it is followed; owned */
};

/* Owned arrays, in the order of first visits. */
struct shown_graph {
	ARRAY(struct shown_node) nodes;
	ARRAY(struct shown_edge) edges;
};

int shown_graph_make(struct shown_graph *shown, const struct flow *flow,
		     const struct flow_graph *graph, const struct graph_times *times,
		     bool with_chains, struct error *err);
void shown_graph_release(struct shown_graph *shown);

#endif
