/* Tests of event flow graphs: the way to a file and back, what graphs are of which calls. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct flow_options all_options = {.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE};

/* ------------------------------------------------------------------------ there and back */

/*
 * With the times of all calls their order across threads and the numbers of requests are the same.  Else each thread has
 * its order, and a number stands for the same request throughout.
 */
struct checking {
	const struct flow_feed *feed;
	uint32_t rank;
	size_t count;
	bool exact;
	size_t of_thread[8];	    /* calls to go on from */
	uint64_t requests[1 << 12]; /* by recovered number: that of the feed, 0 if none was */
};

/* Find the call of the feed that comes next in the thread. */
static const struct flow_feed_call *next_call(struct checking *checking, uint32_t thread)
{
	const struct flow_feed_rank *rank = &checking->feed->ranks[checking->rank];
	size_t *at = &checking->of_thread[checking->exact ? 0 : thread];

	while (!checking->exact && *at < rank->calls.count &&
	       rank->calls.items[*at].call.thread != thread)
		++*at;
	assert_true(*at < rank->calls.count);
	return &rank->calls.items[(*at)++];
}

static void check_request(struct checking *checking, const struct mpi_event *a,
			  const struct mpi_event *b)
{
	if (checking->exact || !b->request || event_is_rma(b->kind)) {
		assert_int_equal(!a->request, !b->request);
		if (checking->exact)
			assert_int_equal(a->request, b->request);
		return;
	}
	assert_in_range(a->request, 1, (1 << 12) - 1);
	if (!checking->requests[a->request])
		checking->requests[a->request] = b->request;
	assert_int_equal(checking->requests[a->request], b->request);
}

static void check_event(const struct mpi_event *a, const struct mpi_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->comm, b->comm);
	assert_int_equal(a->peer, b->peer);
	assert_int_equal(a->collective, b->collective);
	assert_int_equal(a->bytes_sent, b->bytes_sent);
	assert_int_equal(a->bytes_received, b->bytes_received);
	assert_int_equal(!a->operation, !b->operation);
	if (a->operation)
		assert_string_equal(a->operation, b->operation);
	if (event_is_message(a->kind)) {
		assert_int_equal(a->bytes, b->bytes);
		assert_int_equal(a->tag, b->tag);
		assert_int_equal(a->partitions, b->partitions);
		assert_int_equal(a->posted, b->posted);
	} else if (event_is_collective(a->kind)) {
		assert_int_equal(a->root, b->root);
		assert_int_equal(a->in_place, b->in_place);
		assert_int_equal(a->persistent, b->persistent);
		assert_int_equal(a->send_count, b->send_count);
		assert_int_equal(!a->send_bytes, !b->send_bytes);
		if (a->send_bytes)
			assert_memory_equal(a->send_bytes, b->send_bytes,
					    a->send_count * sizeof *a->send_bytes);
	} else if (event_is_rma(a->kind)) {
		assert_int_equal(a->window, b->window);
		assert_int_equal(a->atomic, b->atomic);
		assert_int_equal(a->sync, b->sync);
		assert_int_equal(a->exclusive, b->exclusive);
	}
}

static int check_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct checking *checking = data;
	const struct flow_feed_call *expected = next_call(checking, call->thread);

	(void)err;
	checking->count++;
	assert_string_equal(call->function, expected->call.function);
	assert_int_equal(call->thread, expected->call.thread);
	assert_int_equal(call->polls, expected->call.polls);
	if (checking->exact) {
		assert_int_equal(call->enter_ns, expected->call.enter_ns);
		assert_int_equal(call->leave_ns, expected->call.leave_ns);
		assert_int_equal(call->poll_gaps_ns, expected->call.poll_gaps_ns);
		assert_int_equal(call->least_poll_gap_ns, expected->call.least_poll_gap_ns);
	}
	assert_int_equal(call->event_count, expected->call.event_count);
	for (uint32_t i = 0; i < call->event_count; i++) {
		check_event(&call->events[i], &expected->events[i]);
		check_request(checking, &call->events[i], &expected->events[i]);
	}
	return 0;
}

