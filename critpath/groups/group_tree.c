/* Merge lists of groups up a binomial tree: critpath/groups/group_methods.h. */
#include "critpath/groups/group_blocks.h"
#include "critpath/groups/group_lists.h"
#include "critpath/groups/group_methods.h"

/* Write the groups as a block to send. */
static int put_groups(struct byte_array *block, const struct groups *groups, int level,
		      struct groups_moved *moved, struct error *err)
{
	TRY(block_put_groups(block, groups->list.items, groups->list.count, level, err));
	moved->groups += groups->list.count;
	moved->bytes += block->bytes.count;
	moved->record_bytes += groups->list.count * GROUP_RECORD_BYTES;
	return 0;
}

static int merge_block(struct groups *groups, const unsigned char *block, size_t bytes,
		       struct error *err)
{
	struct groups other = {0};
	int result = block_take_groups(&other, block, bytes, err);

	if (result == 0)
		result = group_lists_merge(groups, &other, err);
	groups_release(&other);
	return result;
}

/* Let every second process of those that are left send to the one `distance` before it. */
static int do_step(struct groups *groups, uint64_t distance, int level, uint64_t *sizes,
		   struct dist *dist, struct groups_moved *moved, struct error *err)
{
	const bool sends = dist->rank % (2 * distance) == distance && groups->list.count;
	struct byte_array block = {0};
	struct dist_arrived arrived;
	int result = 0;

	if (sends)
		result = put_groups(&block, groups, level, moved, err);
	result = dist_agree(dist, result, err);
	if (sends)
		sizes[dist->rank - distance] = block.bytes.count;
	if (result == 0)
		result = dist_alltoallv(dist, block.bytes.items, sizes, &arrived, err);
	array_release(&block.bytes);
	if (sends) {
		sizes[dist->rank - distance] = 0;
		groups_release(groups);
		*groups = (struct groups){0};
	}
	TRY(result);
	if (arrived.ends[dist->size - 1])
		result = merge_block(groups, arrived.bytes, arrived.ends[dist->size - 1], err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

int groups_gather(struct groups *groups, int level, struct dist *dist, struct groups_moved *moved,
		  struct error *err)
{
	uint64_t *sizes = NULL;
	int result = allocate(&sizes, dist->size, sizeof *sizes, err);

	result = dist_agree(dist, result, err);
	for (uint64_t distance = 1; result == 0 && distance < dist->size; distance *= 2)
		result = do_step(groups, distance, level, sizes, dist, moved, err);
	free(sizes);
	return result;
}

int groups_merge(struct groups *groups, const struct groups_lists *lists, int level,
		 struct dist *dist, struct groups_moved *moved, struct error *err)
{
	const int result = group_lists_find(groups, lists->ranks, lists->count, err);

	TRY(dist_agree(dist, result, err));
	return groups_gather(groups, level, dist, moved, err);
}
