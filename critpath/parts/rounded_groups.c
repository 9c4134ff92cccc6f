#include "critpath/parts/rounded_groups.h"

#include "critpath/parts/frame.h"
#include "critpath/parts/group_lists.h"
#include "critpath/parts/varint.h"

#include <stdlib.h>

void rounded_groups_release(struct rounded_groups *groups)
{
	array_release(&groups->list);
}

uint64_t rounded_groups_unit(const struct groups *groups)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < groups->list.count && unit != 1; i++) {
		const struct compute_group *group = &groups->list.items[i];

		unit = greatest_divisor(group->start_ns, unit);
		unit = greatest_divisor(group->end_ns, unit);
		unit = greatest_divisor(group->longest.start_ns, unit);
		unit = greatest_divisor(group->longest.end_ns, unit);
	}
	return unit;
}

/* All bits of the figures of a group. */
static void figures_of(const struct compute_group *group, uint64_t unit, uint64_t figures[FIGURES])
{
	figures[FIGURE_START] = ~(group->start_ns / unit);
	figures[FIGURE_END] = group->end_ns / unit - 1;
	figures[FIGURE_LONGEST] = (group->longest.end_ns - group->longest.start_ns) / unit;
}

/* An interval with its times divided by the unit. */
static struct compute_interval in_units(struct compute_interval interval, uint64_t unit)
{
	interval.start_ns /= unit;
	interval.end_ns /= unit;
	return interval;
}

uint64_t rounded_first(const struct rounded_group *group, unsigned bits)
{
	return (UINT64_MAX >> bits) - group->figures[FIGURE_START] + 1;
}

uint64_t rounded_end(const struct rounded_group *group)
{
	return group->figures[FIGURE_END] + 1;
}

int rounded_groups_make(struct rounded_groups *rounded, const struct groups *groups, uint64_t unit,
			unsigned bits, struct error *err)
{
	rounded->unit = unit ? unit : 1;
	TRY(array_reserve(&rounded->list, groups->list.count, err));
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct compute_group *group = &groups->list.items[i];

		rounded->list.items[rounded->list.count++] =
			(struct rounded_group){.intervals = group->intervals,
					       .longest = in_units(group->longest, rounded->unit),
					       .asked = (1 << FIGURES) - 1};
	}
	rounded_groups_know(rounded, groups, bits);
	return 0;
}

void rounded_groups_know(struct rounded_groups *rounded, const struct groups *groups, unsigned bits)
{
	for (size_t i = 0; i < rounded->list.count; i++) {
		struct rounded_group *group = &rounded->list.items[i];

		figures_of(&groups->list.items[i], rounded->unit, group->figures);
		for (int k = 0; k < FIGURES; k++)
			group->figures[k] >>= bits;
	}
}

/* ----------------------------------------------------------------------- merge */

/* Add the next group by start, then by end, which is joined to the last one if both compute at a time. */
static void add(struct rounded_groups *merged, struct rounded_group *group, unsigned bits)
{
	struct rounded_group *last = NULL;

	if (merged->list.count)
		last = &merged->list.items[merged->list.count - 1];
	if (!last || rounded_first(group, bits) >= rounded_end(last)) {
		merged->list.items[merged->list.count++] = *group;
	} else {
		last->intervals += group->intervals;
		for (int k = 0; k < FIGURES; k++)
			if (group->figures[k] > last->figures[k])
				last->figures[k] = group->figures[k];
	}
	group->into = merged->list.count - 1;
}

static bool is_before(const struct rounded_group *a, const struct rounded_group *b)
{
	if (a->figures[FIGURE_START] != b->figures[FIGURE_START])
		return a->figures[FIGURE_START] > b->figures[FIGURE_START];
	return a->figures[FIGURE_END] < b->figures[FIGURE_END];
}

int rounded_groups_merge(struct rounded_groups *merged, struct rounded_groups *a,
			 struct rounded_groups *b, unsigned bits, struct error *err)
{
	size_t i = 0, k = 0;