static void check_recovery(const struct flow_feed *feed, const struct flow *flow)
{
	for (uint32_t rank = 0; rank < feed->world.rank_count; rank++) {
		struct checking checking = {.feed = feed,
					    .rank = rank,
					    .exact = flow->times == FLOW_TIMES_ALL};
		struct error err;

		MUST(flow_recover(flow, rank, check_call, &checking, &err));
		assert_int_equal(checking.count, feed->ranks[rank].calls.count);
	}
}

/* Check that visits, edges and times fit together. */
static void check_sums(const struct flow *flow, const struct flow_thread *thread)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];
	uint64_t visits = 0;
	struct flow_stat *nodes, *edges;
	struct error err;

	MUST(allocate(&nodes, graph->nodes.count, sizeof *nodes, &err));
	MUST(allocate(&edges, graph->edges.count, sizeof *edges, &err));
	MUST(flow_thread_stats(flow, thread, nodes, edges, &err));
	for (uint32_t n = 0; n < graph->nodes.count; n++) {
		uint64_t in = n == 0, out = n == graph->end;

		for (size_t e = 0; e < graph->edges.count; e++) {
			in += graph->edges.items[e].to == n ? graph->edges.items[e].count : 0;
			out += graph->edges.items[e].from == n ? graph->edges.items[e].count : 0;
		}
		assert_int_equal(in, graph->nodes.items[n].visits);
		assert_int_equal(out, graph->nodes.items[n].visits);
		visits += graph->nodes.items[n].visits;
		if (flow->times != FLOW_TIMES_NONE)
			assert_int_equal(nodes[n].count, graph->nodes.items[n].visits);
	}
	assert_int_equal(visits, graph->events);
	for (size_t e = 0; flow->times != FLOW_TIMES_NONE && e < graph->edges.count; e++)
		assert_int_equal(edges[e].count, graph->edges.items[e].count);
	free(nodes);
	free(edges);
}

/* Check the calls of a flow, and of the file that it becomes. */
static void check_flow(const struct flow_feed *feed, const struct flow_options *options)
{
	struct flow *flow = flow_feed_build(feed, options), *read;
	struct error err;

	check_recovery(feed, flow);
	flow_to_file(flow, scratch_path);
	MUST(flow_read(&read, scratch_path, &err));
	check_recovery(feed, read);
	for (uint32_t rank = 0; rank < feed->world.rank_count; rank++)
		for (size_t t = 0; t < read->ranks[rank].threads.count; t++)
			check_sums(read, &read->ranks[rank].threads.items[t]);
	flow_release(flow);
	flow_release(read);
}

static const struct flow_options every_options[] = {
	{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE},
	{.times = FLOW_TIMES_STATS, .level = FLOW_BY_CALL},
	{.times = FLOW_TIMES_NONE, .level = FLOW_BY_FUNCTION},
	{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE, .folds = FLOW_FOLD_BYTES | FLOW_FOLD_TAG},
	{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE, .folds = FLOW_FOLD_PEER},
};

static void check_with_all_options(const struct flow_feed *feed)
{
	for (size_t i = 0; i < sizeof every_options / sizeof *every_options; i++)
		check_flow(feed, &every_options[i]);
}

/* ------------------------------------------------------------------------ random programs */

/* Add a random nest of loops: letters are calls, and bodies are the same each time or are not. */
static void add_nest(struct flow_feed *feed, uint64_t *numbers, int depth)
{
	const uint32_t parts = 1 + random_below(numbers, 4);
	const uint64_t body = *numbers;

	for (uint32_t trips = 1 + random_below(numbers, 5); trips; trips--) {
		uint64_t again = body;

		for (uint32_t part = 0; part < parts && feed->ranks[0].calls.count < 3000; part++) {
			const char letter[] = {(char)('A' + random_below(&again, 26)), 0};

			if (depth && random_below(&again, 2))
				add_nest(feed, trips & 1 ? &again : numbers, depth - 1);
			else
				flow_feed_letters(feed, 0, letter);
		}
	}
}

