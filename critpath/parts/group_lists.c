#include "critpath/parts/group_lists.h"

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

int group_lists_add(struct groups *list, const struct compute_group *group, struct error *err)
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

		result = group_lists_add(&merged,
					 from_other ? &other->list.items[k++]
						    : &list->list.items[i++],
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
