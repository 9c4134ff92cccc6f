#include "critpath/report/wait_rows.h"

#include "critpath/report/run_report.h"

struct ranking {
	const struct wait_items *items;
	enum wait_pattern pattern;
};

static report_weight value_of(const void *data, size_t number)
{
	const struct ranking *ranking = data;

	return wait_item_ns(&ranking->items->list.items[number], ranking->pattern);
}

static void keep_longest(struct wait_items *items, enum wait_pattern pattern)
{
	const struct ranking ranking = {items, pattern};
	size_t chosen[REPORT_MOST_ROWS];
	const size_t count = report_largest(items->list.count, value_of, &ranking, RUN_MOST_ROWS,
					    chosen);

	wait_items_choose(items, chosen, count);
}

int wait_rows_find(struct wait_items *items, const struct measured_run *run, bool longest,
		   enum wait_pattern pattern, struct dist *dist, struct error *err)
{
	if (longest)
		keep_longest(items, pattern);
	TRY(wait_items_find_sites(items, run, dist, err));
	return longest ? dist_gather_array(dist, &items->list, err) : 0;
}
