/* Tests of graphs that are made call by call, as beside a program. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_merge.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct flow_options stats = {.times = FLOW_TIMES_STATS, .level = FLOW_BY_SITE};

static struct flow_rank_builder *begin(const struct flow_options *options)
{
	struct flow_rank_builder *builder;
	struct error err;

	MUST(flow_rank_begin(&builder, options, 4, 0, &err));
	MUST(flow_rank_comm(builder, 0, 0, 4, &err));
	return builder;
}

/* Add calls `from` to `to` - 1 of rank 0. */
static void add_calls(struct flow_rank_builder *builder, const struct flow_feed *feed, size_t from,
		      size_t to)
{
	struct error err;

	for (size_t i = from; i < to; i++) {
		struct mpi_call call = feed->ranks[0].calls.items[i].call;

		call.events = feed->ranks[0].calls.items[i].events;
		MUST(flow_rank_call(builder, &call, &err));
	}
}

/* An exchange with the neighbours, a reduction in each third step, and now and then something else. */
static void add_steps(struct flow_feed *feed, uint64_t *numbers, int steps)
{
	static uint64_t request;

	request = feed->ranks[0].calls.count ? request : 0;
	for (int step = 0; step < steps; step++) {
		struct mpi_event starts[] = {
			{.kind = EVENT_IRECV_REQUEST, .request = request + 1},
			{.kind = EVENT_ISEND, .peer = 1, .bytes = 800, .request = request + 2},
		};
		struct mpi_event ends[] = {
			{.kind = EVENT_IRECV, .peer = 3, .bytes = 800, .request = request + 1},
			{.kind = EVENT_ISEND_COMPLETE, .request = request + 2},
		};
		const struct mpi_event reduction = {.kind = EVENT_COLLECTIVE,
						    .collective = COLL_ALLREDUCE,
						    .operation = "MPI_SUM",
						    .root = NO_ROOT};

		request += 2;
		flow_feed_add(feed, 0, "MPI_Irecv", &starts[0], 1);
		flow_feed_add(feed, 0, "MPI_Isend", &starts[1], 1);
		flow_feed_add(feed, 0, "MPI_Waitall", ends, 2);
		if (step % 3 == 0)
			flow_feed_add(feed, 0, "MPI_Allreduce", &reduction, 1);
		if (numbers && random_below(numbers, 4) == 0)
			flow_feed_letters(feed, 0, "W");
	}
}

static void check_same_bytes(const struct flow *a, const struct flow *b)
{
	char *bytes[2];
	size_t counts[2];
	const struct flow *flows[] = {a, b};
	struct error err;

	for (int i = 0; i < 2; i++) {
		FILE *stream = open_memstream(&bytes[i], &counts[i]);

		assert_non_null(stream);
		MUST(flow_write(flows[i], stream, &err));
		assert_int_equal(fclose(stream), 0);
	}
	assert_int_equal(counts[0], counts[1]);
	assert_memory_equal(bytes[0], bytes[1], counts[0]);
	free(bytes[0]);
	free(bytes[1]);
}

/* Give a part of rank 0 the other ranks, which have no calls, and the communicators that a flow has of the archive. */
static void complete(struct flow *part, const struct flow *whole)
{
	struct error err;

	MUST(flow_add_ranks(part, whole->rank_count - 1, &err));
	assert_int_equal(part->world.rank_count, whole->world.rank_count);
	part->world = whole->world;
}

static void graphs_made_call_by_call_are_those_of_the_archive(void **state)
{
	static const struct flow_options every[] = {
		{.times = FLOW_TIMES_STATS, .level = FLOW_BY_SITE},
		{.times = FLOW_TIMES_NONE, .level = FLOW_BY_CALL},
		{.times = FLOW_TIMES_ALL, .level = FLOW_BY_FUNCTION},
		{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE, .folds = FLOW_FOLD_PEER},
	};
	uint64_t numbers = 3;

	(void)state;
	for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
		struct flow_rank_builder *builder = begin(&every[i]);
		struct flow_feed feed;
		struct flow *whole, *part;
		struct error err;

		flow_feed_begin(&feed, 4);
		add_steps(&feed, &numbers, 100);
		whole = flow_feed_build(&feed, &every[i]);
		add_calls(builder, &feed, 0, feed.ranks[0].calls.count);
		MUST(flow_rank_end(builder, &part, &err));
		flow_rank_release(builder);
		complete(part, whole);
		check_same_bytes(part, whole);
		flow_release(part);
		flow_release(whole);
		flow_feed_release(&feed);
	}
}

