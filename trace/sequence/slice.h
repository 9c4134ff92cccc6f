/*
 * Slices of a run: begin and end on each rank, by --from and --to (doc/trace-to-goal.md).
 */
#ifndef TRACE_SLICE_H
#define TRACE_SLICE_H

#include "trace/trace_reader.h"

/* Calls of a rank that begin in [begin_ns, end_ns), in the time of the trace. */
struct rank_slice {
	uint64_t begin_ns, end_ns;
};

/* Place of a rank's calls relative to its slice. */
enum slice_stage { SLICE_BEFORE, SLICE_INSIDE, SLICE_AFTER };

/*
 * Stage of a call that is entered at enter_ns, after a call of the given stage.  Stages never go
 * back, because times of threads are not exactly in the order of the calls.
 */
static inline enum slice_stage slice_stage_at(enum slice_stage stage,
					      const struct rank_slice *slice, uint64_t enter_ns)
{
	if (stage == SLICE_BEFORE && enter_ns >= slice->begin_ns)
		stage = SLICE_INSIDE;
	return stage == SLICE_INSIDE && enter_ns >= slice->end_ns ? SLICE_AFTER : stage;
}

/* Edge of a slice; zero bytes: begin or end of the trace. */
struct slice_edge {
	enum { SLICE_OPEN, SLICE_TIME, SLICE_REGION, SLICE_ITERATION } kind;
	uint64_t time_ns; /* SLICE_TIME: since the run began */
	char *region;	  /* SLICE_REGION: its name; owned */
	uint64_t number;  /* of the region with that name, or of the iteration; from 1 */
};

/* Read "1.5s", "region:NAME", "region:NAME:NUMBER" or "iteration:NUMBER"; else STATUS_USAGE. */
int slice_edge_parse(struct slice_edge *edge, const char *text, struct error *err);
/* Text that slice_edge_parse reads, to be freed; NULL without memory. */
char *slice_edge_text(const struct slice_edge *edge);
void slice_edge_release(struct slice_edge *edge);

/* STATUS_USAGE if both edges are times, and `to` is not after `from`. */
int slice_edges_check(const struct slice_edge *from, const struct slice_edge *to,
		      struct error *err);

/*
 * Fill slices[] for the ranks first ... end - 1, from the begin of the region or iteration `from` to
 * the end of `to`.  begin_ns: of the run (trace/sequence/run_begin.h).  Read these ranks if
 * necessary, with times as `reader` delivers them.
 * STATUS_DATA if a rank lacks the region or iteration, or if the end comes before the begin.
 */
int slices_find(struct rank_slice *slices, struct trace_reader *reader, uint64_t begin_ns,
		uint32_t first, uint32_t end, const struct slice_edge *from,
		const struct slice_edge *to, struct error *err);

#endif
