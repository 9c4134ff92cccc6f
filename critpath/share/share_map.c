#include "critpath/share/share_map.h"

int share_map_make(struct share_map *map, const struct measured_run *run, struct dist *dist,
		   struct error *err)
{
	int result;

	*map = (struct share_map){.processes = dist->size};
	result = allocate(&map->first, dist->size, sizeof *map->first, err);
	result = dist_agree(dist, result, err);
	if (result == 0) {
		map->first[dist->rank] = run->own_first;
		result = dist_allreduce(dist, map->first, dist->size, DIST_SUM, err);
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
