/* Graphs as bytes, and what a flow owns; internal to trace/flow/ and its rooms. */
#ifndef TRACE_FLOW_PARTS_H
#define TRACE_FLOW_PARTS_H

#include "trace/flow/flow.h"

/*
 * Append a graph, and read one; STATUS_DATA if it is none: sets that overlap are found in the
 * recovery.
 */
int flow_graph_put(const struct flow_graph *graph, struct flow_bytes *bytes, struct error *err);
int flow_graph_get(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		   struct error *err);
void flow_graph_release(struct flow_graph *graph);

/*
 * Allocate zeroed memory that lives as long as the flow; give it the bytes, compressed, which
 * become empty.
 */
int flow_allocate(struct flow *flow, void *pointer, size_t count, size_t item_bytes,
		  struct error *err);
int flow_keep(struct flow *flow, struct flow_bytes *bytes, struct flow_packed *packed,
	      struct error *err);

/* Compress bytes unless that makes them longer. */
int flow_compress(const void *from, size_t count, struct flow_bytes *to, struct error *err);

/* Unpack: *unpacked is to be freed, NULL if the bytes were not compressed. */
int flow_unpack(const struct flow_packed *packed, struct flow_cursor *cursor, void **unpacked,
		struct error *err);

#endif
