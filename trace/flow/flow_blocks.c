#include "trace/flow/flow_blocks.h"

#include <stdio.h>
#include <string.h>

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

static int close_run(struct flow_set *set, struct error *err)
{
	const struct flow_block block = {.first = set->begin,
					 .last = set->end - 1,
					 .stride = 0,
					 .length = set->end - set->begin};

	if (set->begin == set->end || (set->blocks.count && join_run(set)))
		return 0;
	return array_push(&set->blocks, block, err);
}

int flow_set_add(struct flow_set *set, uint64_t number, struct error *err)
{
	set->count++;
	if (set->begin != set->end && number == set->end) {
		set->end++;
		return 0;
	}
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
	struct flow_set copy = {.begin = set->begin, .end = set->end};

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

uint64_t flow_block_count(const struct flow_block *block)
{
	const uint64_t span = block->last - block->first + 1;

	if (!block->stride)
		return span;
	return span / block->stride * block->length +
	       (span % block->stride < block->length ? span % block->stride : block->length);
}

bool flow_block_is_valid(const struct flow_block *block)
{
	if (block->first > block->last || block->last >= INT64_MAX || !block->length)
		return false;
	if (!block->stride)
		return block->length == block->last - block->first + 1;
	return block->stride > block->length && block->stride <= block->last - block->first;
}

int flow_blocks_put(struct flow_bytes *bytes, const struct flow_block *blocks, size_t count,
		    struct error *err)
{
	uint64_t before = 0;

	TRY(flow_put(bytes, count, err));
	for (size_t i = 0; i < count; i++) {
		TRY(flow_put(bytes, blocks[i].first - before, err));
		TRY(flow_put(bytes, blocks[i].last - blocks[i].first, err));
		TRY(flow_put(bytes, blocks[i].stride, err));
		/* The length of a single run is known. */
		if (blocks[i].stride)
			TRY(flow_put(bytes, blocks[i].length, err));
		before = blocks[i].last + 1;
	}
	return 0;
}

int flow_blocks_get(struct flow_cursor *cursor, struct flow_blocks *blocks, struct error *err)
{
	/* A block has three bytes or more. */
	const uint64_t count = flow_get_most(cursor, flow_left(cursor) / 3);
	uint64_t before = 0;

	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		struct flow_block block;

		block.first = before + flow_get_most(cursor, INT64_MAX - before);
		block.last = block.first + flow_get_most(cursor, INT64_MAX - block.first);
		block.stride = flow_get_most(cursor, INT64_MAX);
		block.length = block.stride ? flow_get_most(cursor, INT64_MAX)
					    : block.last - block.first + 1;
		if (!flow_block_is_valid(&block))
			cursor->damaged = true;
		before = block.last + 1;
		TRY(array_push(blocks, block, err));
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

void flow_run_next(struct flow_run *run)
{
	const struct flow_block *block = run->block;

	if (block->stride && run->begin + block->stride <= block->last) {
		run->begin += block->stride;
		run->last = run->begin + block->length - 1;
		if (run->last > block->last)
			run->last = block->last;
		return;
	}
	*run = flow_run_first(block + 1, (size_t)(run->end - block) - 1);
}

const char *flow_blocks_text(const struct flow_block *blocks, size_t count, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "[");

	for (size_t i = 0; i < count && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%llu,%llu,%llu,%llu",
					 i ? " | " : "", (unsigned long long)blocks[i].first,
					 (unsigned long long)blocks[i].last,
					 (unsigned long long)blocks[i].stride,
					 (unsigned long long)blocks[i].length);
	if (used + 1 < room)
		snprintf(text + used, room - used, "]");
	else if (room > 5)
		snprintf(text + room - 5, 5, "...]");
	return text;
}
