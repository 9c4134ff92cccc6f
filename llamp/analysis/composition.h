/*
 * What a critical path is made of: its time by category and rank, and the messages with which it
 * passes from rank to rank.
 */
#ifndef LLAMP_COMPOSITION_H
#define LLAMP_COMPOSITION_H

#include "llamp/analysis/critical_path.h"

/* Time of the path on one rank. */
struct path_rank {
	uint32_t rank;
	int128 as[CATEGORY_COUNT], all_as;
};

/* Messages of the path from one rank to another. */
struct rank_switch {
	uint32_t from, to;
	uint64_t messages;
	uint64_t lambda;	/* latencies */
	uint64_t lambda_G;	/* bytes */
	int128 transfer_as;	/* latency and bandwidth */
};

struct composition {
	int128 runtime_as;			/* T, the sum of all categories */
	int128 as[CATEGORY_COUNT];
	ARRAY(struct path_rank) ranks;		/* with time on the path, longest first */
	ARRAY(struct rank_switch) rank_switches; /* by latencies, then by time, most first */
};

/* Sum the segments and messages of a path.  On failure there is nothing to release. */
int composition_find(struct composition *composition, const struct critical_path *path,
		     uint32_t rank_count, struct error *err);
void composition_release(struct composition *composition);

#endif
