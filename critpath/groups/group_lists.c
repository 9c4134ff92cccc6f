#include "critpath/groups/group_lists.h"

#include "common/min_heap.h"

/* ---------------------------------------------------------------------- groups */

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
static int group_lists_add(struct groups *list, const struct compute_group *group, struct error *err)
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

int group_lists_add_interval(struct groups *list, const struct compute_interval *interval,
			     struct error *err)
{
	const struct compute_group group = {interval->start_ns, interval->end_ns, 1, *interval};

	return group_lists_add(list, &group, err);
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

/* ------------------------------------------------------------------- intervals */

struct merge {
	const struct compute_intervals *lists;
	size_t *next;		/* [list]: first interval that is not merged yet */
	struct min_heap starts; /* of the next interval of each list */
};

/* Put the next interval of a list into the heap, which orders equal starts by the list. */
static int push_next(struct merge *merge, uint32_t number, struct error *err)
{
	const struct compute_intervals *list = &merge->lists[number];

	if (merge->next[number] == list->list.count)
		return 0;
	return min_heap_push(&merge->starts, list->list.items[merge->next[number]].start_ns, number,
			     err);
}

static int merge_lists(struct groups *groups, struct merge *merge, uint32_t list_count,
		       struct error *err)
{
	TRY(allocate(&merge->next, list_count, sizeof *merge->next, err));
	for (uint32_t i = 0; i < list_count; i++)
		TRY(push_next(merge, i, err));
	while (merge->starts.entries.count) {
		const uint32_t number = min_heap_pop(&merge->starts);
		const size_t next = merge->next[number]++;

		TRY(group_lists_add_interval(groups, &merge->lists[number].list.items[next], err));
		TRY(push_next(merge, number, err));
	}
	return 0;
}

int group_lists_find(struct groups *groups, const struct compute_intervals *lists,
		     uint32_t list_count, struct error *err)
{
	struct merge merge = {.lists = lists};
	const int result = merge_lists(groups, &merge, list_count, err);

	free(merge.next);
	min_heap_release(&merge.starts);
	return result;
}

void groups_release(struct groups *groups)
{
	array_release(&groups->list);
}
