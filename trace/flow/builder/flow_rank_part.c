/* The graphs of a rank as a flow. */
#include "trace/flow/builder/flow_rank_internal.h"
#include "trace/flow/flow_parts.h"

#include <string.h>

#define COPY_ARRAY(to, from, err)                                                                  \
	do {                                                                                       \
		TRY(array_reserve((to), (from)->count + 1, (err)));                                \
		if ((from)->count)                                                                 \
			memcpy((to)->items, (from)->items, (from)->count * sizeof *(from)->items); \
		(to)->count = (from)->count;                                                       \
	} while (0)

int build_flow(struct flow **made, const struct flow_options *options, uint32_t first_rank,
	       uint32_t count, struct error *err)
{
	struct flow *flow;

	TRY(flow_make(&flow, err));
	flow->times = options->times;
	flow->level = options->level;
	flow->folds = options->folds;
	flow->first_rank = first_rank;
	if (flow_add_ranks(flow, count, err) < 0) {
		flow_release(flow);
		return -1;
	}
	*made = flow;
	return 0;
}

static int add_graph(const struct build_thread *thread, struct flow *flow, uint32_t *number,
		     struct error *err)
{
	struct flow_graph graph = {0};

	*number = (uint32_t)flow->graphs.count;
	if (build_graph(thread, &graph, err) == 0 && array_push(&flow->graphs, graph, err) == 0)
		return 0;
	flow_graph_release(&graph);
	return -1;
}

/* Keep bytes that `put` writes of the thread. */
static int keep_bytes(const struct flow_rank_builder *builder, const struct build_thread *thread,
		      int (*put)(const struct flow_rank_builder *, const struct build_thread *,
				 struct flow_bytes *, struct error *),
		      struct flow *flow, struct flow_packed *packed, struct error *err)
{
	struct flow_bytes bytes = {0};
	int result = put(builder, thread, &bytes, err);

	if (result == 0)
		result = flow_keep(flow, &bytes, packed, err);
	array_release(&bytes);
	return result;
}

static int part_thread(struct flow_rank_builder *builder, const struct build_thread *thread,
		       struct flow *flow, struct error *err)
{
	static const struct build_thread none;
	struct flow_rank *rank = flow_rank_of(flow, builder->rank);
	struct flow_thread made = {0};

	thread = thread ? thread : &none;
	made.calls = thread->calls - thread->open.count;
	if (builder->options.times != FLOW_TIMES_NONE)
		made.begin_ns = thread->begin_ns;
	TRY(add_graph(thread, flow, &made.graph, err));
	TRY(keep_bytes(builder, thread, build_put_values, flow, &made.values, err));
	if (builder->options.times != FLOW_TIMES_NONE)
		TRY(keep_bytes(builder, thread, build_put_times, flow, &made.times, err));
	flow->calls += made.calls;
	rank->lossy |= thread->coarseness > 0;
	TRY(array_push(&rank->threads, made, err));
	COPY_ARRAY(&rank->threads.items[rank->threads.count - 1].contents, &thread->contents, err);
	return 0;
}

static int put_order(const struct flow_rank_builder *builder, const struct build_thread *thread,
		     struct flow_bytes *bytes, struct error *err)
{
	(void)thread;
	TRY(flow_put_bytes(bytes, builder->order.items, builder->order.count, err));
	TRY(flow_put(bytes, builder->order_thread, err));
	return flow_put(bytes, builder->order_calls, err);
}

static int put_requests(const struct flow_rank_builder *builder, const struct build_thread *thread,
			struct flow_bytes *bytes, struct error *err)
{
	(void)thread;
	return flow_requests_put(&builder->calls.requests, bytes, err);
}

int build_part(struct flow_rank_builder *builder, struct flow *flow, struct error *err)
{
	struct flow_rank *rank = flow_rank_of(flow, builder->rank);

	for (uint32_t t = 0; t < builder->thread_count; t++)
		TRY(part_thread(builder, build_thread_of(builder, t), flow, err));
	if (builder->thread_count > 1 && builder->options.times == FLOW_TIMES_ALL)
		TRY(keep_bytes(builder, NULL, put_order, flow, &rank->order, err));
	return keep_bytes(builder, NULL, put_requests, flow, &rank->requests, err);
}

/* --------------------------------------------------------------------- a copy of the tables */

static int copy_strings(const struct string_table *from, const uint32_t *sizes,
			struct string_table *to, struct error *err)
{
	for (uint32_t i = 0; i < from->starts.count; i++) {
		const char *text = string_table_get(from, i);
		uint32_t number;

		TRY(string_table_add(to, text, sizes ? sizes[i] : strlen(text), &number, err));
	}
	return 0;
}

static int copy_groups(const struct flow *from, struct flow *to, struct error *err)
{
	for (size_t g = 0; g < from->groups.count; g++) {
		TRY(array_push(&to->groups, ((struct flow_group){.id = from->groups.items[g].id}),
			       err));
		COPY_ARRAY(&to->groups.items[g].members, &from->groups.items[g].members, err);
	}
	return 0;
}

static int copy_tables(const struct flow_rank_builder *builder, struct flow *to, struct error *err)
{
	const struct flow *from = builder->flow;
	const struct flow_rank *rank = flow_rank_of(from, builder->rank);
	struct flow_rank *copy = flow_rank_of(to, builder->rank);

	TRY(copy_strings(&from->strings, NULL, &to->strings, err));
	TRY(copy_strings(&from->signatures, from->signature_sizes.items, &to->signatures, err));
	COPY_ARRAY(&to->signature_sizes, &from->signature_sizes, err);
	COPY_ARRAY(&copy->comms, &rank->comms, err);
	COPY_ARRAY(&copy->windows, &rank->windows, err);
	COPY_ARRAY(&copy->groups, &rank->groups, err);
	return copy_groups(from, to, err);
}

int flow_rank_part(struct flow_rank_builder *builder, struct flow **part, struct error *err)
{
	struct flow *made;

	*part = NULL;
	TRY(build_flow(&made, &builder->options, builder->rank, 1, err));
	made->world.rank_count = builder->flow->world.rank_count;
	if (copy_tables(builder, made, err) < 0 || build_part(builder, made, err) < 0) {
		flow_release(made);
		return -1;
	}
	*part = made;
	return 0;
}