static void parts_of_a_rank_that_goes_on_are_those_of_its_calls_so_far(void **state)
{
	struct flow_rank_builder *builder = begin(&stats);
	struct flow_feed feed;
	uint64_t numbers = 4;
	size_t before = 0;

	(void)state;
	flow_feed_begin(&feed, 4);
	for (int round = 0; round < 10; round++) {
		struct flow *whole, *part;
		struct error err;

		add_steps(&feed, &numbers, 7);
		whole = flow_feed_build(&feed, &stats);
		add_calls(builder, &feed, before, feed.ranks[0].calls.count);
		before = feed.ranks[0].calls.count;
		MUST(flow_rank_part(builder, &part, &err));
		complete(part, whole);
		check_same_bytes(part, whole);
		flow_release(part);
		flow_release(whole);
	}
	flow_rank_release(builder);
	flow_feed_release(&feed);
}

/* ----------------------------------------------------------------------- what is seen */

struct watched {
	uint64_t events, visits[64], time_ns[64];
	uint32_t nodes, edges;
};

static void note_event(void *data, const struct flow_rank_event *event)
{
	struct watched *watched = data;

	assert_int_equal(event->new_node, event->node == watched->nodes);
	watched->nodes += event->new_node;
	assert_int_equal(event->edge == FLOW_NO_EDGE, watched->events == 0);
	assert_int_equal(event->new_edge, event->edge == watched->edges);
	watched->edges += event->new_edge;
	assert_int_equal(event->visit, watched->visits[event->node]++);
	watched->time_ns[event->node] += event->leave_ns - event->enter_ns;
	watched->events++;
}

static void each_event_is_seen_and_the_graph_has_its_sums(void **state)
{
	struct flow_rank_builder *builder = begin(&stats);
	struct watched watched = {0};
	struct flow_rank_times times;
	struct flow_graph graph;
	struct flow_feed feed;
	uint64_t numbers = 5;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 4);
	add_steps(&feed, &numbers, 200);
	flow_rank_watch(builder, note_event, &watched);
	add_calls(builder, &feed, 0, feed.ranks[0].calls.count);
	assert_int_equal(watched.events, feed.ranks[0].calls.count);
	MUST(flow_rank_graph(builder, 0, &graph, &times, &err));
	assert_int_equal(graph.events, watched.events);
	assert_int_equal(graph.nodes.count, watched.nodes);
	assert_int_equal(graph.edges.count, watched.edges);
	for (size_t n = 0; n < graph.nodes.count; n++) {
		assert_int_equal(graph.nodes.items[n].visits, watched.visits[n]);
		assert_int_equal(times.nodes[n], watched.time_ns[n]);
	}
	/* The feed has 10 ns between two calls. */
	for (size_t e = 0; e < graph.edges.count; e++)
		assert_int_equal(times.edges[e], 10 * graph.edges.items[e].count);
	assert_string_equal(flow_rank_function(builder, 0, 2), "MPI_Waitall");
	flow_rank_graph_release(&graph, &times);
	MUST(flow_rank_graph(builder, 1, &graph, &times, &err));
	assert_int_equal(graph.nodes.count, 0);
	flow_rank_graph_release(&graph, &times);
	flow_rank_release(builder);
	flow_feed_release(&feed);
}

/* ----------------------------------------------------------------------- polls */

/*
 * Add 20 times: a send, `vain` times a test of it and one of others, `gap_ns` after the call before, and the test that
 * succeeds.
 */
