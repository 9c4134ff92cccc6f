/* Tests: an archive of some iterations, made of journals whose other calls may be gone, cuts no message. */
#include "trace/assemble/recover.h"
#include "trace/call/mpi_functions.h"
#include "trace/journal/journal_chunks.h"
#include "trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 5, FIRST = 40, COUNT = 10, LAST = FIRST + COUNT, ALL = 100 };
/* Another window, if there are two. */
enum { SECOND = 70, SECOND_COUNT = 5, SECOND_LAST = SECOND + SECOND_COUNT };
enum { CALL_NS = 100, ITERATION_NS = 100000, SKEW_NS = 5 * ITERATION_NS + 7 };

static char folder[64];
static struct error err;

#define MUST(...)                                 \
	do {                                      \
		if ((__VA_ARGS__) < 0)            \
			fail_msg("%s", err.text); \
	} while (0)

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/window-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

/* ------------------------------------------------------------------ programs */

/* A rank that runs. */
struct rank {
	struct journal *journal;
	struct ordinals ordinals;
	uint32_t number;
	uint64_t now_ns;
	uint64_t requests;
	struct journal_iterations window;
};

static void make_call(struct rank *rank, unsigned function, const struct mpi_event *events,
		      uint32_t count)
{
	const struct mpi_call call = {.enter_ns = rank->now_ns,
				      .leave_ns = rank->now_ns + CALL_NS,
				      .events = events,
				      .event_count = count};

	MUST(journal_chunks_call(rank->journal, function, &call, &err));
	rank->now_ns += 2 * CALL_NS;
}

static uint32_t right_of(const struct rank *rank)
{
	return (rank->number + 1) % RANKS;
}

static uint32_t left_of(const struct rank *rank)
{
	return (rank->number + RANKS - 1) % RANKS;
}

typedef void iteration(struct rank *rank, uint32_t i);

/* A ring: the tag is the iteration. */
static void blocking_ring(struct rank *rank, uint32_t i)
{
	const struct mpi_event send = {.kind = EVENT_SEND,
				       .peer = right_of(rank),
				       .tag = i,
				       .bytes = i};
	const struct mpi_event recv = {.kind = EVENT_RECV,
				       .peer = left_of(rank),
				       .tag = i,
				       .bytes = i};

	make_call(rank, CALL_Send, &send, 1);
	make_call(rank, CALL_Recv, &recv, 1);
}

/* Iteration i sends message i, posts the receive of message i + 1, and waits for send i - 1 and receive i. */
static void double_buffer(struct rank *rank, uint32_t i)
{
	const uint64_t sent = 10 + i % 2, posted = 20 + i % 2;
	const struct mpi_event post = {.kind = EVENT_IRECV_REQUEST, .request = 20 + (i + 1) % 2};
	const struct mpi_event send = {
		.kind = EVENT_ISEND, .peer = right_of(rank), .tag = 5, .bytes = i, .request = sent};
	const struct mpi_event ends[] = {{.kind = EVENT_IRECV,
					  .peer = left_of(rank),
					  .tag = 5,
					  .bytes = i,
					  .request = posted},
					 {.kind = EVENT_ISEND_COMPLETE,
					  .request = 10 + (i + 1) % 2}};

	if (i == 0) {
		const struct mpi_event first = {.kind = EVENT_IRECV_REQUEST, .request = posted};

		make_call(rank, CALL_Irecv, &first, 1);
	}
	make_call(rank, CALL_Irecv, &post, 1);
	make_call(rank, CALL_Isend, &send, 1);
	make_call(rank, CALL_Waitall, ends, i ? 2 : 1);
}

/* Rank 0 runs ahead: what it sends in iteration i is received three iterations later. */
static void pipeline(struct rank *rank, uint32_t i)
{
	const uint32_t late = 3 * rank->number;
	const struct mpi_event send = {.kind = EVENT_SEND, .peer = right_of(rank), .bytes = i};
	const struct mpi_event recv = {.kind = EVENT_RECV, .peer = left_of(rank), .bytes = i - 3};

	if (i >= late && rank->number)
		make_call(rank, CALL_Recv, &recv, 1);
	if (i >= late && rank->number + 1 < RANKS)
		make_call(rank, CALL_Send, &send, 1);
}

