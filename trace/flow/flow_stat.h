/* Statistics of durations: count, sum, extremes, squares and a histogram by powers of two. */
#ifndef TRACE_FLOW_STAT_H
#define TRACE_FLOW_STAT_H

#include "trace/flow/flow.h"

/* Add a duration, ns, or all durations of another one. */
void flow_stat_add(struct flow_stat *stat, uint64_t ns);
void flow_stat_merge(struct flow_stat *stat, const struct flow_stat *more);

int flow_stat_put(struct flow_bytes *bytes, const struct flow_stat *stat, struct error *err);
void flow_stat_get(struct flow_cursor *cursor, struct flow_stat *stat);

/* Mean duration, ns; 0 of none. */
static inline uint64_t flow_stat_mean(const struct flow_stat *stat)
{
	return stat->count ? stat->sum / stat->count : 0;
}

#endif
