/*
 * Where a window begins and ends on each rank: --from and --to
 * (doc/trace-to-goal.md, "Windows").
 */
#ifndef SCHEDGEN_WINDOW_H
#define SCHEDGEN_WINDOW_H

#include "schedgen/convert/convert.h"
#include "trace/trace_reader.h"

/* Zero bytes: where the trace begins, or ends. */
struct window_edge {
	enum { WINDOW_OPEN, WINDOW_TIME, WINDOW_REGION, WINDOW_ITERATION } kind;
	uint64_t time_ns;	/* WINDOW_TIME: since the trace began */
	char *region;		/* WINDOW_REGION: its name; owned */
	uint64_t number;	/* which region of that name, which iteration; from 1 */
};

/* "1.5s", "region:NAME", "region:NAME:NUMBER" or "iteration:NUMBER"; else STATUS_USAGE. */
int window_edge_parse(struct window_edge *edge, const char *text, struct error *err);
void window_edge_release(struct window_edge *edge);

/*
 * Fill windows[] by rank: from the beginning of what `from` names to the end of what
 * `to` names.  Reads the trace if need be.  STATUS_DATA if a rank has no such region
 * or iteration, or if the end comes before the beginning.
 */
int windows_find(struct convert_window *windows, struct trace_reader *reader,
		 const struct window_edge *from, const struct window_edge *to, struct error *err);

#endif