/* A collective starts in each iteration and ends in the next one; a barrier is in each. */
static void late_collective(struct rank *rank, uint32_t i)
{
	const struct mpi_event begin = {.kind = EVENT_COLLECTIVE_REQUEST, .request = 1 + i % 2};
	const struct mpi_event barrier = {.kind = EVENT_COLLECTIVE, .root = NO_ROOT};
	const struct mpi_event end = {.kind = EVENT_COLLECTIVE_COMPLETE,
				      .collective = COLL_ALLREDUCE,
				      .root = NO_ROOT,
				      .request = 1 + (i + 1) % 2,
				      .bytes_sent = 8,
				      .bytes_received = 8,
				      .operation = "MPI_SUM"};

	make_call(rank, CALL_Barrier, &barrier, 1);
	make_call(rank, CALL_Iallreduce, &begin, 1);
	if (i)
		make_call(rank, CALL_Wait, &end, 1);
}

/* --------------------------------------------------------------------- journals */

static void begin_rank(struct rank *rank, uint32_t number, uint64_t ring_bytes)
{
	const struct mpi_comm comms[] = {
		{.id = COMM_ID_WORLD, .key = 1, .rank = number, .size = RANKS},
		{.id = COMM_ID_SELF, .key = 100 + number, .size = 1}};
	const struct journal_place place = {folder, number, 0};

	*rank = (struct rank){.number = number, .now_ns = 1000000};
	ordinals_init(&rank->ordinals);
	MUST(journal_create(&rank->journal, &place, RANKS, 1000, JOURNAL_LEAST_BYTES, &err));
	MUST(journal_divide(rank->journal, ring_bytes, &rank->ordinals, &err));
	for (int i = 0; i < 2; i++)
		MUST(journal_comm(rank->journal, &comms[i], &err));
	make_call(rank, CALL_Init, NULL, 0);
}

/* What is done with the journal: `drop`: the calls before a window, and those after one more iteration. */
struct plan {
	iteration *iteration;
	bool drop;
	bool twice;	 /* there are two windows */
	bool taken_back; /* rank 2 has no first window after all, but the second */
	uint32_t killed; /* 0: not; rank r before iteration killed + r */
};

static void begin_window(struct rank *rank, const struct plan *plan,
			 struct journal_iterations *window)
{
	if (plan->drop) {
		journal_drop(rank->journal);
		journal_want_calls(rank->journal, true);
		journal_hold(rank->journal, rank->now_ns);
	}
	window->begin_ns = rank->now_ns;
	window->end_ns = UINT64_MAX;
	MUST(journal_iterations(rank->journal, window, &err));
}

static void run_window(struct rank *rank, const struct plan *plan, uint32_t i, uint32_t first,
		       uint32_t last)
{
	struct journal_iterations *window = &rank->window;

	window->first = first + 1;
	window->count = last - first;
	if (i == first)
		begin_window(rank, plan, window);
	if (i == last) {
		window->end_ns = rank->now_ns;
		MUST(journal_iterations(rank->journal, window, &err));
	}
	if (plan->drop && i == last + 1) {
		journal_release(rank->journal);
		journal_want_calls(rank->journal, false);
	}
}

static void run_iteration(struct rank *rank, const struct plan *plan, uint32_t i)
{
	rank->now_ns = 2000000 + rank->number * SKEW_NS + (uint64_t)i * ITERATION_NS;
	if (i <= LAST + 1)
		run_window(rank, plan, i, FIRST, LAST);
	else if (plan->twice)
		run_window(rank, plan, i, SECOND, SECOND_LAST);
	plan->iteration(rank, i);
}

