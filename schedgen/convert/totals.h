/* Sums over all ranks: calls, and collectives that they become. */
#ifndef SCHEDGEN_TOTALS_H
#define SCHEDGEN_TOTALS_H

#include "schedgen/convert/call_statistics.h"

#include <stdint.h>

/* One-sided communication that GOAL cannot express; sums of 64 bits. */
struct convert_rma_totals {
	uint64_t operations;		/* as origins */
	uint64_t lost_operations;	/* without an epoch recorded by the target */
	uint64_t lost_syncs;		/* post, start, complete, wait without counterpart */
	uint64_t exclusive_locks, exclusive_ns;	/* exclusive locks; time of their calls */
};

/* All are sums of 64 bits. */
struct convert_totals {
	uint64_t run_ns;		/* sum of the run times of the ranks */
	uint64_t cancelled;		/* requests that were cancelled */
	uint64_t unfinished_receives;	/* posted, but never completed: left out */
	uint64_t unfinished_collectives;	/* non-blocking, never completed: left out */
	uint64_t unknown_completions;	/* of requests without recorded start */
	uint64_t guessed_collectives;	/* with unequal blocks whose sizes the trace lacks */
	uint64_t deferred;		/* messages (schedgen/convert/deferred.h), at their senders */
	uint64_t skipped_collectives;	/* non-blocking, of a kind that is not modelled */
	struct convert_rma_totals rma;
};

/* Collectives by one algorithm, over all ranks. */
struct coll_count {
	uint64_t calls;			/* counted on rank 0 of their communicators */
	uint64_t messages, bytes;	/* sent */
};

#endif
