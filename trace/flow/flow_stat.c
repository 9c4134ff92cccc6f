#include "trace/flow/flow_stat.h"

#include <string.h>

void flow_stat_merge(struct flow_stat *stat, const struct flow_stat *more)
{
	if (!more->count)
		return;
	if (!stat->count || more->least < stat->least)
		stat->least = more->least;
	if (more->most > stat->most)
		stat->most = more->most;
	stat->count += more->count;
	stat->sum += more->sum;
	stat->squares += more->squares;
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		stat->buckets[i] += more->buckets[i];
}

int flow_stat_put(struct flow_bytes *bytes, const struct flow_stat *stat, struct error *err)
{
	uint32_t used = 0;

	TRY(flow_put(bytes, stat->count, err));
	if (!stat->count)
		return 0;
	TRY(flow_put(bytes, stat->sum, err));
	TRY(flow_put(bytes, stat->least, err));
	TRY(flow_put(bytes, stat->most - stat->least, err));
	TRY(flow_put_bytes(bytes, &stat->squares, sizeof stat->squares, err));
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		used |= (uint32_t)(stat->buckets[i] > 0) << i;
	TRY(flow_put(bytes, used, err));
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		if (stat->buckets[i])
			TRY(flow_put(bytes, stat->buckets[i], err));
	return 0;
}

void flow_stat_get(struct flow_cursor *cursor, struct flow_stat *stat)
{
	const uint8_t *squares;
	uint64_t used;

	*stat = (struct flow_stat){.count = flow_get(cursor)};
	if (!stat->count)
		return;
	stat->sum = flow_get(cursor);
	stat->least = flow_get(cursor);
	stat->most = stat->least + flow_get(cursor);
	squares = flow_get_bytes(cursor, sizeof stat->squares);
	if (squares)
		memcpy(&stat->squares, squares, sizeof stat->squares);
	used = flow_get_most(cursor, UINT32_MAX);
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		if (used >> i & 1)
			stat->buckets[i] = (uint32_t)flow_get_most(cursor, UINT32_MAX);
}
