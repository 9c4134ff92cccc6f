#include "critpath/causes/cause_rows.h"

int cause_rows_get(struct cause_rows *rows, struct cause_key key, struct cause_row **row,
		   struct error *err)
{
	uint32_t place = number_map_get(&rows->places, key.second, key.first);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)rows->list.count;
		TRY(array_push(&rows->list, (struct cause_row){.key = key}, err));
		TRY(number_map_add(&rows->places, key.second, key.first, place, err));
	}
	*row = &rows->list.items[place];
	return 0;
}

void cause_row_count_victim(struct cause_row *row, uint32_t rank)
{
	row->victims += row->last_victim != rank + 1;
	row->last_victim = rank + 1;
}

/* ---------------------------------------------------------------------- gather */

static void cause_row_add(struct cause_row *row, const struct cause_row *part)
{
	row->cost_as += part->cost_as;
	row->direct_as += part->direct_as;
	row->weighted_ns += part->weighted_ns;
	row->time_ns += part->time_ns;
	row->path_ns += part->path_ns;
	row->victims += part->victims;
	row->waits += part->waits;
	row->propagating_ns += part->propagating_ns;
}

/* Add up the rows of all processes, in their order. */
static int join_rows(struct cause_rows *rows, struct error *err)
{
	struct cause_rows joined = {0};
	struct cause_row *row;
	int result = 0;

	for (size_t i = 0; result == 0 && i < rows->list.count; i++) {
		result = cause_rows_get(&joined, rows->list.items[i].key, &row, err);
		if (result == 0)
			cause_row_add(row, &rows->list.items[i]);
	}
	cause_rows_release(rows);
	*rows = joined;
	return result;
}

int cause_rows_gather(struct cause_rows *rows, struct dist *dist, struct error *err)
{
	int result = 0;

	if (dist->size == 1)
		return 0;
	TRY(dist_gather_array(dist, &rows->list, err));
	if (dist->rank == 0)
		result = join_rows(rows, err);
	return dist_agree(dist, result, err);
}

/* ------------------------------------------------------------------------ sort */

static int compare_keys(const void *a, const void *b)
{
	const struct cause_key x = ((const struct cause_row *)a)->key;
	const struct cause_key y = ((const struct cause_row *)b)->key;

	if (x.first != y.first)
		return x.first < y.first ? -1 : 1;
	return x.second < y.second ? -1 : x.second > y.second;
}

static int compare_costs(const void *a, const void *b)
{
	const __int128 x = ((const struct cause_row *)a)->cost_as;
	const __int128 y = ((const struct cause_row *)b)->cost_as;

	return x != y ? (x > y ? -1 : 1) : compare_keys(a, b);
}

void cause_rows_sort(struct cause_rows *rows, bool by_key)
{
	number_map_clear(&rows->places);
	if (rows->list.count)
		qsort(rows->list.items, rows->list.count, sizeof *rows->list.items,
		      by_key ? compare_keys : compare_costs);
}

void cause_rows_release(struct cause_rows *rows)
{
	array_release(&rows->list);
	number_map_release(&rows->places);
}
