/* A run for trace viewers.  Part of llamp/timeline/timeline_write.h. */
#ifndef LLAMP_TIMELINE_VIEWER_H
#define LLAMP_TIMELINE_VIEWER_H

#include "common/draw/viewer.h"
#include "llamp/timeline/timeline.h"

int timeline_viewer(FILE *stream, enum viewer_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err);

#endif
