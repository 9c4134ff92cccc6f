/* Logs that nodes of one job left, made one log. */
#ifndef USAGE_INDEX_MERGE_H
#define USAGE_INDEX_MERGE_H

#include "usage/log/job_log.h"

/* Whether a log lacks ranks of its job. */
static inline bool log_is_partial(const struct job_log *log)
{
	return log->ranks_seen > 0 && log->ranks_seen < log->ranks;
}

/*
 * Merge `count` logs, at least one, of different ranks of one job.  Of two logs that have a rank
 * in common the one with more ranks counts, then the one with the longer runtime, then the one
 * that comes first.
 *
 * Sums, mean and deviation are exact.  Roles are those among the ranks in the logs, so the average
 * rank is the nearest to the mean of those that were nearest on their nodes.  Quantiles are exact
 * if no log has more than 17 ranks; else times between the quantiles of a log are taken to lie on
 * a line.  start: the earliest; runtime: the longest.
 *
 * What `merged` has is its own.  The parts stay as they are, but in another order.
 */
int logs_merge(struct job_log *merged, struct job_log *parts, size_t count, struct error *err);

#endif