static void nests_of_loops_are_recovered(void **state)
{
	uint64_t numbers = 5;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct flow_feed feed;

		flow_feed_begin(&feed, 1);
		add_nest(&feed, &numbers, 3);
		check_flow(&feed, &every_options[round % 5]);
		flow_feed_release(&feed);
	}
}

static void sequences_without_structure_are_recovered(void **state)
{
	uint64_t numbers = 6;

	(void)state;
	for (uint32_t letters = 1; letters < 27; letters += 5) {
		struct flow_feed feed;

		flow_feed_begin(&feed, 1);
		for (int i = 0; i < 2000; i++)
			flow_feed_letters(
				&feed, 0,
				(const char[]){(char)('A' + random_below(&numbers, letters)), 0});
		check_flow(&feed, &all_options);
		flow_feed_release(&feed);
	}
}

static void random_calls_of_threads_are_recovered_field_by_field(void **state)
{
	uint64_t numbers = 7;

	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		struct flow_feed feed;

		flow_feed_begin(&feed, 4);
		flow_feed_random(&feed, 1 + round % 3, 300, &numbers);
		check_with_all_options(&feed);
		flow_feed_release(&feed);
	}
}

static void lists_of_sizes_are_recovered(void **state)
{
	static const uint64_t sizes[] = {8, 0, UINT64_C(1) << 40, 7};
	const struct mpi_event event = {.kind = EVENT_COLLECTIVE,
					.collective = COLL_ALLTOALLV,
					.root = NO_ROOT,
					.send_bytes = sizes,
					.send_count = 4,
					.in_place = true};
	struct flow_feed feed;

	(void)state;
	flow_feed_begin(&feed, 4);
	for (int i = 0; i < 9; i++)
		flow_feed_add(&feed, 2, "MPI_Alltoallv", &event, 1);
	check_with_all_options(&feed);
	flow_feed_release(&feed);
}

/* ---------------------------------------------------------------------------- graphs */

static void graph_of_minighost_has_87_nodes_and_90_edges(void **state)
{
	struct flow *flow = make_minighost();
	const struct flow_graph *graph = &flow->graphs.items[0];
	char text[64];

	(void)state;
	assert_int_equal(flow->calls, 3160);
	assert_int_equal(graph->events, 3160);
	assert_int_equal(graph->nodes.count, 87);
	assert_int_equal(graph->edges.count, 90);
	/* C is the 13th: after MPI_Init, nine calls, A and B. */
	for (uint32_t i = 0; i < 4; i++) {
		static const char *const expected[] = {"[1,355,6,1]", "[0,358,2,1]", "[3,357,6,1]",
						       "[5,359,6,1]"};
		bool found = false;
		const struct flow_node *node = &graph->nodes.items[12];

		assert_int_equal(node->edge_count, 4);
		for (uint32_t e = node->edges; e < node->edges + 4; e++) {
			const struct flow_edge *edge = &graph->edges.items[e];

			flow_blocks_text(graph->blocks.items + edge->blocks, edge->block_count,
					 text, sizeof text);
			found |= !strcmp(text, expected[i]);
		}
		assert_true(found);
	}
	flow_release(flow);
}

