/* Sums over all ranks of what their calls are and what they become. */
#ifndef SCHEDGEN_TOTALS_H
#define SCHEDGEN_TOTALS_H

#include "schedgen/convert/call_statistics.h"

#include <stdint.h>

/* What GOAL cannot say, over all ranks; sums of 64 bits. */
struct convert_rma_totals {
	uint64_t operations;		/* as origins */
	uint64_t lost_operations;	/* whose epoch the target has not recorded */
	uint64_t lost_syncs;		/* post, start, complete, wait without the other side */
	uint64_t exclusive_locks, exclusive_ns;	/* that others may hold; time of their calls */
};

/* All are sums of 64 bits. */
struct convert_totals {
	uint64_t run_ns;		/* sum of the run times of the ranks */
	uint64_t cancelled;		/* requests that were cancelled */
	uint64_t unfinished_receives;	/* posted, but never completed: left out */
	uint64_t unfinished_collectives;	/* likewise, of non-blocking collectives */
	uint64_t unknown_completions;	/* of requests whose start was not recorded */
	uint64_t guessed_collectives;	/* unequal blocks that the trace does not have */
	uint64_t skipped_collectives;	/* non-blocking, of a kind that is not modelled */
	struct convert_rma_totals rma;
};

/* What collectives have become by one algorithm, over all ranks. */
struct coll_count {
	uint64_t calls;			/* as rank 0 of their communicators sees them */
	uint64_t messages, bytes;	/* sent */
};

#endif
