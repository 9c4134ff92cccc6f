/* Which ranks of MPI_COMM_WORLD are on the node of this rank. */
#ifndef PROFILER_PLACES_H
#define PROFILER_PLACES_H

#include "usage/log/cell.h"

#include <stdbool.h>
#include <stdint.h>

struct places {
	bool known;
	bool one_node;	/* all ranks are on this node */
	uint64_t *here; /* bits by rank: on this node; not if one_node */
};
extern struct places places __attribute__((visibility("hidden")));

/* Find the places by the marks of this node's ranks (profiler/attendance.h), when recording begins. */
void places_find(void);

/* Place of a message's other rank; of a collective (-1): on other nodes if at least one rank is. */
static inline uint8_t place_of(int peer)
{
	if (!places.known)
		return USAGE_ANYWHERE;
	if (places.one_node)
		return USAGE_SAME_NODE;
	return peer >= 0 && places.here[peer / 64] >> peer % 64 & 1 ? USAGE_SAME_NODE
								    : USAGE_OTHER_NODE;
}

#endif