static void add_polls(struct flow_feed *feed, int vain, uint64_t gap_ns)
{
	for (uint64_t i = 1; i <= 20; i++) {
		const struct mpi_event start = {.kind = EVENT_ISEND, .peer = 1, .request = i};
		const struct mpi_event test = {.kind = EVENT_REQUEST_TEST, .request = i};
		const struct mpi_event end = {.kind = EVENT_ISEND_COMPLETE, .request = i};

		flow_feed_add(feed, 0, "MPI_Isend", &start, 1);
		for (int v = 0; v < vain; v++) {
			flow_feed_add(feed, 0, "MPI_Test", &test, 1);
			flow_feed_add(feed, 0, "MPI_Testsome", &test, 1);
		}
		flow_feed_add(feed, 0, "MPI_Test", &end, 1);
	}
	for (size_t i = 1, polled = 0; i < feed->ranks[0].calls.count; i++) {
		struct mpi_call *call = &feed->ranks[0].calls.items[i].call;

		polled += feed->ranks[0].calls.items[i - 1].events[0].kind == EVENT_REQUEST_TEST;
		call->enter_ns += polled * (gap_ns - 10);
		call->leave_ns += polled * (gap_ns - 10);
	}
}

/* Make a part of such calls; times of its two nodes and edges. */
static struct flow *part_of_polls(const struct flow_options *options, int vain, uint64_t gap_ns,
				  uint64_t *node_ns, uint64_t *edge_ns)
{
	struct flow_rank_builder *builder = begin(options);
	struct flow_rank_times times;
	struct flow_graph graph;
	struct flow_feed feed;
	struct flow *part;
	struct error err;

	flow_feed_begin(&feed, 4);
	add_polls(&feed, vain, gap_ns);
	add_calls(builder, &feed, 0, feed.ranks[0].calls.count);
	MUST(flow_rank_graph(builder, 0, &graph, &times, &err));
	assert_int_equal(graph.nodes.count, 2);
	assert_int_equal(graph.edges.count, 2);
	assert_int_equal(graph.events, 40);
	*node_ns = times.nodes[1];
	*edge_ns = times.edges[0];
	flow_rank_graph_release(&graph, &times);
	MUST(flow_rank_end(builder, &part, &err));
	flow_rank_release(builder);
	flow_feed_release(&feed);
	return part;
}

static void polls_of_several_functions_in_turn_are_part_of_the_event_that_they_wait_for(
	void **state)
{
	uint64_t node_ns, edge_ns;

	(void)state;
	for (int vain = 0; vain < 5; vain++) {
		struct flow *part = part_of_polls(&stats, vain, 10, &node_ns, &edge_ns);

		assert_int_equal(part->calls, 20 * (2 + 2 * (uint64_t)vain));
		flow_release(part);
	}
}

static void computation_between_polls_is_time_before_the_event(void **state)
{
	uint64_t node_ns, edge_ns;

	(void)state;
	flow_release(part_of_polls(&stats, 4, 20000, &node_ns, &edge_ns));
	assert_int_equal(node_ns, 20 * 9 * 5);
	assert_int_equal(edge_ns, 20 * (10 + 8 * 20000));
}

/* ------------------------------------------------------------------ calls that nodes know */