/* Size of the file without times of a loop of so many trips. */
static long bytes_of_loop(int trips)
{
	struct flow_feed feed;
	struct flow *flow;
	FILE *file;
	long bytes;

	flow_feed_begin(&feed, 1);
	for (int i = 0; i < trips; i++)
		flow_feed_letters(&feed, 0, i % 3 == 2 ? "ABCD" : "ABD");
	flow = flow_feed_build(&feed, &(struct flow_options){.times = FLOW_TIMES_NONE,
							     .level = FLOW_BY_SITE});
	flow_to_file(flow, scratch_path);
	file = fopen(scratch_path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	fclose(file);
	flow_release(flow);
	flow_feed_release(&feed);
	return bytes;
}

static void iterations_of_a_regular_loop_take_no_bytes(void **state)
{
	(void)state;
	/* But for the digits of the counts. */
	assert_true(bytes_of_loop(30000) - bytes_of_loop(300) < 16);
}

static void ranks_with_equal_calls_share_a_graph(void **state)
{
	struct flow_feed feed;
	struct flow *flow;

	(void)state;
	flow_feed_begin(&feed, 8);
	for (uint32_t rank = 0; rank < 8; rank++)
		for (int i = 0; i < 10; i++) {
			flow_feed_add(&feed, rank, "MPI_Send",
				      &(struct mpi_event){.kind = EVENT_SEND,
							  .peer = (rank + 1) % 8,
							  .bytes = 8},
				      1);
			flow_feed_add(&feed, rank, "MPI_Recv",
				      &(struct mpi_event){.kind = EVENT_RECV,
							  .peer = (rank + 7) % 8,
							  .bytes = 8},
				      1);
		}
	flow = flow_feed_build(&feed, &all_options);
	assert_int_equal(flow->graphs.count, 1);
	check_recovery(&feed, flow);
	flow_release(flow);
	flow_feed_release(&feed);
}

enum { TURNED_RANKS = 6, TURN = 2 };

/* Calls of the rank in a ring that is `rank` before it is turned: letters of its own, and messages to both sides. */
static void add_turned(struct flow_feed *feed, uint32_t rank, uint32_t as)
{
	uint64_t numbers = 100 + rank / 2;

	for (int i = 0; i < 60; i++) {
		const struct mpi_event send = {
			.kind = EVENT_SEND,
			.peer = (as + 1 + (uint32_t)random_below(&numbers, 2)) % TURNED_RANKS,
			.bytes = random_below(&numbers, 3)};

		flow_feed_add(feed, as, "MPI_Send", &send, 1);
		if (random_below(&numbers, 2))
			flow_feed_letters(feed, as, rank % 2 ? "AB" : "BA");
	}
}

static void check_same_graph(const struct flow *a, const struct flow_graph *x, const struct flow *b,
			     const struct flow_graph *y)
{
	assert_int_equal(x->events, y->events);
	assert_int_equal(x->end, y->end);
	assert_int_equal(x->nodes.count, y->nodes.count);
	assert_int_equal(x->edges.count, y->edges.count);
	for (size_t n = 0; n < x->nodes.count; n++) {
		const uint32_t s = x->nodes.items[n].signature, t = y->nodes.items[n].signature;

		assert_int_equal(x->nodes.items[n].visits, y->nodes.items[n].visits);
		assert_int_equal(a->signature_sizes.items[s], b->signature_sizes.items[t]);
	}
	for (size_t e = 0; e < x->edges.count; e++) {
		assert_int_equal(x->edges.items[e].from, y->edges.items[e].from);
		assert_int_equal(x->edges.items[e].to, y->edges.items[e].to);
		assert_int_equal(x->edges.items[e].count, y->edges.items[e].count);
		assert_int_equal(x->edges.items[e].block_count, y->edges.items[e].block_count);
	}
}

static void ranks_that_are_turned_turn_their_graphs(void **state)
{
	struct flow_feed feeds[2];
	struct flow *flows[2];

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		flow_feed_begin(&feeds[k], TURNED_RANKS);
		for (uint32_t rank = 0; rank < TURNED_RANKS; rank++)
			add_turned(&feeds[k], rank, (rank + k * TURN) % TURNED_RANKS);
		flows[k] = flow_feed_build(&feeds[k], &all_options);
	}
	assert_int_equal(flows[0]->graphs.count, TURNED_RANKS);
	assert_int_equal(flows[1]->graphs.count, TURNED_RANKS);
	for (uint32_t rank = 0; rank < TURNED_RANKS; rank++)
		check_same_graph(
			flows[0],
			&flows[0]->graphs.items[flows[0]->ranks[rank].threads.items[0].graph],
			flows[1],
			&flows[1]->graphs.items[flows[1]->ranks[(rank + TURN) % TURNED_RANKS]
							.threads.items[0]
							.graph]);
	for (int k = 0; k < 2; k++) {
		flow_release(flows[k]);
		flow_feed_release(&feeds[k]);
	}
}

