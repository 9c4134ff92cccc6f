/*
 * The part of a measured run that `critpath view` shows: some ranks, from one time to another.  Times
 * are since the run began, as those of `critpath path`.
 */
#ifndef CRITPATH_VIEW_PART_H
#define CRITPATH_VIEW_PART_H

#include "common/draw/run_part.h"
#include "critpath/path/walk.h"

/* Whether the part is less than the run. */
bool view_part_limits(const struct run_part *part, const struct measured_run *run);

/* Whether a call is in the part, or touches it. */
bool view_part_has_call(const struct run_part *part, const struct measured_run *run, uint32_t rank,
			uint32_t call);

/* The same for a segment of the critical path. */
bool view_part_has_segment(const struct run_part *part, const struct walk_segment *segment);

/* Number of calls in the part. */
uint64_t view_part_calls(const struct run_part *part, const struct measured_run *run);

/* Number of messages with both ends in the part. */
uint64_t view_part_messages(const struct run_part *part, const struct measured_run *run);

/* The part's times within the run, the first and the last in ns since it began. */
uint64_t view_part_from_ns(const struct run_part *part, const struct measured_run *run);
uint64_t view_part_to_ns(const struct run_part *part, const struct measured_run *run);

#endif
