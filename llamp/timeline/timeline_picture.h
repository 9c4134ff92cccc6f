/*
 * A small run as data of a picture: bars in rows, arrows, the critical path.  Part of
 * llamp/timeline/timeline_write.h.
 */
#ifndef LLAMP_TIMELINE_PICTURE_H
#define LLAMP_TIMELINE_PICTURE_H

#include "llamp/timeline/timeline.h"

enum { PICTURE_MOST_BARS = 10000, PICTURE_MOST_ROWS = 100 };	/* rows: main lanes */

struct picture_row {
	struct timeline_lane lane;
	uint32_t main;		/* row of its cpu's main lane */
	uint32_t further;	/* of a main lane: rows beside it */
	double y, height;	/* in px; set by timeline_svg */
};

/* An operation, a call, or the overhead within the bar before it. */
struct picture_bar {
	struct timeline_slice slice;
	uint32_t rank, row;
	bool has_overhead;	/* the next bar is within this one */
	struct goal_call call;	/* of a call; slice.call is not valid any more */
};

struct picture_arrow {
	uint32_t message, from, to;	/* bars */
	bool critical;			/* the critical path goes over it */
};

/* A stretch of the critical path that an operation spends. */
struct picture_stretch {
	uint64_t start_ns, end_ns;
	uint32_t bar;
};

struct timeline_picture {
	ARRAY(struct picture_row) rows;
	ARRAY(struct picture_bar) bars;
	ARRAY(struct picture_arrow) arrows;
	ARRAY(struct picture_stretch) stretches;
	ARRAY(struct critical_segment) segments;	/* while it is collected */
	uint32_t first_row;				/* of the current rank */
	uint32_t main_rows;
	uint64_t start_ns, end_ns;			/* of what is drawn */
	bool has_calls;
};

/*
 * Collect a part of the run.  More bars or rows than a picture can show are STATUS_LIMIT.  After
 * success end with timeline_picture_release.
 */
int timeline_picture_find(struct timeline_picture *picture, const struct model *model,
			  const struct goal_calls *calls, const struct run_part *part,
			  struct timeline_counts *counts, struct error *err);
void timeline_picture_release(struct timeline_picture *picture);

#endif
