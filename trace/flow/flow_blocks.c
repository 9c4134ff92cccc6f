#include "trace/flow/flow_blocks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Blocks that groups repeat before they become one. */
enum { LEAST_REPEATED = 32 };

/* Join the run to the last block if this has runs as long, as far apart. */
static bool join_run(struct flow_set *set)
{
	struct flow_block *block = &set->blocks.items[set->blocks.count - 1];
	const uint64_t distance = set->begin - (block->last - block->length + 1);

	if (block->length != set->end - set->begin || (block->stride && block->stride != distance))
		return false;
	block->stride = distance;
	block->last = set->end - 1;
	return true;
}

/* Check whether the blocks at `late` are those at `early`, `distance` later. */
static bool are_again(const struct flow_block *early, const struct flow_block *late, size_t count,
		      uint64_t distance)
{
	for (size_t i = 0; i < count; i++)
		if (late[i].first != early[i].first + distance ||
		    late[i].last != early[i].last + distance || late[i].stride != early[i].stride ||
		    late[i].length != early[i].length)
			return false;
	return true;
}

/* Repeat the group before the last blocks once more if they are that group. */
static bool repeat_more(struct flow_set *set)
{
	struct flow_block *items = set->blocks.items;
	const size_t begin = set->blocks.count - set->plain;
	struct flow_block *again = begin ? &items[begin - 1] : NULL;

	if (!again || set->plain != again->length ||
	    !are_again(again - again->length, &items[begin], set->plain,
		       (again->first + 1) * again->last))
		return false;
	again->first++;
	set->blocks.count = begin;
	set->plain = 0;
	return true;
}

/*
 * Make one group of the last blocks if they are groups that are equal.  A short group has to come
 * again often: else one within a longer one would hide that.
 */
static void repeat_last(struct flow_set *set)
{
	if (repeat_more(set))
		return;
	for (size_t length = 1; length <= FLOW_MOST_AGAIN; length++) {
		const size_t groups = (LEAST_REPEATED + length - 1) / length;
		const size_t count = groups * length;
		struct flow_block *late;
		uint64_t distance;

		if (count + length > set->plain)
			continue;
		late = &set->blocks.items[set->blocks.count - count];
		distance = late->first - late[-(ptrdiff_t)length].first;
		if (!are_again(late - length, late, count, distance))
			continue;
		*late = (struct flow_block){groups, distance, FLOW_AGAIN, length};
		set->blocks.count -= count - 1;
		set->plain = 0;
		return;
	}
}

static int close_run(struct flow_set *set, struct error *err)
{
	const struct flow_block block = {.first = set->begin,
					 .last = set->end - 1,
					 .stride = 0,
					 .length = set->end - set->begin};

	if (set->begin == set->end || (set->plain && join_run(set)))
		return 0;
	if (set->repeats)
		repeat_last(set);
	TRY(array_push(&set->blocks, block, err));
	set->plain++;
	return 0;
}

int flow_set_begin_run(struct flow_set *set, uint64_t number, struct error *err)
{
	TRY(close_run(set, err));
	set->begin = number;
	set->end = number + 1;
	return 0;
}

int flow_set_end(struct flow_set *set, struct error *err)
{
	TRY(close_run(set, err));
	set->begin = set->end = 0;
	return 0;
}

int flow_set_copy(const struct flow_set *set, struct flow_blocks *blocks, struct error *err)
{
	struct flow_set copy = *set;

	TRY(array_reserve(blocks, set->blocks.count + 1, err));
	copy.blocks = (struct flow_blocks){blocks->items + blocks->count, set->blocks.count,
					   set->blocks.count + 1};
	if (set->blocks.count)
		memcpy(copy.blocks.items, set->blocks.items,
		       set->blocks.count * sizeof *copy.blocks.items);
	/* There is room for one more. */
	TRY(close_run(&copy, err));
	blocks->count += copy.blocks.count;
	return 0;
}

static uint64_t count_block(const struct flow_block *block)
{
	const uint64_t span = block->last - block->first + 1;

	if (!block->stride)
		return span;
	return span / block->stride * block->length +
	       (span % block->stride < block->length ? span % block->stride : block->length);
}

uint64_t flow_blocks_count(const struct flow_block *blocks, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t group = 0;

		if (!flow_block_is_again(&blocks[i])) {
			sum += count_block(&blocks[i]);
			continue;
		}
		for (size_t k = i - blocks[i].length; k < i; k++)
			group += count_block(&blocks[k]);
		sum += group * blocks[i].first;
	}
	return sum;
}

uint64_t flow_blocks_last(const struct flow_block *blocks, size_t count)
{
	const struct flow_block *last = &blocks[count - 1];

	return flow_block_is_again(last) ? last[-1].last + last->first * last->last : last->last;
}

bool flow_block_is_valid(const struct flow_block *block)
{
	if (block->first > block->last || block->last >= INT64_MAX || !block->length)
		return false;
	if (!block->stride)
		return block->length == block->last - block->first + 1;
	return block->stride > block->length && block->stride <= block->last - block->first;
}

