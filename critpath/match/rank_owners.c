#include "critpath/match/rank_owners.h"

#include "common/ranges.h"

#include <string.h>

int rank_owners_find(struct rank_owners *map, const struct measured_run *run, struct dist *dist,
		     struct error *err)
{
	int result;

	*map = (struct rank_owners){.processes = dist->size};
	result = allocate(&map->first, dist->size, sizeof *map->first, err);
	result = dist_agree(dist, result, err);
	if (result == 0) {
		map->first[dist->rank] = run->own_first;
		result = dist_allreduce(dist, map->first, dist->size, DIST_SUM, err);
	}
	if (result < 0)
		rank_owners_release(map);
	return result;
}

void rank_owners_release(struct rank_owners *map)
{
	free(map->first);
	map->first = NULL;
}

uint32_t rank_owner(const struct rank_owners *map, uint32_t rank)
{
	return range_of(map->first, map->processes, rank);
}

int gather_ranks(const struct measured_run *run, void *ranks, size_t bytes, struct dist *dist,
		 struct error *err)
{
	struct dist_arrived arrived;
	uint64_t size;

	TRY(dist_gatherv(dist, (char *)ranks + run->own_first * bytes,
			 (run->own_end - run->own_first) * bytes, &arrived, err));
	size = arrived.ends[dist->size - 1];
	/* Ranks are in the order of the processes. */
	if (size)
		memcpy(ranks, arrived.bytes, size);
	dist_arrived_release(&arrived);
	return 0;
}
