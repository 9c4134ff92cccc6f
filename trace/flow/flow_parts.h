/* Parts of event flow graphs as bytes; internal to trace/flow/. */
#ifndef TRACE_FLOW_PARTS_H
#define TRACE_FLOW_PARTS_H

#include "trace/flow/flow.h"

/* As PNG does: a byte with the eighth bit, and ends of lines, so that copies as text are noticed. */
#define FLOW_MAGIC \
	"\x89"     \
	"EFG\r\n\x1a\n"

enum { FLOW_MAGIC_BYTES = 8, FLOW_VERSION = 1, FLOW_CHECKSUM_BYTES = 8 };
enum {
	SECTION_END,
	SECTION_STRINGS,
	SECTION_RUN,
	SECTION_SIGNATURES,
	SECTION_GRAPHS,
	SECTION_RANKS,
	SECTION_DATA,
	SECTIONS
};
/* Flags of a rank. */
enum { RANK_LOSSY = 1 };

/* Append the processes, communicators, windows and hosts of a run, and read them into flow->world. */
int flow_world_put(struct flow *flow, const struct trace_world *world, struct flow_bytes *bytes,
		   struct error *err);
int flow_world_get(struct flow *flow, struct flow_cursor *cursor, struct error *err);

/*
 * Append a graph, and read one; STATUS_DATA if it is none: sets that overlap are found in the
 * recovery.
 */
int flow_graph_put(const struct flow_graph *graph, struct flow_bytes *bytes, struct error *err);
int flow_graph_get(const struct flow *flow, struct flow_graph *graph, struct flow_cursor *cursor,
		   struct error *err);
void flow_graph_release(struct flow_graph *graph);

/* Add empty ranks after those of the flow, or the first ones from flow->first_rank on. */
int flow_add_ranks(struct flow *flow, uint32_t count, struct error *err);

/*
 * Make an empty flow; allocate zeroed memory that lives as long; give it the bytes, compressed,
 * which become empty.
 */
int flow_make(struct flow **flow, struct error *err);
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
