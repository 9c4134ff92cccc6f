#include "trace/flow/builder/flow_rank.h"

#include "trace/flow/builder/flow_rank_internal.h"
#include "trace/flow/flow_parts.h"

static int make_lock(struct flow_rank_builder *builder, struct error *err)
{
	pthread_mutexattr_t attributes;
	int failed = pthread_mutexattr_init(&attributes);

	if (!failed)
		failed = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	if (!failed)
		failed = pthread_mutex_init(&builder->lock, &attributes);
	return failed ? error_set(err, STATUS_SYSTEM, "cannot make a lock") : 0;
}

int flow_rank_begin(struct flow_rank_builder **made, const struct flow_options *options,
		    uint32_t rank_count, uint32_t rank, struct error *err)
{
	struct flow_rank_builder *builder;

	*made = NULL;
	if (options->concurrent && options->times == FLOW_TIMES_ALL)
		return error_set(err, STATUS_LIMIT,
				 "threads that call at the same time have no order of their calls");
	if (options->memory && options->times == FLOW_TIMES_ALL)
		return error_set(err, STATUS_LIMIT,
				 "the times of all calls take memory without a limit");
	TRY(allocate(&builder, 1, sizeof *builder, err));
	if (build_flow(&builder->flow, options, rank, 1, err) < 0 || make_lock(builder, err) < 0) {
		flow_release(builder->flow);
		free(builder);
		return -1;
	}
	builder->options = *options;
	builder->rank = rank;
	builder->flow->world.rank_count = rank_count;
	flow_calls_write(&builder->calls, builder->flow, rank, &builder->group_places);
	builder->calls.requests.exact = options->times == FLOW_TIMES_ALL;
	builder->calls.requests.lock = options->concurrent ? &builder->lock : NULL;
	*made = builder;
	return 0;
}

int flow_rank_comm(struct flow_rank_builder *builder, uint32_t id, uint32_t place, uint32_t size,
		   struct error *err)
{
	int result;

	build_lock(builder);
	result = flow_calls_comm(&builder->calls, id, (struct flow_place){place, size}, err);
	build_unlock(builder);
	return result;
}

int flow_rank_group(struct flow_rank_builder *builder, uint32_t id, const uint32_t *members,
		    uint32_t count, struct error *err)
{
	int result;

	build_lock(builder);
	result = flow_group_add(&builder->calls, id, members, count, err);
	build_unlock(builder);
	return result;
}

void flow_rank_watch(struct flow_rank_builder *builder, flow_rank_seen *seen, void *data)
{
	builder->seen = seen;
	builder->seen_data = data;
}

/* ------------------------------------------------------------------------ calls */

static int make_thread(struct flow_rank_builder *builder, uint32_t number,
		       struct build_thread **made, struct error *err)
{
	uint32_t place;
	const unsigned number_of_list = build_list_of(number, &place);
	struct build_thread **list = builder->lists[number_of_list], *thread;

	if (!list) {
		TRY(allocate(&list, (size_t)1 << number_of_list, sizeof *list, err));
		atomic_store_explicit(&builder->lists[number_of_list], list, memory_order_release);
	}
	TRY(allocate(&thread, 1, sizeof *thread, err));
	thread->number = number;
	thread->next_check = builder->options.memory ? 64 : UINT64_MAX;
	list[place] = *made = thread;
	if (builder->thread_count <= number)
		builder->thread_count = number + 1;
	return flow_requests_of(&builder->calls.requests, number, &thread->requests, err);
}

static int find_thread(struct flow_rank_builder *builder, uint32_t number,
		       struct build_thread **thread, struct error *err)
{
	int result;

	*thread = build_thread_of(builder, number);
	if (*thread)
		return 0;
	if (number >= INT32_MAX)
		return error_set(err, STATUS_LIMIT, "a thread of number %u", number);
	build_lock(builder);
	result = make_thread(builder, number, thread, err);
	build_unlock(builder);
	return result;
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

static int add_to_thread(struct flow_rank_builder *builder, struct build_thread *thread,
			 const struct mpi_call *call, struct error *err)
{
	int result = build_take_expected(builder, thread, call, err);

	if (result == 0)
		result = build_take_known(builder, thread, call, err);
	if (result != 0)
		return result < 0 ? -1 : 0;
	build_lock(builder);
	result = build_add_other(builder, thread, call, err);
	build_unlock(builder);
	return result;
}

/* Add a call of a thread that may be new, in whose order it is noted if that is kept. */
static int add_in_order(struct flow_rank_builder *builder, const struct mpi_call *call,
			struct error *err)
{
	struct build_thread *thread;

	TRY(find_thread(builder, call->thread, &thread, err));
	if (builder->options.times == FLOW_TIMES_ALL)
		TRY(note_order(builder, call->thread, err));
	return add_to_thread(builder, thread, call, err);
}

int flow_rank_call(struct flow_rank_builder *builder, const struct mpi_call *call,
		   struct error *err)
{
	struct build_thread *thread = build_thread_of(builder, call->thread);

	return thread && builder->options.times != FLOW_TIMES_ALL
		       ? add_to_thread(builder, thread, call, err)
		       : add_in_order(builder, call, err);
}

/* ------------------------------------------------------------------------ views */

int flow_rank_graph(const struct flow_rank_builder *builder, uint32_t number,
		    struct flow_graph *graph, struct flow_rank_times *times, struct error *err)
{
	const struct build_thread *thread = build_thread_of(builder, number);
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

const char *flow_rank_function(struct flow_rank_builder *builder, uint32_t number, uint32_t node)
{
	const struct build_thread *thread = build_thread_of(builder, number);
	const char *name;

	build_lock(builder);
	name = flow_signature_label(builder->flow, thread->nodes.items[node].signature).function;
	build_unlock(builder);
	return name;
}

/* -------------------------------------------------------------------------- end */

int flow_rank_end(struct flow_rank_builder *builder, struct flow **part, struct error *err)
{
	*part = NULL;
	for (uint32_t t = 0; t < builder->thread_count; t++) {
		struct build_thread *thread = build_thread_of(builder, t);

		if (thread)
			TRY(build_end_polls(builder, thread, err));
	}
	TRY(build_part(builder, builder->flow, err));
	*part = builder->flow;
	builder->flow = NULL;
	return 0;
}

void flow_rank_release(struct flow_rank_builder *builder)
{
	if (!builder)
		return;
	for (uint32_t t = 0; t < builder->thread_count; t++)
		build_thread_release(build_thread_of(builder, t));
	for (size_t i = 0; i < sizeof builder->lists / sizeof *builder->lists; i++)
		free(builder->lists[i]);
	flow_calls_release(&builder->calls);
	number_map_release(&builder->sites);
	number_map_release(&builder->group_places);
	array_release(&builder->functions);
	array_release(&builder->order);
	array_release(&builder->content);
	array_release(&builder->key);
	flow_release(builder->flow);
	pthread_mutex_destroy(&builder->lock);
	free(builder);
}
