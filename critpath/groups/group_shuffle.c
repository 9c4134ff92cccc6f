/* Cut intervals into parts of equal counts, of which each process groups one: critpath/groups/group_methods.h. */
#include "critpath/groups/cuts.h"
#include "critpath/groups/group_blocks.h"
#include "critpath/groups/group_lists.h"
#include "critpath/groups/group_methods.h"

struct shuffle {
	const struct compute_intervals *lists; /* of own ranks */
	uint32_t list_count;
	struct dist *dist;
	struct groups_moved *moved;
	int level;
	struct cuts cuts;
	uint64_t all;		       /* intervals of all processes */
	uint64_t *positions;	       /* [list][process], see cuts_place */
	uint64_t *sizes;	       /* [process]: bytes to send */
	struct byte_array blocks;      /* to send */
	struct compute_intervals part; /* of this process */
	struct error *err;
};

/* Sum of each of the values of the processes before this one. */
static int sums_before(struct dist *dist, uint64_t *values, size_t count, struct error *err)
{
	uint64_t *all = NULL;
	int result = allocate(&all, dist->size * count, sizeof *all, err);

	result = dist_agree(dist, result, err);
	for (size_t k = 0; result == 0 && k < count; k++)
		all[dist->rank * count + k] = values[k];
	if (result == 0)
		result = dist_allreduce(dist, all, dist->size * count, DIST_SUM, err);
	for (size_t k = 0; result == 0 && k < count; k++) {
		values[k] = 0;
		for (uint32_t p = 0; p < dist->rank; p++)
			values[k] += all[p * count + k];
	}
	free(all);
	return result;
}

/* ------------------------------------------------------------------------ cuts */

/* Count all intervals, and begin with cuts between the first and the last start. */
static int begin_cuts(struct shuffle *shuffle)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (uint32_t i = 0; i < shuffle->list_count; i++) {
		const struct compute_intervals *list = &shuffle->lists[i];

		if (!list->list.count)
			continue;
		shuffle->all += list->list.count;
		if (list->list.items[0].start_ns < first_ns)
			first_ns = list->list.items[0].start_ns;
		if (list->list.items[list->list.count - 1].start_ns > last_ns)
			last_ns = list->list.items[list->list.count - 1].start_ns;
	}
	TRY(dist_allreduce(shuffle->dist, &shuffle->all, 1, DIST_SUM, shuffle->err));
	TRY(dist_allreduce(shuffle->dist, &first_ns, 1, DIST_MIN, shuffle->err));
	TRY(dist_allreduce(shuffle->dist, &last_ns, 1, DIST_MAX, shuffle->err));
	return dist_agree(shuffle->dist,
			  cuts_begin(&shuffle->cuts, shuffle->dist->size, shuffle->all, first_ns,
				     last_ns, shuffle->err),
			  shuffle->err);
}

/* Find the cuts, by two arrays of a value for each. */
static int find_cuts(struct shuffle *shuffle, uint64_t *values, uint64_t *equal)
{
	struct cuts *cuts = &shuffle->cuts;
	const uint32_t count = cuts->parts - 1;

	while (cuts_probe(cuts, values)) {
		cuts_count(cuts, shuffle->lists, shuffle->list_count, values, equal);
		TRY(dist_allreduce(shuffle->dist, equal, count, DIST_SUM, shuffle->err));
		cuts_learn(cuts, equal);
	}
	cuts_below(cuts, shuffle->lists, shuffle->list_count, values, equal);
	TRY(dist_allreduce(shuffle->dist, values, count, DIST_SUM, shuffle->err));
	TRY(sums_before(shuffle->dist, equal, count, shuffle->err));
	cuts_place(cuts, shuffle->lists, shuffle->list_count, values, equal, shuffle->positions);
	return 0;
}

static int cut(struct shuffle *shuffle)
{
	const uint32_t parts = shuffle->dist->size;
	uint64_t *values = NULL, *equal = NULL;
	int result;

	TRY(begin_cuts(shuffle));
	result = allocate(&values, parts, sizeof *values, shuffle->err);
	if (result == 0)
		result = allocate(&equal, parts, sizeof *equal, shuffle->err);
	if (result == 0)
		result = allocate(&shuffle->positions,
				  (size_t)shuffle->list_count * ((size_t)parts + 1),
				  sizeof *shuffle->positions, shuffle->err);
	result = dist_agree(shuffle->dist, result, shuffle->err);
	if (result == 0)
		result = find_cuts(shuffle, values, equal);
	free(values);
	free(equal);
	return result;
}