/* Calls of which each differs from another one in one field. */
static const struct mpi_event alike[] = {
	{.kind = EVENT_SEND, .peer = 1, .bytes = 8},
	{.kind = EVENT_SEND, .peer = 1, .bytes = 9},
	{.kind = EVENT_SEND, .peer = 2, .bytes = 8},
	{.kind = EVENT_SEND, .peer = 1, .bytes = 8, .tag = 1},
	{.kind = EVENT_SEND, .peer = 1, .bytes = 8, .comm = 1},
	{.kind = EVENT_SEND, .peer = 1, .bytes = 8, .partitions = 1},
	{.kind = EVENT_RECV, .peer = 1, .bytes = 8},
	{.kind = EVENT_RECV, .peer = 1, .bytes = 8, .posted = POSTED_ANY_SOURCE},
	{.kind = EVENT_RECV, .peer = 1, .bytes = 8, .posted = POSTED_ANY_TAG},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_REDUCE, .operation = "MPI_SUM"},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_REDUCE, .operation = "MPI_MAX"},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_REDUCE, .root = 1, .operation = "MPI_SUM"},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_REDUCE},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .bytes_sent = 8},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .bytes_received = 8},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .in_place = true},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .send_count = 3},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .receive_count = 3},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .persistent = 3},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .neighbours = "1;2"},
	{.kind = EVENT_COLLECTIVE, .collective = COLL_BCAST, .neighbours = "1;3"},
	{.kind = EVENT_RMA_PUT, .peer = 1},
	{.kind = EVENT_RMA_PUT, .peer = 1, .window = 1},
	{.kind = EVENT_RMA_GET, .peer = 1},
	{.kind = EVENT_RMA_ATOMIC, .peer = 1, .atomic = RMA_COMPARE_AND_SWAP},
	{.kind = EVENT_RMA_ATOMIC, .peer = 1, .atomic = RMA_FETCH_AND_ACCUMULATE},
	{.kind = EVENT_RMA_LOCK, .peer = 1},
	{.kind = EVENT_RMA_LOCK, .peer = 1, .exclusive = true},
	{.kind = EVENT_RMA_COLLECTIVE, .sync = RMA_SYNC_MEMORY},
	{.kind = EVENT_RMA_COLLECTIVE, .sync = RMA_SYNC_PROCESS},
};

enum { ALIKE = sizeof alike / sizeof *alike };

static void note_node(void *data, const struct flow_rank_event *event)
{
	*(uint32_t *)data = event->node;
}

/* Add a call of an event.  Its operation is in memory that is another text in the next call. */
static uint32_t node_of(struct flow_rank_builder *builder, const struct mpi_event *given,
			const char *function, uint64_t place)
{
	static char operation[16];
	struct mpi_event event = *given;
	const struct mpi_call call = {.function = function,
				      .return_address = place,
				      .events = &event,
				      .event_count = 1};
	uint32_t node = UINT32_MAX;
	struct error err;

	if (given->operation)
		event.operation = strcpy(operation, given->operation);
	flow_rank_watch(builder, note_node, &node);
	MUST(flow_rank_call(builder, &call, &err));
	return node;
}

static void calls_that_differ_in_one_field_are_not_taken_for_known_ones(void **state)
{
	struct flow_rank_builder *builder = begin(&stats);
	uint64_t numbers = 3;
	struct error err;

	(void)state;
	MUST(flow_rank_comm(builder, 1, 0, 4, &err));
	for (uint32_t i = 0; i < ALIKE; i++)
		assert_int_equal(node_of(builder, &alike[i], "MPI_F", 0), i);
	assert_int_equal(node_of(builder, &alike[0], "MPI_G", 0), ALIKE);
	for (int i = 0; i < 20000; i++) {
		/* Short runs between few calls: edges are known, and followed again. */
		const uint32_t first = (uint32_t)(i / 50) % ALIKE;
		const uint32_t which = (first + (uint32_t)random_below(&numbers, 4)) % ALIKE;

		assert_int_equal(node_of(builder, &alike[which], "MPI_F", 0), which);
		if (random_below(&numbers, 5) == 0)
			assert_int_equal(node_of(builder, &alike[0], "MPI_G", 0), ALIKE);
	}
	flow_rank_release(builder);
}

static const char *name_of_place(void *data, uint64_t place)
{
	return place == *(uint64_t *)data ? "here" : "there";
}

static void calls_at_another_place_are_not_taken_for_known_ones(void **state)
{
	uint64_t here = 5;
	const struct flow_options options = {.times = FLOW_TIMES_STATS,
					     .level = FLOW_BY_SITE,
					     .site = name_of_place,
					     .site_data = &here};
	struct flow_rank_builder *builder = begin(&options);
	uint64_t numbers = 4;

	(void)state;
	assert_int_equal(node_of(builder, &alike[0], "MPI_F", here), 0);
	for (int i = 0; i < 100; i++) {
		const uint32_t there = random_below(&numbers, 2);

		assert_int_equal(node_of(builder, &alike[0], "MPI_F", here + there), there);
	}
	flow_rank_release(builder);
}

/* ----------------------------------------------------------------------- several threads */

