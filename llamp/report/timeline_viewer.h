/* A run for trace viewers.  Part of llamp/report/timeline.h. */
#ifndef LLAMP_REPORT_TIMELINE_VIEWER_H
#define LLAMP_REPORT_TIMELINE_VIEWER_H

#include "common/draw/viewer.h"
#include "llamp/analysis/timeline.h"

int timeline_viewer(FILE *stream, enum viewer_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err);

#endif
