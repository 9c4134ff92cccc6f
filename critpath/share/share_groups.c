#include "critpath/share/share_groups_parts.h"

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