enum { THREADS = 4, ROUNDS = 3000 };

struct caller {
	struct flow_rank_builder *builder;
	uint32_t thread;
	atomic_ulong *ready; /* request that each thread has left to the next one, 0: none */
	atomic_ulong *number;
};

static void caller_adds(struct caller *caller, const char *function, const struct mpi_event *event)
{
	const struct mpi_call call = {.function = function,
				      .thread = caller->thread,
				      .enter_ns = 10,
				      .leave_ns = 11,
				      .events = event,
				      .event_count = event != NULL};
	struct error err;

	if (flow_rank_call(caller->builder, &call, &err) < 0)
		abort();
}

/* Exchange with oneself; every tenth request is completed by the next thread. */
static void *caller_runs(void *data)
{
	struct caller *caller = data;

	for (int i = 0; i < ROUNDS; i++) {
		struct mpi_event event = {.kind = EVENT_ISEND,
					  .tag = i % 3,
					  .bytes = 8,
					  .request = atomic_fetch_add(caller->number, 1)};
		unsigned long given;

		caller_adds(caller, "MPI_Isend", &event);
		if (i % 10 == 0) {
			while (atomic_load(&caller->ready[caller->thread]))
				sched_yield();
			atomic_store(&caller->ready[caller->thread], event.request);
			while (!(given = atomic_exchange(
					 &caller->ready[(caller->thread + 1) % THREADS], 0)))
				sched_yield();
			event.request = given;
		}
		event = (struct mpi_event){.kind = EVENT_ISEND_COMPLETE, .request = event.request};
		caller_adds(caller, "MPI_Wait", &event);
		caller_adds(caller, i % 5 ? "A" : "B", NULL);
	}
	return NULL;
}

struct counts {
	size_t calls, starts, ends, of_thread[THREADS];
	bool open[THREADS * ROUNDS + 2];
};

static int count_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct counts *counts = data;

	(void)err;
	counts->calls++;
	counts->of_thread[call->thread]++;
	if (!call->event_count)
		return 0;
	assert_in_range(call->events[0].request, 1, THREADS * ROUNDS);
	/* Each is started once and completed once, after that. */
	assert_int_equal(counts->open[call->events[0].request],
			 call->events[0].kind == EVENT_ISEND_COMPLETE);
	counts->open[call->events[0].request] = call->events[0].kind == EVENT_ISEND;
	counts->starts += call->events[0].kind == EVENT_ISEND;
	counts->ends += call->events[0].kind == EVENT_ISEND_COMPLETE;
	return 0;
}

