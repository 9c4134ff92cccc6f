/* Sections of an event flow file, and the run as bytes; internal to trace/flow/file/. */
#ifndef TRACE_FLOW_SECTIONS_H
#define TRACE_FLOW_SECTIONS_H

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

#endif
