#include "critpath/parts/sorted_lists.h"

#include "common/min_heap.h"

struct span {
	const struct compute_interval *next, *end;
};

struct merge {
	ARRAY(struct span) spans;
	struct min_heap starts; /* of the next interval of each span */
};

static int push_next(struct merge *merge, uint32_t number, struct error *err)
{
	const struct span *span = &merge->spans.items[number];

	return span->next == span->end
		       ? 0
		       : min_heap_push(&merge->starts, span->next->start_ns, number, err);
}

/* Merge the spans: of equal starts that of the first span comes first. */
static int group_spans(struct groups *groups, struct merge *merge, struct error *err)
{
	if (merge->spans.count > UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "too many runs of intervals");
	for (uint32_t i = 0; i < merge->spans.count; i++)
		TRY(push_next(merge, i, err));
	while (merge->starts.entries.count) {
		const uint32_t number = min_heap_pop(&merge->starts);

		TRY(groups_add(groups, merge->spans.items[number].next++, err));
		TRY(push_next(merge, number, err));
	}
	return 0;
}

static void release(struct merge *merge)
{
	array_release(&merge->spans);
	min_heap_release(&merge->starts);
}

static int add_lists(struct merge *merge, const struct compute_intervals *lists,
		     uint32_t list_count, struct error *err)
{
	for (uint32_t i = 0; i < list_count; i++)
		if (lists[i].list.count)
			TRY(array_push(&merge->spans,
				       ((struct span){lists[i].list.items,
						      lists[i].list.items + lists[i].list.count}),
				       err));
	return 0;
}

int sorted_lists_group(struct groups *groups, const struct compute_intervals *lists,
		       uint32_t list_count, struct error *err)
{
	struct merge merge = {0};
	int result = add_lists(&merge, lists, list_count, err);

	if (result == 0)
		result = group_spans(groups, &merge, err);
	release(&merge);
	return result;
}

static int add_runs(struct merge *merge, const struct compute_intervals *runs, struct error *err)
{
	const struct compute_interval *items = runs->list.items;
	size_t begin = 0;

	for (size_t i = 1; i <= runs->list.count; i++) {
		if (i < runs->list.count && items[i].rank == items[begin].rank &&
		    !compute_interval_before(&items[i], &items[i - 1]))
			continue;
		TRY(array_push(&merge->spans, ((struct span){items + begin, items + i}), err));
		begin = i;
	}
	return 0;
}

int sorted_runs_group(struct groups *groups, const struct compute_intervals *runs,
		      struct error *err)
{
	struct merge merge = {0};
	int result = add_runs(&merge, runs, err);

	if (result == 0)
		result = group_spans(groups, &merge, err);
	release(&merge);
	return result;
}
