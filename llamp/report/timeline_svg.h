/* A picture of a small run.  Part of llamp/report/timeline.h. */
#ifndef LLAMP_REPORT_TIMELINE_SVG_H
#define LLAMP_REPORT_TIMELINE_SVG_H

#include "common/draw/svg.h"
#include "llamp/report/timeline_picture.h"

/*
 * Draw a row for each rank and cpu, and one for what overlaps: bars, arrows from sends to receives,
 * the critical path.
 */
void timeline_svg(const struct svg *svg, const struct timeline_picture *picture);

#endif
