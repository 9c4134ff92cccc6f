#include "trace/flow/flow_rank.h"

#include "trace/flow/flow_file.h"
#include "trace/flow/flow_parts.h"
#include "trace/flow/flow_rank_internal.h"

int flow_rank_begin_with(struct flow_rank_builder **made, struct build_common *common,
			 const struct flow_options *options, uint32_t rank_count, uint32_t rank,
			 struct error *err)
{
	struct flow_rank_builder *builder;

	*made = NULL;
	TRY(allocate(&builder, 1, sizeof *builder, err));
	builder->options = *options;
	builder->rank = rank;
	builder->common = common ? common : &builder->own;
	if (!common && build_flow(&builder->own.flow, options, rank, 1, err) < 0) {
		free(builder);
		return -1;
	}
	builder->flow = builder->common->flow;
	if (!common)
		builder->flow->world.rank_count = rank_count;
	flow_calls_write(&builder->calls, builder->flow, rank, &builder->common->groups);
	*made = builder;
	return 0;
}

int flow_rank_begin(struct flow_rank_builder **builder, const struct flow_options *options,
		    uint32_t rank_count, uint32_t rank, struct error *err)
{
	return flow_rank_begin_with(builder, NULL, options, rank_count, rank, err);
}

int flow_rank_comm(struct flow_rank_builder *builder, uint32_t id, uint32_t place, uint32_t size,
		   struct error *err)
{
	return flow_calls_comm(&builder->calls, id, (struct flow_place){place, size}, err);
}

int flow_rank_group(struct flow_rank_builder *builder, uint32_t id, const uint32_t *members,
		    uint32_t count, struct error *err)
{
	return flow_group_add(&builder->calls, id, members, count, err);
}

void flow_rank_watch(struct flow_rank_builder *builder, flow_rank_seen *seen, void *data)
{
	builder->seen = seen;
	builder->seen_data = data;
}

/* ------------------------------------------------------------------------ calls */

static int find_thread(struct flow_rank_builder *builder, uint32_t number,
		       struct build_thread **thread, struct error *err)
{
	while (builder->threads.count <= number)
		TRY(array_push(&builder->threads, NULL, err));
	if (!builder->threads.items[number]) {
		TRY(allocate(&builder->threads.items[number], 1, sizeof **thread, err));
		builder->threads.items[number]->number = number;
		TRY(flow_requests_of(&builder->calls.requests, number,
				     &builder->threads.items[number]->requests, err));
	}
	*thread = builder->threads.items[number];
	return 0;
}

/* Note which thread the call is of. */
static int note_order(struct flow_rank_builder *builder, uint32_t thread, struct error *err)
{
	if (thread == builder->order_thread) {
		builder->order_calls++;
		return 0;
	}
	TRY(flow_put(&builder->order, builder->order_thread, err));
	TRY(flow_put(&builder->order, builder->order_calls, err));
	builder->order_thread = thread;
	builder->order_calls = 1;
	return 0;
}

int flow_rank_call(struct flow_rank_builder *builder, const struct mpi_call *call,
		   struct error *err)
{
	struct build_thread *thread;

	TRY(find_thread(builder, call->thread, &thread, err));
	TRY(note_order(builder, call->thread, err));
	return build_add_call(builder, thread, call, err);
}

/* ------------------------------------------------------------------------ views */

static const struct build_thread *thread_of(const struct flow_rank_builder *builder,
					    uint32_t number)
{
	return number < builder->threads.count ? builder->threads.items[number] : NULL;
}

int flow_rank_graph(const struct flow_rank_builder *builder, uint32_t number,
		    struct flow_graph *graph, struct flow_rank_times *times, struct error *err)
{
	const struct build_thread *thread = thread_of(builder, number);
	size_t edges = 0;

	*graph = (struct flow_graph){0};
	*times = (struct flow_rank_times){0};
	if (!thread)
		return 0;
	if (build_graph(thread, graph, err) < 0 ||
	    allocate(&times->nodes, graph->nodes.count, sizeof *times->nodes, err) < 0 ||
	    allocate(&times->edges, graph->edges.count, sizeof *times->edges, err) < 0) {
		flow_rank_graph_release(graph, times);
		return -1;
	}
	for (size_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		times->nodes[n] = node->times.stat.sum;
		for (size_t e = 0; e < node->edges.count; e++)
			times->edges[edges++] =
				thread->edges.items[node->edges.items[e]].times.stat.sum;
	}
	return 0;
}

void flow_rank_graph_release(struct flow_graph *graph, struct flow_rank_times *times)
{
	flow_graph_release(graph);
	free(times->nodes);
	free(times->edges);
	*times = (struct flow_rank_times){0};
}

const char *flow_rank_function(const struct flow_rank_builder *builder, uint32_t number,
			       uint32_t node)
{
	const struct build_thread *thread = thread_of(builder, number);

	return flow_signature_label(builder->flow, thread->nodes.items[node].signature).function;
}

/* -------------------------------------------------------------------------- end */

static int end_events(struct flow_rank_builder *builder, struct error *err)
{
	for (size_t t = 0; t < builder->threads.count; t++)
		if (builder->threads.items[t])
			TRY(build_end_polls(builder, builder->threads.items[t], err));
	return 0;
}

int flow_rank_end(struct flow_rank_builder *builder, struct flow **part, struct error *err)
{
	*part = NULL;
	TRY(end_events(builder, err));
	TRY(build_part(builder, builder->flow, err));
	*part = builder->own.flow;
	builder->own.flow = NULL;
	return 0;
}

void flow_rank_release(struct flow_rank_builder *builder)
{
	if (!builder)
		return;
	for (size_t t = 0; t < builder->threads.count; t++)
		build_thread_release(builder->threads.items[t]);
	array_release(&builder->threads);
	flow_calls_release(&builder->calls);
	number_map_release(&builder->sites);
	number_map_release(&builder->own.groups);
	array_release(&builder->functions);
	array_release(&builder->order);
	array_release(&builder->content);
	array_release(&builder->key);
	flow_release(builder->own.flow);
	free(builder);
}
