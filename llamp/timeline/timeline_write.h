/*
 * The modelled run in the formats of trace viewers, or as a picture: `llamp timeline`.
 *
 *	TIMELINE_PERFETTO	run.pftrace, for Perfetto
 *	TIMELINE_CHROME		run.json, trace events for chrome://tracing and other viewers
 *	TIMELINE_SVG		run.svg, a picture of a small run
 */
#ifndef LLAMP_TIMELINE_WRITE_H
#define LLAMP_TIMELINE_WRITE_H

#include "llamp/timeline/timeline.h"

#include <stdio.h>

enum timeline_format { TIMELINE_PERFETTO, TIMELINE_CHROME, TIMELINE_SVG };

/*
 * Write a part of the run.  `calls` may be NULL.  The owner of the stream
 * checks it for errors.
 */
int timeline_write(FILE *stream, enum timeline_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err);

#endif
