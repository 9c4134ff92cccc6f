#include "critpath/groups/cuts.h"

int cuts_begin(struct cuts *cuts, uint32_t parts, uint64_t intervals, uint64_t first_ns,
	       uint64_t last_ns, struct error *err)
{
	const uint32_t count = parts - 1;

	*cuts = (struct cuts){.parts = parts};
	if (allocate(&cuts->numbers, count, sizeof *cuts->numbers, err) < 0 ||
	    allocate(&cuts->low_ns, count, sizeof *cuts->low_ns, err) < 0 ||
	    allocate(&cuts->high_ns, count, sizeof *cuts->high_ns, err) < 0) {
		cuts_release(cuts);
		return -1;
	}
	for (uint32_t k = 0; k < count; k++) {
		/* (k + 1) * intervals / parts, which must not overflow. */
		cuts->numbers[k] = intervals / parts * (k + 1) +
				   intervals % parts * (k + 1) / parts;
		cuts->low_ns[k] = first_ns;
		cuts->high_ns[k] = last_ns;
	}
	return 0;
}

void cuts_release(struct cuts *cuts)
{
	free(cuts->numbers);
	free(cuts->low_ns);
	free(cuts->high_ns);
}

bool cuts_probe(const struct cuts *cuts, uint64_t *at_ns)
{
	bool open = false;

	for (uint32_t k = 0; k + 1 < cuts->parts; k++) {
		at_ns[k] = cuts->low_ns[k] + (cuts->high_ns[k] - cuts->low_ns[k]) / 2;
		open |= cuts->low_ns[k] < cuts->high_ns[k];
	}
	return open;
}

/* Count the intervals of a list that start before a time. */
static uint64_t count_before(const struct compute_intervals *list, uint64_t ns)
{
	size_t low = 0, high = list->list.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (list->list.items[middle].start_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t count_up_to(const struct compute_intervals *list, uint64_t ns)
{
	return ns == UINT64_MAX ? list->list.count : count_before(list, ns + 1);
}

void cuts_count(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		const uint64_t *at_ns, uint64_t *counts)
{
	for (uint32_t k = 0; k + 1 < cuts->parts; k++) {
		counts[k] = 0;
		for (uint32_t i = 0; i < list_count; i++)
			counts[k] += count_up_to(&lists[i], at_ns[k]);
	}
}

void cuts_learn(struct cuts *cuts, const uint64_t *counts)
{
	for (uint32_t k = 0; k + 1 < cuts->parts; k++) {
		const uint64_t at_ns = cuts->low_ns[k] + (cuts->high_ns[k] - cuts->low_ns[k]) / 2;

		if (counts[k] > cuts->numbers[k])
			cuts->high_ns[k] = at_ns;
		else if (cuts->low_ns[k] < cuts->high_ns[k])
			cuts->low_ns[k] = at_ns + 1;
	}
}

void cuts_below(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		uint64_t *below, uint64_t *equal)
{
	for (uint32_t k = 0; k + 1 < cuts->parts; k++) {
		below[k] = equal[k] = 0;
		for (uint32_t i = 0; i < list_count; i++) {
			const uint64_t before = count_before(&lists[i], cuts->low_ns[k]);

			below[k] += before;
			equal[k] += count_up_to(&lists[i], cuts->low_ns[k]) - before;
		}
	}
}

void cuts_place(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		const uint64_t *below, const uint64_t *equal_before, uint64_t *positions)
{
	const size_t width = (size_t)cuts->parts + 1;

	for (uint32_t i = 0; i < list_count; i++) {
		positions[i * width] = 0;
		positions[i * width + cuts->parts] = lists[i].list.count;
	}
	for (uint32_t k = 0; k + 1 < cuts->parts; k++) {
		/* Of those that start with the cut, this many belong before it. */
		const uint64_t wanted = cuts->numbers[k] - below[k];
		uint64_t left = wanted > equal_before[k] ? wanted - equal_before[k] : 0;

		for (uint32_t i = 0; i < list_count; i++) {
			const uint64_t before = count_before(&lists[i], cuts->low_ns[k]);
			const uint64_t equal = count_up_to(&lists[i], cuts->low_ns[k]) - before;
			const uint64_t taken = equal < left ? equal : left;

			positions[i * width + k + 1] = before + taken;
			left -= taken;
		}
	}
}