static void threads_call_at_the_same_time_and_complete_requests_of_others(void **state)
{
	const struct flow_options options = {.times = FLOW_TIMES_STATS,
					     .level = FLOW_BY_SITE,
					     .concurrent = true};
	struct flow_rank_builder *builder = begin(&options);
	static struct counts counts;
	static atomic_ulong ready[THREADS];
	struct caller callers[THREADS];
	pthread_t threads[THREADS];
	atomic_ulong number = 1;
	struct flow_feed feed;
	struct flow *part;
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		callers[i] = (struct caller){builder, i, ready, &number};
		assert_int_equal(pthread_create(&threads[i], NULL, caller_runs, &callers[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	MUST(flow_rank_end(builder, &part, &err));
	flow_rank_release(builder);
	assert_int_equal(part->ranks[0].threads.count, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct flow_thread *thread = &part->ranks[0].threads.items[i];

		assert_int_equal(thread->calls, 3 * ROUNDS);
		assert_int_equal(part->graphs.items[thread->graph].events, 3 * ROUNDS);
		/* Requests that others complete do not change how the own ones are named, but once. */
		assert_in_range(part->graphs.items[thread->graph].nodes.count, 6, 12);
	}
	flow_feed_begin(&feed, 4);
	MUST(flow_set_world(part, &feed.world, &err));
	MUST(flow_recover(part, 0, count_call, &counts, &err));
	flow_feed_release(&feed);
	assert_int_equal(counts.calls, 3 * THREADS * ROUNDS);
	assert_int_equal(counts.starts, THREADS * ROUNDS);
	assert_int_equal(counts.ends, THREADS * ROUNDS);
	flow_release(part);
}

static void the_order_of_threads_needs_one_thread_at_a_time(void **state)
{
	const struct flow_options options = {.times = FLOW_TIMES_ALL, .concurrent = true};
	struct flow_rank_builder *builder;
	struct error err;

	(void)state;
	assert_int_equal(flow_rank_begin(&builder, &options, 1, 0, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_null(builder);
}

/* ----------------------------------------------------------------------------- memory */

/* Bytes of a builder after some iterations of a regular program, in two threads. */
static uint64_t bytes_after(int steps, enum flow_times times)
{
	const struct flow_options options = {.times = times, .level = FLOW_BY_SITE};
	struct flow_rank_builder *builder = begin(&options);
	struct flow_feed feed;
	struct error err;
	uint64_t bytes;

	flow_feed_begin(&feed, 4);
	add_steps(&feed, NULL, steps);
	for (size_t i = 0; i < feed.ranks[0].calls.count; i++) {
		struct mpi_call call = feed.ranks[0].calls.items[i].call;

		call.events = feed.ranks[0].calls.items[i].events;
		MUST(flow_rank_call(builder, &call, &err));
		call.thread = 1;
		call.event_count = 0;
		MUST(flow_rank_call(builder, &call, &err));
	}
	bytes = flow_rank_bytes(builder);
	flow_rank_release(builder);
	flow_feed_release(&feed);
	return bytes;
}

static void iterations_of_a_regular_program_take_no_memory(void **state)
{
	(void)state;
	assert_int_equal(bytes_after(12, FLOW_TIMES_STATS), bytes_after(6000, FLOW_TIMES_STATS));
	assert_int_equal(bytes_after(12, FLOW_TIMES_NONE), bytes_after(6000, FLOW_TIMES_NONE));
	assert_true(bytes_after(12, FLOW_TIMES_ALL) < bytes_after(6000, FLOW_TIMES_ALL));
}

enum { BOUND = 1 << 20, IRREGULAR_CALLS = 200000 };

/* Add sends and receives of any size, to any rank, in any order. */
static void add_irregular(struct flow_rank_builder *builder, uint32_t sizes, uint64_t *numbers)
{
	struct error err;
	uint64_t time_ns = 0;

	for (int i = 0; i < IRREGULAR_CALLS; i++) {
		const bool receives = random_below(numbers, 2);
		const struct mpi_event event = {.kind = receives ? EVENT_RECV : EVENT_SEND,
						.peer = (uint32_t)random_below(numbers, 4),
						.tag = (uint32_t)random_below(numbers, 5),
						.bytes = random_below(numbers, sizes),
						.posted = receives && i % 3 == 0};
		const struct mpi_call call = {.function = receives ? "MPI_Recv" : "MPI_Send",
					      .enter_ns = time_ns + 10,
					      .leave_ns = time_ns + 15,
					      .events = &event,
					      .event_count = 1};

		time_ns += 15;
		MUST(flow_rank_call(builder, &call, &err));
	}
}

static int ignore_call(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data;
	(void)call;
	(void)err;
	return 0;
}

static int ignore_calls(void *data, const struct mpi_call *call, uint64_t count, struct error *err)
{
	(void)count;
	return ignore_call(data, call, err);
}

static void check_lossy(struct flow *part)
{
	const struct flow_thread *thread = &part->ranks[0].threads.items[0];
	const struct flow_graph *graph = &part->graphs.items[thread->graph];
	struct flow_feed feed;
	struct flow *read;
	uint64_t sum = 0;
	struct error err;
	struct flow_stat *nodes = calloc(graph->nodes.count, sizeof *nodes);
	struct flow_stat *edges = calloc(graph->edges.count, sizeof *edges);
	static const char path[] = "lossy.efg";
	FILE *file = fopen(path, "wb");

	assert_true(part->ranks[0].lossy);
	assert_int_equal(thread->calls, IRREGULAR_CALLS);
	assert_int_equal(graph->events, IRREGULAR_CALLS);
	MUST(flow_thread_stats(part, thread, nodes, edges, &err));
	for (size_t n = 0; n < graph->nodes.count; n++)
		sum += nodes[n].sum;
	assert_int_equal(sum, 5 * IRREGULAR_CALLS);
	free(nodes);
	free(edges);
	/* The file is one that can be read, with a graph whose sets divide the visits. */
	flow_feed_begin(&feed, 4);
	MUST(flow_add_ranks(part, 3, &err));
	part->world = feed.world;
	assert_non_null(file);
	MUST(flow_write(part, file, &err));
	assert_int_equal(fclose(file), 0);
	MUST(flow_read(&read, path, &err));
	remove(path);
	assert_int_equal(flow_recover(read, 0, ignore_call, NULL, &err), -1);
	assert_non_null(strstr(err.text, "limit of memory"));
	MUST(flow_thread_calls(read, 0, &read->ranks[0].threads.items[0], ignore_calls, NULL,
			       &err));
	flow_release(read);
	flow_feed_release(&feed);
}

static void past_the_bound_of_memory_a_rank_is_lossy_and_says_so(void **state)
{
	static const uint32_t sizes[] = {2, 100, 1000000};
	uint64_t numbers = 6;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const struct flow_options options = {.times = FLOW_TIMES_STATS,
						     .level = FLOW_BY_SITE,
						     .memory = BOUND};
		struct flow_rank_builder *builder = begin(&options);
		struct flow *part;
		struct error err;

		add_irregular(builder, sizes[i], &numbers);
		assert_in_range(flow_rank_bytes(builder), BOUND / 8, BOUND);
		MUST(flow_rank_end(builder, &part, &err));
		flow_rank_release(builder);
		check_lossy(part);
		flow_release(part);
	}
}

static void a_bound_that_is_not_reached_changes_nothing(void **state)
{
	struct flow_options options = stats;
	struct flow_rank_builder *builders[2];
	struct flow *parts[2];
	struct flow_feed feed;
	uint64_t numbers = 9;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 4);
	add_steps(&feed, &numbers, 500);
	for (int i = 0; i < 2; i++) {
		struct flow *whole = flow_feed_build(&feed, &stats);

		options.memory = i ? BOUND : 0;
		builders[i] = begin(&options);
		add_calls(builders[i], &feed, 0, feed.ranks[0].calls.count);
		MUST(flow_rank_end(builders[i], &parts[i], &err));
		assert_false(parts[i]->ranks[0].lossy);
		flow_rank_release(builders[i]);
		complete(parts[i], whole);
		check_same_bytes(parts[i], whole);
		flow_release(parts[i]);
		flow_release(whole);
	}
	flow_feed_release(&feed);
}

/* ---------------------------------------------------------------- the call that is expected */

/* Start or end requests; `open` has the numbers of those that have not ended, `count` of them. */
static void start_some(struct flow_feed *feed, uint64_t *numbers, uint64_t *open, uint32_t *count,
		       uint64_t *last)
{
	const uint32_t starts = 1 + random_below(numbers, 2);
	struct mpi_event events[2];

	for (uint32_t i = 0; i < starts; i++) {
		const bool receives = random_below(numbers, 2);

		open[(*count)++] = ++*last;
		events[i] = (struct mpi_event){.kind = receives ? EVENT_IRECV_REQUEST : EVENT_ISEND,
					       .peer = receives ? 0 : 1,
					       .bytes = receives ? 0 : 8,
					       .posted = receives && random_below(numbers, 6) == 0
								 ? POSTED_ANY_TAG
								 : 0,
					       .request = *last};
		/* The kind, to end it. */
		open[*count - 1] |= receives ? UINT64_C(1) << 32 : 0;
	}
	flow_feed_add(feed, 0, starts == 1 ? "MPI_Start" : "MPI_Startall", events, starts);
}

static void end_some(struct flow_feed *feed, uint64_t *numbers, uint64_t *open, uint32_t *count)
{
	const uint32_t ends = *count < 2 || random_below(numbers, 3) == 0 ? 1 : 2;
	struct mpi_event events[2];

	for (uint32_t i = 0; i < ends; i++) {
		const uint32_t place = random_below(numbers, 5) ? 0 : random_below(numbers, *count);
		const bool receives = open[place] >> 32;

		events[i] = (struct mpi_event){.kind = receives ? EVENT_IRECV
								: EVENT_ISEND_COMPLETE,
					       .peer = receives ? 1 : 0,
					       .tag = receives ? 3 : 0,
					       .bytes = receives ? 8 : 0,
					       .request = open[place] & UINT32_MAX};
		memmove(open + place, open + place + 1, (--*count - place) * sizeof *open);
	}
	flow_feed_add(feed, 0, ends == 1 ? "MPI_Wait" : "MPI_Waitall", events, ends);
}

static void add_requests(struct flow_feed *feed, uint64_t *numbers)
{
	uint64_t open[8], last = 0;
	uint32_t count = 0;

	for (int i = 0; i < 3000; i++) {
		if (count == 0 || (count < 5 && random_below(numbers, 2)))
			start_some(feed, numbers, open, &count, &last);
		else
			end_some(feed, numbers, open, &count);
		if (random_below(numbers, 8) == 0)
			flow_feed_letters(feed, 0, "W");
	}
}

/* Add all calls, those that are expected first as such.  Returns how many are. */
static size_t add_expected(struct flow_rank_builder *builder, const struct flow_feed *feed)
{
	size_t expected = 0;

	for (size_t i = 0; i < feed->ranks[0].calls.count; i++) {
		struct mpi_call call = feed->ranks[0].calls.items[i].call;
		struct error err;
		int added;

		call.events = feed->ranks[0].calls.items[i].events;
		added = flow_rank_expected(builder, &call, &err);
		assert_true(added >= 0);
		expected += added > 0;
		if (!added)
			MUST(flow_rank_call(builder, &call, &err));
	}
	return expected;
}

/* Requests of threads that call at the same time are looked up one by one. */
static void expected_calls_use_requests_as_calls_of_threads_at_the_same_time_do(void **state)
{
	struct flow_options together = stats;

	(void)state;
	together.concurrent = true;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct flow_rank_builder *builder = begin(&stats), *other = begin(&together);
		uint64_t numbers = seed;
		struct flow *flows[2];
		struct flow_feed feed;
		struct error err;

		flow_feed_begin(&feed, 4);
		add_requests(&feed, &numbers);
		assert_true(add_expected(builder, &feed) > 100);
		add_calls(other, &feed, 0, feed.ranks[0].calls.count);
		MUST(flow_rank_end(builder, &flows[0], &err));
		MUST(flow_rank_end(other, &flows[1], &err));
		check_same_bytes(flows[0], flows[1]);
		for (int i = 0; i < 2; i++)
			flow_release(flows[i]);
		flow_rank_release(builder);
		flow_rank_release(other);
		flow_feed_release(&feed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_made_call_by_call_are_those_of_the_archive),
		cmocka_unit_test(parts_of_a_rank_that_goes_on_are_those_of_its_calls_so_far),
		cmocka_unit_test(each_event_is_seen_and_the_graph_has_its_sums),
		cmocka_unit_test(
			polls_of_several_functions_in_turn_are_part_of_the_event_that_they_wait_for),
		cmocka_unit_test(computation_between_polls_is_time_before_the_event),
		cmocka_unit_test(calls_that_differ_in_one_field_are_not_taken_for_known_ones),
		cmocka_unit_test(calls_at_another_place_are_not_taken_for_known_ones),
		cmocka_unit_test(threads_call_at_the_same_time_and_complete_requests_of_others),
		cmocka_unit_test(the_order_of_threads_needs_one_thread_at_a_time),
		cmocka_unit_test(iterations_of_a_regular_program_take_no_memory),
		cmocka_unit_test(past_the_bound_of_memory_a_rank_is_lossy_and_says_so),
		cmocka_unit_test(a_bound_that_is_not_reached_changes_nothing),
		cmocka_unit_test(
			expected_calls_use_requests_as_calls_of_threads_at_the_same_time_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
