/*
 * Parts of the ranks of a measured run, which belong together by their number: the iterations of the main loop
 * (trace/sequence/iterations.h), or the visits of a region.
 */
#ifndef TRACE_MEASURED_PARTS_H
#define TRACE_MEASURED_PARTS_H

#include "common/array.h"
#include "trace/measured/measured_run.h"
#include "trace/sequence/time_span.h"

/* Parts of a rank, in order of time, which have no time in common. */
struct measured_rank_parts {
	ARRAY(struct time_span) spans;
};

struct measured_parts {
	struct measured_rank_parts *ranks; /* [rank]; owned */
	uint32_t rank_count;
	uint32_t least, most; /* parts of a rank */
};

/*
 * Read the ranks of this process once more and find their iterations, or, if `region` is not NULL, their visits of the
 * region of this name; a visit within another one is a part of it.  least, most: of these ranks; UINT32_MAX and 0 of
 * no rank.  End with measured_parts_release.
 */
int measured_parts_find(struct measured_parts *parts, const struct measured_run *run,
			const char *region, struct error *err);

/* Fail as no rank of the run visits a region. */
int measured_parts_none(const struct measured_run *run, const char *region, struct error *err);

void measured_parts_release(struct measured_parts *parts);

/* Find the part of a rank at a time, or NO_PART. */
#define NO_PART UINT32_MAX
uint32_t measured_part_at(const struct measured_parts *parts, uint32_t rank, uint64_t time_ns);

#endif