static void record(uint32_t number, const struct plan *plan)
{
	struct journal_iterations first;
	struct rank rank;

	begin_rank(&rank, number, 16 << 20);
	if (plan->drop)
		journal_want_calls(rank.journal, false);
	for (uint32_t i = 0; i < (plan->killed ? plan->killed + number : ALL); i++) {
		run_iteration(&rank, plan, i);
		if (i == FIRST)
			first = rank.window;
	}
	first.count = 0;
	if (plan->taken_back && number == 2)
		MUST(journal_iterations(rank.journal, &first, &err));
	if (!plan->killed) {
		make_call(&rank, CALL_Finalize, NULL, 0);
		MUST(journal_end(rank.journal, rank.now_ns, &err));
	}
	journal_chunks_close(rank.journal);
	ordinals_release(&rank.ordinals);
}

/* ------------------------------------------------------------------ the archive */

/* Messages by sender and number, which is the size of each, and what else the archive has. */
struct found {
	int sent[RANKS][ALL], received[RANKS][ALL];
	int posted, cancelled, send_ends;
	int collectives[RANKS], collective_ends[RANKS];
	uint32_t rank;
	uint64_t first_ns[RANKS], last_ns[RANKS], off_ns[RANKS];
};

static int find(void *data, const struct mpi_call *call, struct error *error)
{
	struct found *found = data;

	(void)error;
	if (!found->first_ns[found->rank])
		found->first_ns[found->rank] = call->enter_ns;
	found->last_ns[found->rank] = call->leave_ns;
	if (strcmp(call->function, RECORDING_OFF) == 0)
		found->off_ns[found->rank] += call->leave_ns - call->enter_ns;
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		if (event->kind == EVENT_SEND || event->kind == EVENT_ISEND)
			found->sent[found->rank][event->bytes]++;
		if (event->kind == EVENT_RECV || event->kind == EVENT_IRECV)
			found->received[event->peer][event->bytes]++;
		found->posted += event->kind == EVENT_IRECV_REQUEST;
		found->cancelled += event->kind == EVENT_REQUEST_CANCELLED;
		found->send_ends += event->kind == EVENT_ISEND_COMPLETE;
		found->collectives[found->rank] += event->kind == EVENT_COLLECTIVE;
		found->collective_ends[found->rank] += event->kind == EVENT_COLLECTIVE_COMPLETE;
	}
	return 0;
}

static struct found make_archive(const struct plan *plan)
{
	const struct recover_options options = {0};
	struct recovered result;
	struct trace_reader *reader;
	struct found found = {0};

	for (uint32_t i = 0; i < RANKS; i++)
		record(i, plan);
	MUST(recover(folder, &options, &result, &err));
	recovered_release(&result);
	MUST(trace_reader_open(&reader, folder, &err));
	for (found.rank = 0; found.rank < RANKS; found.rank++)
		MUST(trace_reader_rank(reader, found.rank, find, &found, &err));
	trace_reader_close(reader);
	return found;
}

static void expect_messages(const struct found *found, uint32_t senders, int from, int to)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < ALL; i++) {
			const int expected = rank < senders && i >= from && i < to;

			assert_int_equal(found->sent[rank][i], expected);
			assert_int_equal(found->received[rank][i], expected);
		}
}

static void expect_times(const struct found *found)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		assert_int_equal(found->last_ns[rank] - found->first_ns[rank],
				 COUNT * ITERATION_NS);
}

static void the_window_has_the_messages_of_its_iterations(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(&(struct plan){.iteration = blocking_ring});
	expect_messages(&found, RANKS, FIRST, LAST);
	expect_times(&found);
}

static void so_it_has_if_calls_outside_are_gone(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(&(struct plan){.iteration = blocking_ring, .drop = true});
	expect_messages(&found, RANKS, FIRST, LAST);
	expect_times(&found);
}

static void expect_double_buffers(bool drop)
{
	const struct found found = make_archive(
		&(struct plan){.iteration = double_buffer, .drop = drop});

	expect_messages(&found, RANKS, FIRST, LAST);
	assert_int_equal(found.send_ends, RANKS * COUNT);
	/* The receive of the message after the last one is posted, too, and is not received. */
	assert_int_equal(found.posted, RANKS * (COUNT + 1));
	assert_int_equal(found.cancelled, RANKS);
}