/* Whether an item repeats the last ones of `plain` blocks before it, so that the groups are apart. */
static bool again_is_valid(const struct flow_block *again, uint64_t plain)
{
	const struct flow_block *before = again - 1;

	return again->first && again->length && again->length <= plain &&
	       again->last > before->last - again[-(ptrdiff_t)again->length].first &&
	       again->last < INT64_MAX &&
	       again->first <= (INT64_MAX - 1 - before->last) / again->last;
}

int flow_blocks_put(struct flow_bytes *bytes, const struct flow_block *blocks, size_t count,
		    struct error *err)
{
	uint64_t before = 0;

	TRY(flow_put(bytes, count, err));
	for (size_t i = 0; i < count; i++) {
		const bool again = flow_block_is_again(&blocks[i]);

		TRY(flow_put(bytes, again ? blocks[i].first : blocks[i].first - before, err));
		TRY(flow_put(bytes, again ? blocks[i].last : blocks[i].last - blocks[i].first,
			     err));
		TRY(flow_put(bytes, blocks[i].stride, err));
		/* The length of a single run is known. */
		if (blocks[i].stride)
			TRY(flow_put(bytes, blocks[i].length, err));
		before = flow_blocks_last(blocks, i + 1) + 1;
	}
	return 0;
}

/*
 * Read a block; `before` follows the one before.  Returns whether it is valid, or to be checked as
 * an item that repeats.
 */
static bool get_block(struct flow_cursor *cursor, uint64_t before, struct flow_block *block)
{
	const uint64_t first = flow_get_most(cursor, INT64_MAX);
	const uint64_t last = flow_get_most(cursor, INT64_MAX);

	block->stride = flow_get_most(cursor, INT64_MAX);
	block->length = block->stride ? flow_get_most(cursor, INT64_MAX) : last + 1;
	block->first = first;
	block->last = last;
	if (flow_block_is_again(block))
		return !cursor->damaged;
	block->first += before;
	block->last += block->first;
	return !cursor->damaged && flow_block_is_valid(block);
}

int flow_blocks_get(struct flow_cursor *cursor, struct flow_blocks *blocks, struct error *err)
{
	/* A block has three bytes or more. */
	const uint64_t count = flow_get_most(cursor, flow_left(cursor) / 3);
	const size_t begin = blocks->count;
	uint64_t before = 0, plain = 0;

	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		struct flow_block block;

		cursor->damaged |= !get_block(cursor, before, &block);
		TRY(array_push(blocks, block, err));
		if (cursor->damaged)
			break;
		plain = flow_block_is_again(&block) ? plain : plain + 1;
		if (flow_block_is_again(&block)) {
			if (!again_is_valid(&blocks->items[blocks->count - 1], plain)) {
				cursor->damaged = true;
				break;
			}
			plain = 0;
		}
		before = flow_blocks_last(blocks->items + begin, blocks->count - begin) + 1;
	}
	return 0;
}

struct flow_run flow_run_first(const struct flow_block *blocks, size_t count)
{
	struct flow_run run = {.block = blocks, .end = blocks + count, .begin = UINT64_MAX};

	if (count) {
		run.begin = blocks->first;
		run.last = blocks->first + blocks->length - 1;
	}
	return run;
}

/* Go to the next block, or back to the first one of a group that is repeated. */
static void next_block(struct flow_run *run)
{
	run->block++;
	if (run->block < run->end && flow_block_is_again(run->block)) {
		const struct flow_block *again = run->block;

		run->again++;
		run->shift += again->last;
		run->block -= again->length;
		if (run->again > again->first) {
			run->again = run->shift = 0;
			run->block = again + 1;
		}
	}
	run->begin = UINT64_MAX;
	if (run->block < run->end) {
		run->begin = run->block->first + run->shift;
		run->last = run->begin + run->block->length - 1;
	}
}

void flow_run_next(struct flow_run *run)
{
	const struct flow_block *block = run->block;
	const uint64_t last = block->last + run->shift;

	if (!block->stride || run->begin + block->stride > last) {
		next_block(run);
		return;
	}
	run->begin += block->stride;
	run->last = run->begin + block->length - 1;
	if (run->last > last)
		run->last = last;
}

static int print_block(const struct flow_block *block, char *text, size_t room)
{
	if (flow_block_is_again(block))
		return snprintf(text, room, "%llu again %llu by %llu",
				(unsigned long long)block->length, (unsigned long long)block->first,
				(unsigned long long)block->last);
	return snprintf(text, room, "%llu,%llu,%llu,%llu", (unsigned long long)block->first,
			(unsigned long long)block->last, (unsigned long long)block->stride,
			(unsigned long long)block->length);
}

const char *flow_blocks_text(const struct flow_block *blocks, size_t count, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "[");

	for (size_t i = 0; i < count && used < room; i++) {
		if (i)
			used += (size_t)snprintf(text + used, room - used, " | ");
		if (used < room)
			used += (size_t)print_block(&blocks[i], text + used, room - used);
	}
	if (used + 1 < room)
		snprintf(text + used, room - used, "]");
	else if (room > 5)
		snprintf(text + room - 5, 5, "...]");
	return text;
}
