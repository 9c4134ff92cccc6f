/*
 * A measured run for trace viewers: `critpath view`.
 *
 *	critical path	a track with the segments of critpath/path/walk.h
 *	rank		a track with the calls of the first thread, and one below it for each further
 *			thread, and for each thread with calls below MPI (critpath/view/view_below.h)
 *
 * MPI calls are slices, from where they were entered to where they were left, on the archive's
 * common clock and from its begin.  Within a call lie its wait (critpath/path/waits.h), and what it
 * sends and receives as slices without length: a send where the call is entered, a receive where
 * the call that completes it is left.  An arrow leads from one to the other.
 */
#ifndef CRITPATH_VIEW_H
#define CRITPATH_VIEW_H

#include "common/draw/viewer.h"
#include "critpath/report/run_report.h"
#include "critpath/view/view_part.h"

struct view_counts {
	uint64_t calls, messages;
	uint64_t messages_outside;	/* without an arrow: one end is not in the part */
	uint64_t below;			/* calls below MPI, in files for viewers */
};

/* Write a part of the run.  The owner of the stream checks it for errors. */
int view_write(FILE *stream, enum viewer_format format, const struct findings *findings,
	       const struct run_part *part, struct view_counts *counts, struct error *err);

#endif
