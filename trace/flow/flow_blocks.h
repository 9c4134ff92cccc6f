/*
 * Sets of visits as blocks: which visits of a node, numbered from 0, an edge follows.
 *
 * A block [first, last, stride, length] is the set {first + k stride + j <= last : k >= 0, 0 <= j <
 * length}. A stride of 0 means the numbers from first to last.  Numbers are added in ascending
 * order in constant time: maximal runs, and runs of equal length at equal distances joined
 * (Aguilar, Fürlinger, Laure 2014).
 *
 * A set may repeat blocks.  After `length` blocks an item whose stride is FLOW_AGAIN stands for
 * `first` more groups of such blocks, each `last` numbers after the one before.  So a loop whose
 * iterations are equal takes the same number of items however often it goes round.  Such items are
 * in sets of edges only.
 */
#ifndef TRACE_FLOW_BLOCKS_H
#define TRACE_FLOW_BLOCKS_H

#include "trace/flow/flow_bytes.h"

struct flow_block {
	uint64_t first, last, stride, length;
};

/* No stride: runs are apart. */
enum { FLOW_AGAIN = 1, FLOW_MOST_AGAIN = 16 };

static inline bool flow_block_is_again(const struct flow_block *block)
{
	return block->stride == FLOW_AGAIN;
}

struct flow_blocks {
	struct flow_block *items; /* a growable array (common/array.h) */
	size_t count, capacity;
};

/* Set that is being made.  Zero bytes are an empty one. */
struct flow_set {
	struct flow_blocks blocks; /* without the run */
	uint64_t begin, end;	   /* the run of numbers that were added last; empty at first */
	uint64_t count;
	bool repeats; /* groups of up to FLOW_MOST_AGAIN blocks that come again are repeated: set by the caller */
	size_t plain; /* blocks after the last item that repeats */
};

/* Begin a new run with a number, for flow_set_add. */
int flow_set_begin_run(struct flow_set *set, uint64_t number, struct error *err);

/* Add a number that is larger than all before: mostly the run goes on. */
static inline int flow_set_add(struct flow_set *set, uint64_t number, struct error *err)
{
	set->count++;
	if (set->begin == set->end || number != set->end)
		return flow_set_begin_run(set, number, err);
	set->end++;
	return 0;
}

/* End the set: all of it is in `blocks` then. */
int flow_set_end(struct flow_set *set, struct error *err);

/* Append the blocks of the set as it is now, which may go on, to others. */
int flow_set_copy(const struct flow_set *set, struct flow_blocks *blocks, struct error *err);

/* Number of elements of a set; its largest one. */
uint64_t flow_blocks_count(const struct flow_block *blocks, size_t count);
uint64_t flow_blocks_last(const struct flow_block *blocks, size_t count);

/* Whether the block is one that a set has, and repeats nothing: not empty, runs apart. */
bool flow_block_is_valid(const struct flow_block *block);

/*
 * Append the blocks of a set, each by its distance to the one before, and read them: -1 if they are
 * damaged.
 */
int flow_blocks_put(struct flow_bytes *bytes, const struct flow_block *blocks, size_t count,
		    struct error *err);
int flow_blocks_get(struct flow_cursor *cursor, struct flow_blocks *blocks, struct error *err);

/* Position in the blocks of a set: the run at hand. */
struct flow_run {
	const struct flow_block *block, *end;
	uint64_t begin, last; /* numbers of the run; begin is UINT64_MAX after the last run */
	uint64_t again,
		shift; /* groups of the item at hand that have passed; distance from the first one */
};

struct flow_run flow_run_first(const struct flow_block *blocks, size_t count);
void flow_run_next(struct flow_run *run);

/*
 * Write "[0,2,2,1 | 4,5,0,2]" and cut it to `room` bytes.  The last two blocks 7 times more, each 9
 * after the one before: "[0,0,0,1 | 4,4,0,1 | 6,7,0,2 | 2 again 7 by 9]".  Returns `text`.
 */
const char *flow_blocks_text(const struct flow_block *blocks, size_t count, char *text,
			     size_t room);

#endif
