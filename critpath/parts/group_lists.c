#include "critpath/parts/group_lists.h"

#include "critpath/parts/frame.h"

/* ----------------------------------------------------------------------- merge */

static uint64_t length_of(const struct compute_interval *interval)
{
	return interval->end_ns - interval->start_ns;
}

static void join(struct compute_group *group, const struct compute_group *other)
{
	const uint64_t ns = length_of(&group->longest), other_ns = length_of(&other->longest);

	if (other_ns > ns ||
	    (other_ns == ns && compute_interval_before(&other->longest, &group->longest)))
		group->longest = other->longest;
	if (other->start_ns < group->start_ns)
		group->start_ns = other->start_ns;
	if (other->end_ns > group->end_ns)
		group->end_ns = other->end_ns;
	group->intervals += other->intervals;
}

/* Add the next group in order of starts; touching is not overlapping. */
static int add(struct groups *list, const struct compute_group *group, struct error *err)
{
	struct compute_group *last = NULL;

	list->intervals += group->intervals;
	if (list->list.count)
		last = &list->list.items[list->list.count - 1];
	if (!last || group->start_ns >= last->end_ns) {
		list->longest_ns += length_of(&group->longest);
		return array_push(&list->list, *group, err);
	}
	list->longest_ns -= length_of(&last->longest);
	join(last, group);
	list->longest_ns += length_of(&last->longest);
	return 0;
}

int group_lists_merge(struct groups *list, const struct groups *other, struct error *err)
{
	struct groups merged = {0};
	size_t i = 0, k = 0;
	int result = 0;

	while (result == 0 && (i < list->list.count || k < other->list.count)) {
		const bool from_other = i == list->list.count ||
					(k < other->list.count &&
					 other->list.items[k].start_ns <
						 list->list.items[i].start_ns);

		result = add(&merged, from_other ? &other->list.items[k++] : &list->list.items[i++],
			     err);
	}
	groups_release(result == 0 ? list : &merged);
	if (result == 0)
		*list = merged;
	return result;
}

void group_lists_continue(struct groups *list, uint64_t open_ns)
{
	size_t joined = 0, count = list->list.count;
	struct compute_group *groups = list->list.items;

	while (joined < count && groups[joined].start_ns < open_ns) {
		if (groups[joined].end_ns > open_ns)
			open_ns = groups[joined].end_ns;
		if (joined)
			join(&groups[0], &groups[joined]);
		joined++;
	}
	if (joined < 2)
		return;
	for (size_t i = joined; i < count; i++)
		groups[i - joined + 1] = groups[i];
	list->list.count = count - joined + 1;
	list->longest_ns = 0;
	for (size_t i = 0; i < list->list.count; i++)
		list->longest_ns += length_of(&groups[i].longest);
}

/* ---------------------------------------------------------------------- encode */

static void put_numbers(struct byte_array *raw, const struct compute_group *list, size_t count)
{
	uint64_t before_ns = 0;
	uint32_t rank = 0;

	for (size_t i = 0; i < count; i++) {
		varint_put(raw, list[i].start_ns - before_ns);
		before_ns = list[i].end_ns;
	}
	for (size_t i = 0; i < count; i++)
		varint_put(raw, list[i].end_ns - list[i].start_ns);
	for (size_t i = 0; i < count; i++)
		varint_put(raw, list[i].intervals);
	for (size_t i = 0; i < count; i++) {
		varint_put(raw, zigzag((uint64_t)list[i].longest.rank - rank));
		rank = list[i].longest.rank;
	}
	for (size_t i = 0; i < count; i++)
		varint_put(raw, list[i].longest.thread);
	for (size_t i = 0; i < count; i++)
		if (list[i].intervals > 1)
			varint_put(raw, list[i].longest.start_ns - list[i].start_ns);
	for (size_t i = 0; i < count; i++)
		if (list[i].intervals > 1)
			varint_put(raw, list[i].end_ns - list[i].longest.end_ns);
}

enum { NUMBERS_OF_GROUP = 7 };

int group_lists_encode(struct byte_array *block, const struct compute_group *list, size_t count,
		       int level, struct error *err)
{
	struct byte_array raw = {0};
	int result = -1;

	TRY(array_reserve(&block->bytes, VARINT_BYTES, err));
	varint_put(block, count);
	if (array_reserve(&raw.bytes, NUMBERS_OF_GROUP * VARINT_BYTES * count + 1, err) == 0) {
		put_numbers(&raw, list, count);
		result = frame_put(block, &raw, level, err);
	}
	array_release(&raw.bytes);
	return result;
}

