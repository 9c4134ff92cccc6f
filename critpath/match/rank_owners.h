/* The processes that have the ranks of a run. */
#ifndef CRITPATH_RANK_OWNERS_H
#define CRITPATH_RANK_OWNERS_H

#include "dist/dist.h"
#include "trace/measured/measured_run.h"

struct rank_owners {
	uint64_t *first; /* [process]: its first rank */
	uint32_t processes;
};

/* Collective.  End with rank_owners_release. */
int rank_owners_find(struct rank_owners *map, const struct measured_run *run, struct dist *dist,
		     struct error *err);
void rank_owners_release(struct rank_owners *map);

/* Find the process of a rank of the run. */
uint32_t rank_owner(const struct rank_owners *map, uint32_t rank);

/*
 * Collective.  Give what each process has of its own ranks, in a list of all ranks with `bytes` for each, to
 * process 0.
 */
int gather_ranks(const struct measured_run *run, void *ranks, size_t bytes, struct dist *dist,
		 struct error *err);

#endif