/* Number of graphs if a test finds nothing `vain` times before it succeeds. */
static size_t nodes_of_polls(int vain)
{
	struct flow_feed feed;
	struct flow *flow;
	size_t nodes;

	flow_feed_begin(&feed, 1);
	for (uint64_t i = 1; i < 9; i++) {
		flow_feed_add(&feed, 0, "MPI_Isend",
			      &(struct mpi_event){.kind = EVENT_ISEND, .request = i}, 1);
		for (int v = 0; v < vain; v++)
			flow_feed_add(&feed, 0, "MPI_Test",
				      &(struct mpi_event){.kind = EVENT_REQUEST_TEST, .request = i},
				      1);
		flow_feed_add(&feed, 0, "MPI_Test",
			      &(struct mpi_event){.kind = EVENT_ISEND_COMPLETE, .request = i}, 1);
	}
	flow = flow_feed_build(&feed, &all_options);
	check_recovery(&feed, flow);
	nodes = flow->graphs.items[0].nodes.count;
	assert_int_equal(flow->graphs.items[0].events, 16);
	flow_release(flow);
	flow_feed_release(&feed);
	return nodes;
}

static void polls_that_find_nothing_are_part_of_the_event_that_they_wait_for(void **state)
{
	(void)state;
	for (int vain = 0; vain < 4; vain++)
		assert_int_equal(nodes_of_polls(vain), 2);
}

/* Nodes of sends of two sizes with three tags. */
static size_t nodes_of_sends(const struct flow_options *options)
{
	struct flow_feed feed;
	struct flow *flow;
	size_t nodes;

	flow_feed_begin(&feed, 2);
	for (uint32_t i = 0; i < 30; i++)
		flow_feed_add(&feed, 0, "MPI_Send",
			      &(struct mpi_event){.kind = EVENT_SEND,
						  .peer = 1,
						  .bytes = i % 2 ? 8 : 16,
						  .tag = i % 3},
			      1);
	flow = flow_feed_build(&feed, options);
	check_recovery(&feed, flow);
	nodes = flow->graphs.items[0].nodes.count;
	flow_release(flow);
	flow_feed_release(&feed);
	return nodes;
}

static void folded_fields_do_not_tell_nodes_apart(void **state)
{
	(void)state;
	assert_int_equal(nodes_of_sends(&(struct flow_options){.level = FLOW_BY_SITE}), 6);
	assert_int_equal(nodes_of_sends(&(struct flow_options){.level = FLOW_BY_CALL}), 6);
	assert_int_equal(nodes_of_sends(&(struct flow_options){.level = FLOW_BY_SITE,
							       .folds = FLOW_FOLD_BYTES}),
			 3);
	assert_int_equal(nodes_of_sends(&(struct flow_options){.level = FLOW_BY_SITE,
							       .folds = FLOW_FOLD_TAG}),
			 2);
	assert_int_equal(nodes_of_sends(&(struct flow_options){.level = FLOW_BY_FUNCTION}), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests_of_loops_are_recovered),
		cmocka_unit_test(sequences_without_structure_are_recovered),
		cmocka_unit_test(random_calls_of_threads_are_recovered_field_by_field),
		cmocka_unit_test(lists_of_sizes_are_recovered),
		cmocka_unit_test(graph_of_minighost_has_87_nodes_and_90_edges),
		cmocka_unit_test(iterations_of_a_regular_loop_take_no_bytes),
		cmocka_unit_test(ranks_with_equal_calls_share_a_graph),
		cmocka_unit_test(ranks_that_are_turned_turn_their_graphs),
		cmocka_unit_test(polls_that_find_nothing_are_part_of_the_event_that_they_wait_for),
		cmocka_unit_test(folded_fields_do_not_tell_nodes_apart),
	};

	return cmocka_run_group_tests(tests, scratch_file_make, scratch_file_remove);
}
