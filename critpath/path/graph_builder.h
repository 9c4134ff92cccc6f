/* Building a program graph (critpath/path/program_graph.h): what its parts share. */
#ifndef CRITPATH_GRAPH_BUILDER_H
#define CRITPATH_GRAPH_BUILDER_H

#include "critpath/path/program_graph.h"

struct raw_edge {
	uint32_t from, to;
	uint64_t wait_ns;
};

struct graph_builder {
	struct program_graph *graph;
	const struct measured_run *run;
	ARRAY(struct raw_edge) edges;
	ARRAY(uint64_t) hubs; /* their times */
	struct error *err;
};

/* A call, and the vertex of its begin. */
const struct measured_call *graph_call(const struct measured_run *run, uint32_t rank,
				       uint32_t call);
uint32_t graph_begin(const struct graph_builder *builder, uint32_t rank, uint32_t call);

/* Time from one time to another, or 0 if that is earlier. */
uint64_t graph_time_between(uint64_t from_ns, uint64_t to_ns);

int graph_add_edge(struct graph_builder *builder, uint32_t from, uint32_t to, uint64_t wait_ns);

/* Add an edge from the time `from_ns` to the end of a call, which waits for it from its begin. */
int graph_add_edge_to_end(struct graph_builder *builder, uint32_t from, uint64_t from_ns,
			  uint32_t rank, uint32_t call);

/* Add a hub at a time.  *hub becomes its vertex. */
int graph_add_hub(struct graph_builder *builder, uint64_t at_ns, uint32_t *hub);

/* Add the hubs of all collectives and their edges, and fill graph->hub_of. */
int graph_add_collectives(struct graph_builder *builder);

#endif
