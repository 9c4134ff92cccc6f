/*
 * The end of a job: what all ranks have counted comes together on rank 0.
 *
 * Ranks form a binomial tree.  Going up, each adds the cells and the times of its subtree to its own, so
 * that rank 0 has those of all.  It finds the ranks with a role; going down, all learn which these are, and these
 * send what they have to rank 0.  That is 2 log2 P + 1 messages deep.  Rank 0 needs 16 bytes a rank for the moment.
 * Of few ranks all send what they have, without the way down.
 *
 * A rank that does not come within the budget of time is not waited for, and its subtree is missing.  A rank
 * waits the longer, the higher its subtree is, so that late leaves do not take others with them.
 */
#ifndef PROFILER_REDUCE_H
#define PROFILER_REDUCE_H

#include "usage/log/job_ranks.h"

/* What this rank has. */
struct reduce_own {
	const struct usage_table *table; /* of all threads, in ns */
	uint64_t counters[JOB_COUNTER_END];
	uint32_t threads;
	bool excluded; /* it takes part, but counts nothing and is in no log */
};

/*
 * Collective over process.comm.  On rank 0, fill what `log` says of ranks: cells, times, ranks_seen, threads,
 * overflow, and rank_list with the ranks that have a role (`all`: all ranks).  ranks_seen is 0 if all are
 * excluded.  *whole: no rank is missing.
 */
int reduce_to_log(struct job_log *log, const struct reduce_own *own, bool all, uint64_t budget_ns,
		  bool *whole, struct error *err);

/* Collective.  Tell all ranks what rank 0 says, within the budget of time; false to those that it does not reach. */
bool reduce_tell(bool said, uint64_t budget_ns);

#endif
