#include "critpath/share/share_groups_parts.h"

#include "critpath/parts/frame.h"
#include "critpath/parts/group_lists.h"
#include "critpath/parts/sorted_lists.h"

/* ------------------------------------------------------------------- intervals */

int share_intervals_find(struct share_intervals *intervals, const struct measured_run *run,
			 uint64_t least_ns, struct error *err)
{
	*intervals = (struct share_intervals){0};
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		struct compute_intervals list = {0};

		if (compute_intervals_add(&list, &run->ranks[r], least_ns, err) == 0 &&
		    array_push(&intervals->ranks, list, err) == 0)
			continue;
		compute_intervals_release(&list);
		share_intervals_release(intervals);
		return -1;
	}
	return 0;
}

void share_intervals_release(struct share_intervals *intervals)
{
	for (size_t i = 0; i < intervals->ranks.count; i++)
		compute_intervals_release(&intervals->ranks.items[i]);
	array_release(&intervals->ranks);
}

/* ---------------------------------------------------------------------- result */

/* More than any run has. */
#define MOST_GROUPS ((size_t)1 << 48)

int share_groups_add(struct groups *groups, const unsigned char *block, size_t bytes,
		     struct error *err)
{
	struct groups other = {0};
	int result = bytes ? group_lists_decode(&other, block, bytes, MOST_GROUPS, err) : 0;

	if (result == 0)
		result = group_lists_merge(groups, &other, err);
	groups_release(&other);
	return result;
}

int share_groups_end(struct groups *groups, struct exchange *exchange, struct share_moved *moved,
		     int result, struct error *err)
{
	uint64_t sums[] = {moved->intervals, moved->groups, moved->bytes};

	if (result == 0)
		result = exchange_reduce(exchange, sums, 3, EXCHANGE_SUM, err);
	*moved = (struct share_moved){sums[0], sums[1], sums[2]};
	if (result < 0 || exchange->rank != 0) {
		groups_release(groups);
		*groups = (struct groups){0};
	}
	return result;
}

/* ------------------------------------------------------------------------ tree */

struct level {
	struct groups *groups;
	struct exchange *exchange;
	struct share_moved *moved;
	uint64_t *sizes; /* [process]: bytes to send */
	struct byte_array block;
	struct error *err;
};

/* Encode the list for the process that it goes to on a level of the tree, if it goes to one. */
static int encode_level(struct level *level, uint64_t step)
{
	const struct groups *groups = level->groups;
	const uint32_t rank = level->exchange->rank;

	for (uint32_t p = 0; p < level->exchange->size; p++)
		level->sizes[p] = 0;
	level->block.bytes.count = 0;
	if (rank % (2 * step) != step)
		return 0;
	TRY(group_lists_encode(&level->block, groups->list.items, groups->list.count, FRAME_LEVEL,
			       level->err));
	level->sizes[rank - step] = level->block.bytes.count;
	level->moved->groups += groups->list.count;
	level->moved->bytes += level->block.bytes.count;
	return 0;
}

static int merge_level(struct level *level, uint64_t step)
{
	struct exchange *exchange = level->exchange;
	struct exchange_arrived arrived;
	int result;

	TRY(exchange_agree(exchange, encode_level(level, step), level->err));
	TRY(exchange_all(exchange, level->block.bytes.items, level->sizes, &arrived, level->err));
	result = share_groups_add(level->groups, arrived.bytes, arrived.ends[exchange->size - 1],
				  level->err);
	exchange_arrived_release(&arrived);
	return exchange_agree(exchange, result, level->err);
}

static int merge_up(struct level *level)
{
	int result = allocate(&level->sizes, level->exchange->size, sizeof *level->sizes,
			      level->err);

	result = exchange_agree(level->exchange, result, level->err);
	for (uint64_t step = 1; result == 0 && step < level->exchange->size; step *= 2)
		result = merge_level(level, step);
	free(level->sizes);
	array_release(&level->block.bytes);
	return result;
}

int share_groups_merge(struct groups *groups, const struct share_intervals *intervals,
		       struct exchange *exchange, struct share_moved *moved, struct error *err)
{
	struct level level = {groups, exchange, moved, .err = err};
	int result;

	*groups = (struct groups){0};
	*moved = (struct share_moved){0};
	result = sorted_lists_group(groups, intervals->ranks.items,
				    (uint32_t)intervals->ranks.count, err);
	result = exchange_agree(exchange, result, err);
	if (result == 0)
		result = merge_up(&level);
	return share_groups_end(groups, exchange, moved, result, err);
}
