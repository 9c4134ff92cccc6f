/* Which process has which ranks. */
#ifndef CRITPATH_SHARE_MAP_H
#define CRITPATH_SHARE_MAP_H

#include "dist/dist.h"
#include "trace/measured_run.h"

struct share_map {
	uint64_t *first; /* [process]: its first rank */
	uint32_t processes;
};

/* Collective.  End with share_map_release. */
int share_map_make(struct share_map *map, const struct measured_run *run, struct dist *dist,
		   struct error *err);
void share_map_release(struct share_map *map);

/* Find the process of a rank of the run. */
uint32_t share_map_process(const struct share_map *map, uint32_t rank);

#endif
