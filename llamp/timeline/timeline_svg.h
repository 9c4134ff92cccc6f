/* A picture of a small run.  Part of llamp/timeline/timeline_write.h. */
#ifndef LLAMP_TIMELINE_SVG_H
#define LLAMP_TIMELINE_SVG_H

#include "common/draw/svg.h"
#include "llamp/timeline/timeline_picture.h"

/*
 * Draw a row for each rank and cpu, and thin ones for what overlaps: bars, arrows from sends to receives,
 * the critical path.  Sets where the rows are.
 */
void timeline_svg(const struct svg *svg, struct timeline_picture *picture);

#endif
