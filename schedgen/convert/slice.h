/*
 * Slices of a run: where they begin and end on each rank, as --from and --to say
 * (doc/trace-to-goal.md).
 */
#ifndef SCHEDGEN_SLICE_H
#define SCHEDGEN_SLICE_H

#include "trace/trace_reader.h"

/* The calls of a rank that begin in [begin_ns, end_ns), as the trace has times. */
struct convert_slice {
	uint64_t begin_ns, end_ns;
};

/* Place of a rank's calls relative to its slice. */
enum slice_stage { SLICE_BEFORE, SLICE_INSIDE, SLICE_AFTER };

/*
 * Stage of a call that is entered at enter_ns, after a call of the given stage.  Stages never go
 * back, because times of threads are not exactly in the order of the calls.
 */
static inline enum slice_stage slice_stage_at(enum slice_stage stage,
					      const struct convert_slice *slice,
					      uint64_t enter_ns)
{
	if (stage == SLICE_BEFORE && enter_ns >= slice->begin_ns)
		stage = SLICE_INSIDE;
	return stage == SLICE_INSIDE && enter_ns >= slice->end_ns ? SLICE_AFTER : stage;
}

/* Zero bytes: where the trace begins, or ends. */
struct slice_edge {
	enum { SLICE_OPEN, SLICE_TIME, SLICE_REGION, SLICE_ITERATION } kind;
	uint64_t time_ns;	/* SLICE_TIME: since the trace began */
	char *region;		/* SLICE_REGION: its name; owned */
	uint64_t number;	/* which region of that name, which iteration; from 1 */
};

/* "1.5s", "region:NAME", "region:NAME:NUMBER" or "iteration:NUMBER"; else STATUS_USAGE. */
int slice_edge_parse(struct slice_edge *edge, const char *text, struct error *err);
/* The edge as it may be given, to be freed; NULL without memory. */
char *slice_edge_text(const struct slice_edge *edge);
void slice_edge_release(struct slice_edge *edge);

/*
 * Fill slices[] by rank: from the beginning of what `from` names to the end of what
 * `to` names.  Reads the trace if need be.  STATUS_DATA if a rank has no such region
 * or iteration, or if the end comes before the beginning.
 */
int slices_find(struct convert_slice *slices, struct trace_reader *reader,
		 const struct slice_edge *from, const struct slice_edge *to, struct error *err);

#endif