	merged->unit = a->unit;
	TRY(array_reserve(&merged->list, a->list.count + b->list.count, err));
	while (i < a->list.count || k < b->list.count)
		if (i == a->list.count ||
		    (k < b->list.count && is_before(&b->list.items[k], &a->list.items[i])))
			add(merged, &b->list.items[k++], bits);
		else
			add(merged, &a->list.items[i++], bits);
	return 0;
}

/* ---------------------------------------------------------------------- refine */

unsigned rounded_group_asked(const struct rounded_group *group, const struct rounded_groups *merged)
{
	const struct rounded_group *joint = &merged->list.items[group->into];
	unsigned asked = group->asked & joint->asked;

	for (int k = 0; k < FIGURES; k++)
		if (group->figures[k] != joint->figures[k])
			asked &= ~(1U << k);
	return asked;
}

void rounded_groups_ask(struct rounded_groups *list, const struct rounded_groups *merged)
{
	for (size_t i = 0; i < list->list.count; i++) {
		struct rounded_group *group = &list->list.items[i];

		group->asked = (unsigned char)rounded_group_asked(group, merged);
	}
}

/* Of equally long intervals the first counts. */
static bool is_longer(const struct rounded_group *a, const struct rounded_group *b)
{
	if (a->figures[FIGURE_LONGEST] != b->figures[FIGURE_LONGEST])
		return a->figures[FIGURE_LONGEST] > b->figures[FIGURE_LONGEST];
	return compute_interval_before(&a->longest, &b->longest);
}

static void take_largest(struct rounded_groups *merged, const struct rounded_groups *list)
{
	for (size_t i = 0; i < list->list.count; i++) {
		const struct rounded_group *group = &list->list.items[i];
		struct rounded_group *joint = &merged->list.items[group->into];

		if ((group->asked & 1 << FIGURE_LONGEST) && is_longer(group, joint))
			joint->longest = group->longest;
		for (int k = 0; k < FIGURES; k++)
			if ((group->asked & 1 << k) && group->figures[k] > joint->figures[k])
				joint->figures[k] = group->figures[k];
	}
}

void rounded_groups_refine(struct rounded_groups *merged, const struct rounded_groups *a,
			   const struct rounded_groups *b)
{
	for (size_t i = 0; i < merged->list.count; i++) {
		struct rounded_group *joint = &merged->list.items[i];

		/* Any interval comes before this one, and is longer. */
		joint->longest = (struct compute_interval){.start_ns = UINT64_MAX};
		for (int k = 0; k < FIGURES; k++)
			joint->figures[k] = 0;
	}
	take_largest(merged, a);
	take_largest(merged, b);
}

/* ------------------------------------------------------------------------- end */

static int compare_starts(const void *a, const void *b)
{
	const uint64_t first = ((const struct rounded_group *)a)->figures[FIGURE_START];
	const uint64_t second = ((const struct rounded_group *)b)->figures[FIGURE_START];

	return (first < second) - (first > second);
}

int rounded_groups_end(struct groups *groups, struct rounded_groups *rounded, struct error *err)
{
	const uint64_t unit = rounded->unit ? rounded->unit : 1;

	if (rounded->list.count)
		qsort(rounded->list.items, rounded->list.count, sizeof *rounded->list.items,
		      compare_starts);
	for (size_t i = 0; i < rounded->list.count; i++) {
		const struct rounded_group *group = &rounded->list.items[i];
		struct compute_group exact = {~group->figures[FIGURE_START],
					      group->figures[FIGURE_END] + 1, group->intervals,
					      group->longest};
		struct compute_interval *longest = &exact.longest;

		if (exact.start_ns > longest->start_ns || longest->start_ns >= longest->end_ns ||
		    longest->end_ns > exact.end_ns)
			return frame_damaged(err, "a longest interval is outside of its group");
		if (exact.end_ns > UINT64_MAX / unit)
			return frame_damaged(err, "a time is too large");
		exact.start_ns *= unit;
		exact.end_ns *= unit;
		longest->start_ns *= unit;
		longest->end_ns *= unit;
		TRY(group_lists_add(groups, &exact, err));
	}
	return 0;
}
