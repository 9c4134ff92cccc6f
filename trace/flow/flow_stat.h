/* Statistics of durations: count, sum, extremes, squares and a histogram by powers of two. */
#ifndef TRACE_FLOW_STAT_H
#define TRACE_FLOW_STAT_H

#include "trace/flow/flow.h"

/*
 * Number of the bucket of a duration of at most INT64_MAX: of its binary digits, at most the last
 * one.
 */
static inline unsigned flow_stat_bucket(uint64_t ns)
{
	const unsigned digits = 63 - (unsigned)__builtin_clzll(ns << 1 | 1);

	return digits < FLOW_BUCKETS ? digits : FLOW_BUCKETS - 1;
}

/* Add a duration of at most INT64_MAX ns, which a processor converts to double with less effort. */
static inline void flow_stat_add(struct flow_stat *stat, uint64_t ns)
{
	if (!stat->count || ns < stat->least)
		stat->least = ns;
	if (ns > stat->most)
		stat->most = ns;
	stat->count++;
	stat->sum += ns;
	stat->squares += (double)(int64_t)ns * (double)(int64_t)ns;
	stat->buckets[flow_stat_bucket(ns)]++;
}

/* Add all durations of another one. */
void flow_stat_merge(struct flow_stat *stat, const struct flow_stat *more);

int flow_stat_put(struct flow_bytes *bytes, const struct flow_stat *stat, struct error *err);
void flow_stat_get(struct flow_cursor *cursor, struct flow_stat *stat);

/* Mean duration, ns; 0 of none. */
static inline uint64_t flow_stat_mean(const struct flow_stat *stat)
{
	return stat->count ? stat->sum / stat->count : 0;
}

#endif