/* ---------------------------------------------------------------------- decode */

/* Take the extents: start, end and number of intervals. */
static int take_extents(struct varint_reader *columns, struct compute_group *list, size_t count,
			struct error *err)
{
	uint64_t before_ns = 0, number;

	for (size_t i = 0; i < count; i++)
		if (!varint_take(columns, &list[i].start_ns))
			return frame_damaged(err, "starts are cut off");
	for (size_t i = 0; i < count; i++) {
		if (!varint_take(columns, &number) || number == 0)
			return frame_damaged(err, "lengths are cut off, or 0");
		if (list[i].start_ns > UINT64_MAX - before_ns ||
		    number > UINT64_MAX - before_ns - list[i].start_ns)
			return frame_damaged(err, "a time is too large");
		list[i].start_ns += before_ns;
		before_ns = list[i].end_ns = list[i].start_ns + number;
	}
	for (size_t i = 0; i < count; i++)
		if (!varint_take(columns, &list[i].intervals) || list[i].intervals == 0)
			return frame_damaged(err, "a group has no intervals");
	return 0;
}

static int take_ranks(struct varint_reader *columns, struct compute_group *list, size_t count,
		      struct error *err)
{
	uint64_t rank = 0, number;

	for (size_t i = 0; i < count; i++) {
		if (!varint_take(columns, &number))
			return frame_damaged(err, "ranks are cut off");
		rank += unzigzag(number);
		if (rank > UINT32_MAX)
			return frame_damaged(err, "a rank is too large");
		list[i].longest.rank = (uint32_t)rank;
	}
	for (size_t i = 0; i < count; i++) {
		if (!varint_take(columns, &number) || number > UINT32_MAX)
			return frame_damaged(err, "threads are cut off, or too large");
		list[i].longest.thread = (uint32_t)number;
	}
	return 0;
}

/* Take the times of the longest intervals, within their groups. */
static int take_longest(struct varint_reader *columns, struct compute_group *list, size_t count,
			struct error *err)
{
	uint64_t before_ns, after_ns;

	for (size_t i = 0; i < count; i++) {
		before_ns = 0;
		if (list[i].intervals > 1 && !varint_take(columns, &before_ns))
			return frame_damaged(err, "longest intervals are cut off");
		if (before_ns >= list[i].end_ns - list[i].start_ns)
			return frame_damaged(err, "a longest interval is outside of its group");
		list[i].longest.start_ns = list[i].start_ns + before_ns;
	}
	for (size_t i = 0; i < count; i++) {
		after_ns = 0;
		if (list[i].intervals > 1 && !varint_take(columns, &after_ns))
			return frame_damaged(err, "longest intervals are cut off");
		if (after_ns >= list[i].end_ns - list[i].longest.start_ns)
			return frame_damaged(err, "a longest interval is empty");
		list[i].longest.end_ns = list[i].end_ns - after_ns;
	}
	return columns->at == columns->end ? 0 : frame_damaged(err, "bytes after the last group");
}

/* Add groups that have been taken; they may touch those that are there. */
static int take_groups(struct groups *list, const struct compute_group *groups, size_t count,
		       struct error *err)
{
	if (count && list->list.count &&
	    groups[0].start_ns < list->list.items[list->list.count - 1].end_ns)
		return frame_damaged(err, "it begins before the last group ends");
	for (size_t i = 0; i < count; i++)
		TRY(add(list, &groups[i], err));
	return 0;
}

int group_lists_decode(struct groups *list, const unsigned char *block, size_t bytes, size_t most,
		       struct error *err)
{
	struct varint_reader rest = {block, block + bytes}, columns;
	struct compute_group *groups = NULL;
	unsigned char *raw = NULL;
	uint64_t count;
	int result;

	if (!varint_take(&rest, &count) || count > most)
		return frame_damaged(err, "it has no number of groups, or too many");
	result = frame_take(&raw, &columns, &rest, NUMBERS_OF_GROUP * VARINT_BYTES * count, err);
	if (result == 0)
		result = allocate(&groups, (size_t)count, sizeof *groups, err);
	if (result == 0)
		result = take_extents(&columns, groups, (size_t)count, err);
	if (result == 0)
		result = take_ranks(&columns, groups, (size_t)count, err);
	if (result == 0)
		result = take_longest(&columns, groups, (size_t)count, err);
	if (result == 0)
		result = take_groups(list, groups, (size_t)count, err);
	free(groups);
	free(raw);
	return result;
}
