/* What ranks tell each other when recording begins: which are on the node of this rank, and what the run is called. */
#ifndef PROFILER_PLACES_H
#define PROFILER_PLACES_H

#include "common/error.h"
#include "usage/log/cell.h"

#include <stdbool.h>
#include <stdint.h>

struct places {
	bool known;
	bool one_node;	 /* all ranks are on this node */
	uint32_t nodes;	 /* 0: not known */
	uint64_t *here;	 /* bits by rank: on this node */
	uint64_t *hosts; /* rank 0: numbers of the hosts of all ranks, sorted */
};
extern struct places places __attribute__((visibility("hidden")));

/* Name of a run: when it began, and the id of a process of it. */
struct run_name {
	uint64_t unix_ns;
	int64_t process;
};

/*
 * Collective, of all ranks of process.comm.  Ask for their hosts and names, and wait for the answer: *name becomes that
 * of rank 0.  Other work between the two saves a wait.
 */
int places_ask(const struct run_name *name, struct error *err);
void places_find(struct run_name *name);

/* Whether this rank is the first one on its node. */
bool places_first(void);

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
