/* Times of nodes and edges of a rank. */
#include "trace/flow/builder/flow_rank_internal.h"

int build_add_gap(const struct flow_rank_builder *builder, struct build_times *times,
		  uint64_t gap_ns, struct error *err)
{
	if (builder->options.times == FLOW_TIMES_NONE)
		return 0;
	build_add_sum(builder, &times->stat, gap_ns);
	return builder->options.times == FLOW_TIMES_ALL
		       ? build_put_change(&times->bytes, &times->gap, gap_ns, err)
		       : 0;
}

static int put_call(struct build_times *times, const struct build_call *call, bool first,
		    struct error *err)
{
	if (!first)
		TRY(build_put_change(&times->bytes, &times->gap, call->gap_ns, err));
	TRY(build_put_change(&times->bytes, &times->duration, call->duration_ns, err));
	if (!call->polls)
		return 0;
	TRY(build_put_change(&times->bytes, &times->poll_gaps, call->poll_gaps_ns, err));
	return build_put_change(&times->bytes, &times->least_gap, call->least_gap_ns, err);
}

int build_add_durations(const struct flow_rank_builder *builder, struct build_times *times,
			const struct build_thread *thread, struct error *err)
{
	uint64_t sum = 0;

	if (builder->options.times == FLOW_TIMES_NONE)
		return 0;
	for (size_t i = 0; i < thread->open.count; i++) {
		const struct build_call *call = &thread->open.items[i];

		sum += call->duration_ns + (i ? call->gap_ns : 0);
		if (builder->options.times == FLOW_TIMES_ALL)
			TRY(put_call(times, call, i == 0, err));
	}
	build_add_sum(builder, &times->stat, sum - thread->computed_ns);
	return 0;
}

static int put_times(const struct flow_rank_builder *builder, const struct build_times *times,
		     struct flow_bytes *bytes, struct error *err)
{
	if (builder->options.times == FLOW_TIMES_STATS)
		return flow_stat_put(bytes, &times->stat, err);
	return flow_put_block(bytes, times->bytes.items, times->bytes.count, err);
}

int build_put_times(const struct flow_rank_builder *builder, const struct build_thread *thread,
		    struct flow_bytes *bytes, struct error *err)
{
	for (size_t n = 0; n < thread->nodes.count; n++)
		TRY(put_times(builder, &thread->nodes.items[n].times, bytes, err));
	for (size_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		for (size_t e = 0; e < node->edges.count; e++)
			TRY(put_times(builder, &thread->edges.items[node->edges.items[e]].times,
				      bytes, err));
	}
	return 0;
}