static void requests_that_cross_the_edges_are_whole(void **state)
{
	(void)state;
	expect_double_buffers(false);
}

static void so_they_are_if_calls_outside_are_gone(void **state)
{
	(void)state;
	expect_double_buffers(true);
}

static void messages_between_other_iterations_of_ranks_are_left_out_at_both_ends(void **state)
{
	struct found found;

	(void)state;
	/* Message i is sent in iteration i and received in iteration i + 3 of the receiver. */
	found = make_archive(&(struct plan){.iteration = pipeline, .drop = true});
	expect_messages(&found, RANKS - 1, FIRST, LAST - 3);
}

static void collectives_that_end_outside_are_left_out_on_all_ranks(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(&(struct plan){.iteration = late_collective, .drop = true});
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_int_equal(found.collectives[rank], COUNT);
		assert_int_equal(found.collective_ends[rank], COUNT - 1);
	}
}

static void a_killed_run_has_what_all_ranks_have_of_the_window(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(
		&(struct plan){.iteration = blocking_ring, .drop = true, .killed = FIRST + 3});
	/* Rank r has ended after its iteration FIRST + 2 + r; its left neighbour has sent as much as it has. */
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < ALL; i++)
			assert_int_equal(found.sent[rank][i], found.received[rank][i]);
	assert_int_equal(found.sent[1][FIRST], 1);
	assert_int_equal(found.sent[1][FIRST + 3], 1);
	assert_int_equal(found.sent[4][FIRST + 2], 1);
	assert_int_equal(found.sent[4][FIRST + 3], 0);
}

static bool is_in_windows(int i)
{
	return (i >= FIRST && i < LAST) || (i >= SECOND && i < SECOND_LAST);
}

static void two_windows_have_the_messages_of_their_iterations(void **state)
{
	struct found found;

	(void)state;
	for (int drop = 0; drop < 2; drop++) {
		found = make_archive(
			&(struct plan){.iteration = blocking_ring, .drop = drop, .twice = true});
		for (uint32_t rank = 0; rank < RANKS; rank++) {
			for (int i = 0; i < ALL; i++) {
				assert_int_equal(found.sent[rank][i], is_in_windows(i));
				assert_int_equal(found.received[rank][i], is_in_windows(i));
			}
			assert_int_equal(found.last_ns[rank] - found.first_ns[rank],
					 (SECOND_LAST - FIRST) * ITERATION_NS);
			assert_int_equal(found.off_ns[rank], (SECOND - LAST) * ITERATION_NS);
		}
		tear_down(state);
		set_up(state);
	}
}

static void requests_that_cross_the_edges_of_two_windows_are_whole(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(
		&(struct plan){.iteration = double_buffer, .drop = true, .twice = true});
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < ALL; i++)
			assert_int_equal(found.received[rank][i], is_in_windows(i));
	assert_int_equal(found.send_ends, RANKS * (COUNT + SECOND_COUNT));
	assert_int_equal(found.cancelled, 2 * RANKS);
}

static void collectives_are_those_of_two_windows(void **state)
{
	struct found found;

	(void)state;
	found = make_archive(
		&(struct plan){.iteration = late_collective, .drop = true, .twice = true});
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_int_equal(found.collectives[rank], COUNT + SECOND_COUNT);
		assert_int_equal(found.collective_ends[rank], COUNT - 1 + SECOND_COUNT - 1);
	}
}

static void messages_from_one_window_to_the_other_are_left_out(void **state)
{
	struct found found;

	(void)state;
	/* Message i is received three iterations later: none of the second window's first and last three. */
	found = make_archive(&(struct plan){.iteration = pipeline, .drop = true, .twice = true});
	for (uint32_t rank = 0; rank + 1 < RANKS; rank++)
		for (int i = 0; i < ALL; i++)
			assert_int_equal(found.sent[rank][i],
					 (i >= FIRST && i < LAST - 3) ||
						 (i >= SECOND && i < SECOND_LAST - 3));
}

