/* Part of a run: a stretch of time, and some of the ranks. */
#ifndef COMMON_DRAW_RUN_PART_H
#define COMMON_DRAW_RUN_PART_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct rank_range {
	uint32_t first, last;
};

struct run_part {
	uint64_t from_ns, to_ns;	/* from <= to; UINT64_MAX: until the end */
	ARRAY(struct rank_range) ranks;	/* ascending, apart from each other; none: all ranks */
};

/* Add a list of ranks, such as "0-7,12".  STATUS_USAGE if it is not one. */
int run_part_parse_ranks(struct run_part *part, const char *text,
				struct error *err);
void run_part_release(struct run_part *part);

/* STATUS_USAGE if from > to, or if a rank is not below rank_count. */
int run_part_check(const struct run_part *part, uint32_t rank_count,
			  struct error *err);

bool run_part_has_rank(const struct run_part *part, uint32_t rank);

/* Whether a stretch of time is in the part, or touches it. */
static inline bool run_part_has_time(const struct run_part *part,
					    uint64_t start_ns, uint64_t end_ns)
{
	return end_ns >= part->from_ns && start_ns <= part->to_ns;
}

#endif
