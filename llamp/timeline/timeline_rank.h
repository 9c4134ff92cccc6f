/* Operations and calls of one rank in the order of their starts.  Part of llamp/timeline/timeline.c. */
#ifndef LLAMP_TIMELINE_RANK_H
#define LLAMP_TIMELINE_RANK_H

#include "llamp/simulate/op_times.h"
#include "llamp/timeline/timeline.h"
#include "llamp/timeline/timeline_lanes.h"

#define TIMELINE_NONE UINT32_MAX

/* A call of a cpu, or the part of it that the cpu has. */
struct timeline_call {
	struct goal_call call;
	uint64_t start_ns, end_ns;
	uint8_t cpu;
	bool starts_after_computation;	/* start_ns is final */
};

/* A call if `op` is TIMELINE_NONE, else an operation. */
struct timeline_item {
	struct op_time op_time; /* of a call only the start */
	uint32_t op;		/* index in the rank */
	uint32_t call;		/* index; TIMELINE_NONE: no call, or the computation before it */
	uint8_t cpu;
	bool receives;
};

/* All memory is used again for the next rank.  Zero bytes are valid. */
struct timeline_rank {
	uint32_t rank;
	bool uses_cpu[TIMELINE_MOST_CPUS];
	uint32_t current[TIMELINE_MOST_CPUS];	/* call of each cpu */
	ARRAY(struct timeline_call) calls;
	ARRAY(struct timeline_item) items;
	ARRAY(struct timeline_item) spare;	/* for sorting */
	struct goal_calls_cursor cursor;
};

/*
 * Find the items of a rank: its calls, and the operations in the part that take time.  A receive
 * during which another operation of its cpu starts begins where it has got its message.
 */
int timeline_rank_find(struct timeline_rank *found, const struct op_times *op_times, uint32_t rank,
		       const struct goal_calls *calls, const struct run_part *part,
		       struct error *err);
void timeline_rank_release(struct timeline_rank *found);

#endif