static void a_run_killed_in_the_second_window_has_the_first_one_whole(void **state)
{
	struct found found;

	(void)state;
	/* Rank 0 has not begun the second one, rank 4 is in its middle. */
	found = make_archive(&(struct plan){
		.iteration = blocking_ring, .drop = true, .twice = true, .killed = SECOND - 1});
	expect_messages(&found, RANKS, FIRST, LAST);
}

static void a_window_that_is_taken_back_is_none(void **state)
{
	const struct plan plan = {.iteration = blocking_ring, .taken_back = true, .twice = true};
	struct found found;

	(void)state;
	/* The first window of the others is not that of rank 2: no message is cut, and there is one window. */
	found = make_archive(&plan);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < ALL; i++)
			assert_int_equal(found.sent[rank][i], found.received[rank][i]);
	assert_int_equal(found.off_ns[2], 0);
	assert_int_equal(found.last_ns[2] - found.first_ns[2], SECOND_COUNT * ITERATION_NS);
}

enum { SMALL_RING = 4 << 12, MANY = 20000 };

/* Run many iterations of the double buffer, whose oldest calls are removed; message i has i % ALL bytes. */
static void overflow(uint32_t number)
{
	struct rank rank;

	begin_rank(&rank, number, SMALL_RING);
	for (uint32_t i = 0; i < MANY + number; i++) {
		const struct mpi_event send = {.kind = EVENT_SEND,
					       .peer = right_of(&rank),
					       .bytes = i % ALL};
		const struct mpi_event recv = {.kind = EVENT_RECV,
					       .peer = left_of(&rank),
					       .bytes = i % ALL};

		rank.now_ns = 2000000 + number * SKEW_NS + (uint64_t)i * ITERATION_NS;
		make_call(&rank, CALL_Send, &send, 1);
		make_call(&rank, CALL_Recv, &recv, 1);
	}
	assert_true(journal_has_dropped(rank.journal));
	journal_chunks_close(rank.journal);
	ordinals_release(&rank.ordinals);
}

static void a_killed_run_without_window_has_the_last_calls(void **state)
{
	const struct recover_options options = {0};
	struct recovered result;
	struct trace_reader *reader;
	struct found found = {0};
	int messages = 0;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++)
		overflow(i);
	MUST(recover(folder, &options, &result, &err));
	recovered_release(&result);
	MUST(trace_reader_open(&reader, folder, &err));
	assert_true(trace_reader_world(reader)->incomplete);
	for (found.rank = 0; found.rank < RANKS; found.rank++)
		MUST(trace_reader_rank(reader, found.rank, find, &found, &err));
	trace_reader_close(reader);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < ALL; i++) {
			assert_int_equal(found.sent[rank][i], found.received[rank][i]);
			messages += found.sent[rank][i];
		}
	assert_true(messages > RANKS * 100);
	assert_true(messages < RANKS * MANY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_window_has_the_messages_of_its_iterations),
		TEST(so_it_has_if_calls_outside_are_gone),
		TEST(requests_that_cross_the_edges_are_whole),
		TEST(so_they_are_if_calls_outside_are_gone),
		TEST(messages_between_other_iterations_of_ranks_are_left_out_at_both_ends),
		TEST(collectives_that_end_outside_are_left_out_on_all_ranks),
		TEST(a_killed_run_has_what_all_ranks_have_of_the_window),
		TEST(two_windows_have_the_messages_of_their_iterations),
		TEST(requests_that_cross_the_edges_of_two_windows_are_whole),
		TEST(collectives_are_those_of_two_windows),
		TEST(messages_from_one_window_to_the_other_are_left_out),
		TEST(a_run_killed_in_the_second_window_has_the_first_one_whole),
		TEST(a_window_that_is_taken_back_is_none),
		TEST(a_killed_run_without_window_has_the_last_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
