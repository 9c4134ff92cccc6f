#include "critpath/share/share_map.h"

int share_map_make(struct share_map *map, const struct measured_run *run, struct exchange *exchange,
		   struct error *err)
{
	int result;

	*map = (struct share_map){.processes = exchange->size};
	result = allocate(&map->first, exchange->size, sizeof *map->first, err);
	result = exchange_agree(exchange, result, err);
	if (result == 0) {
		map->first[exchange->rank] = run->own_first;
		result = exchange_reduce(exchange, map->first, exchange->size, EXCHANGE_SUM, err);
	}
	if (result < 0)
		share_map_release(map);
	return result;
}

void share_map_release(struct share_map *map)
{
	free(map->first);
	map->first = NULL;
}

uint32_t share_map_process(const struct share_map *map, uint32_t rank)
{
	uint32_t low = 0, high = map->processes;

	/* The last process that begins with the rank or before it: those before may have no rank. */
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (map->first[middle] <= rank)
			low = middle;
		else
			high = middle;
	}
	return low;
}