/* -------------------------------------------------------------------- transfer */

/* Add what the own lists have in the part of a process, list by list. */
static int add_part(struct shuffle *shuffle, uint32_t process, struct compute_intervals *part)
{
	const size_t width = (size_t)shuffle->dist->size + 1;

	for (uint32_t i = 0; i < shuffle->list_count; i++) {
		const uint64_t *position = &shuffle->positions[i * width + process];

		TRY(array_reserve(&part->list, position[1] - position[0], shuffle->err));
		for (uint64_t k = position[0]; k < position[1]; k++)
			part->list.items[part->list.count++] = shuffle->lists[i].list.items[k];
	}
	return 0;
}

/* Make the blocks for all other processes; those without an interval get none. */
static int encode_parts(struct shuffle *shuffle)
{
	struct compute_intervals part = {0};
	int result = allocate(&shuffle->sizes, shuffle->dist->size, sizeof *shuffle->sizes,
			      shuffle->err);

	for (uint32_t p = 0; result == 0 && p < shuffle->dist->size; p++) {
		const size_t before = shuffle->blocks.bytes.count;

		part.list.count = 0;
		if (p == shuffle->dist->rank)
			continue;
		result = add_part(shuffle, p, &part);
		if (result == 0 && part.list.count)
			result = block_put_intervals(&shuffle->blocks, part.list.items,
						     part.list.count, shuffle->level, shuffle->err);
		shuffle->sizes[p] = shuffle->blocks.bytes.count - before;
		shuffle->moved->intervals += part.list.count;
		shuffle->moved->record_bytes += part.list.count * INTERVAL_RECORD_BYTES;
	}
	shuffle->moved->bytes += shuffle->blocks.bytes.count;
	compute_intervals_release(&part);
	return result;
}

/* Put together what has arrived and the own intervals, in the order of the processes. */
static int collect_part(struct shuffle *shuffle, const struct dist_arrived *arrived)
{
	uint64_t at = 0;

	for (uint32_t p = 0; p < shuffle->dist->size; p++) {
		if (p == shuffle->dist->rank)
			TRY(add_part(shuffle, p, &shuffle->part));
		else if (arrived->ends[p] > at)
			TRY(block_take_intervals(&shuffle->part, arrived->bytes + at,
						 arrived->ends[p] - at, shuffle->err));
		at = arrived->ends[p];
	}
	return 0;
}

static int transfer(struct shuffle *shuffle)
{
	struct dist_arrived arrived;
	int result = dist_agree(shuffle->dist, encode_parts(shuffle), shuffle->err);

	TRY(result);
	TRY(dist_alltoallv(shuffle->dist, shuffle->blocks.bytes.items, shuffle->sizes, &arrived,
			   shuffle->err));
	array_release(&shuffle->blocks.bytes);
	result = collect_part(shuffle, &arrived);
	dist_arrived_release(&arrived);
	return dist_agree(shuffle->dist, result, shuffle->err);
}

/* ---------------------------------------------------------------------- groups */

/* Group the part of this process. */
static int group_part(struct shuffle *shuffle, struct groups *groups)
{
	struct compute_intervals *part = &shuffle->part;

	compute_intervals_sort(part, 0);
	for (size_t i = 0; i < part->list.count; i++)
		TRY(group_lists_add_interval(groups, &part->list.items[i], shuffle->err));
	compute_intervals_release(part);
	return 0;
}

int groups_shuffle(struct groups *groups, const struct groups_lists *lists, int level,
		   struct dist *dist, struct groups_moved *moved, struct error *err)
{
	struct shuffle shuffle = {
		.lists = lists->ranks,
		.list_count = lists->count,
		.dist = dist,
		.moved = moved,
		.level = level,
		.err = err,
	};
	int result;

	result = cut(&shuffle);
	if (result == 0)
		result = transfer(&shuffle);
	if (result == 0)
		result = dist_agree(dist, group_part(&shuffle, groups), err);
	if (result == 0)
		result = groups_gather(groups, level, dist, moved, err);
	cuts_release(&shuffle.cuts);
	free(shuffle.positions);
	free(shuffle.sizes);
	array_release(&shuffle.blocks.bytes);
	compute_intervals_release(&shuffle.part);
	return result;
}
