/* Several threads of a rank become concurrent chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"

#include <string.h>

/* A call of a thread, in times since MPI_Init has returned. */
#define at(feed, thread, enter, leave, name, ...)                                           \
	call_at(feed, thread, enter, leave, name,                                           \
		sizeof((struct mpi_event[]){__VA_ARGS__}) / sizeof(struct mpi_event),       \
		(struct mpi_event[]){__VA_ARGS__})
static void call_at(struct feed *feed, uint32_t thread, uint64_t enter, uint64_t leave,
		    const char *name, uint32_t count, const struct mpi_event *events)
{
	struct mpi_call call = {
		.function = name, .thread = thread, .enter_ns = feed->now_ns + enter,
		.leave_ns = feed->now_ns + leave, .events = events, .event_count = count
	};

	feed_must(feed, convert_call(&feed->convert, &call, &feed->err));
}

static void plain_at(struct feed *feed, uint32_t thread, uint64_t enter, const char *name)
{
	call_at(feed, thread, enter, enter + 10, name, 0, NULL);
}

static void a_thread_is_a_chain_that_begins_as_late_as_its_first_call(void **state)
{
	struct feed *feed = *state;

	at(feed, 0, 100, 200, "MPI_Send", SEND(0, 1, 5, 8));
	at(feed, 1, 150, 600, "MPI_Recv", RECV(0, 1, 6, 9));
	at(feed, 0, 300, 400, "MPI_Send", SEND(0, 1, 5, 10));
	at(feed, 2, 500, 550, "MPI_Recv", RECV(0, 1, 7, 11));
	at(feed, 1, 650, 700, "MPI_Send", SEND(0, 1, 6, 12));
	plain_at(feed, 0, 1000, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "calc 150 cpu 1\n"
			  "recv 9 from 1 tag 6 cpu 1 > 2\n"
			  "calc 100 > 1\n"
			  "send 10 to 1 tag 5 > 4\n"
			  "calc 500 cpu 2\n"
			  "recv 11 from 1 tag 7 cpu 2 > 6\n"
			  "calc 50 cpu 1 > 3\n"
			  "send 12 to 1 tag 6 cpu 1 > 8\n"
			  "calc 600 > 5\n");
	/* The threads ran from their first to their last call. */
	assert_true(feed->convert.totals.run_ns == 1000 + (700 - 150) + (550 - 500));
}

static void a_request_that_another_thread_completes_joins_the_two(void **state)
{
	struct feed *feed = *state;

	at(feed, 0, 0, 0, "MPI_Irecv", POST(1));
	at(feed, 0, 0, 0, "MPI_Isend", ISEND(0, 2, 3, 4, 2));
	at(feed, 1, 50, 90, "MPI_Waitall", IRECV(0, 2, 3, 44, 1), ISENT(2));
	at(feed, 0, 70, 80, "MPI_Send", SEND(0, 1, 5, 0));
	at(feed, 1, 90, 95, "MPI_Send", SEND(0, 1, 6, 0));
	feed_end(feed);
	feed_expect(feed, "recv 44 from 2 tag 3\n"
			  "send 4 to 2 tag 3\n"
			  "calc 50 cpu 1\n"
			  "calc 70 >> 1\n"
			  "send 0 to 1 tag 5 > 3\n"
			  "calc 0 cpu 1 > 2 0 1\n"
			  "send 0 to 1 tag 6 cpu 1 > 5\n");
}

static void a_collective_that_another_thread_completes_is_after_its_start(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 1);
	at(feed, 1, 20, 20, "MPI_Ibarrier", ICOLL(7));
	at(feed, 0, 30, 40, "MPI_Wait", ICOLL_DONE(COLL_BARRIER, 2, 7));
	feed_end(feed);
	/* It belongs to the thread that has started it.  The first tag of its kind is 2^31. */
	feed_expect(feed, "calc 20 cpu 1\n"
			  "calc 30\n"
			  "send 0 to 3 tag 2147483648 cpu 1 > 0\n"
			  "recv 0 from 3 tag 2147483648 cpu 1 > 0\n");
}

static void collectives_of_a_communicator_have_one_tag_in_all_threads(void **state)
{
	struct feed *feed = *state;
	uint32_t tag = 0;

	feed_begin(feed, 1);
	at(feed, 0, 0, 10, "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 2));
	at(feed, 1, 10, 20, "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 2));
	at(feed, 2, 20, 30, "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 2));
	feed_end(feed);
	for (size_t i = 0; i < feed->convert.builder.ops.count; i++) {
		const struct goal_new_op *op = &feed->convert.builder.ops.items[i];

		if (op->kind == GOAL_CALC)
			continue;
		assert_true(!tag || op->tag == tag);
		tag = op->tag;
	}
	assert_true(tag != 0);
}

/* Polls of one thread, with calls of another between them. */
static void each_thread_polls_for_itself(void **state)
{
	struct feed *feed = *state;

	at(feed, 0, 0, 0, "MPI_Irecv", POST(1));
	for (uint64_t i = 0; i < 5; i++) {
		at(feed, 0, 100 * i, 100 * i + 10, "MPI_Test", TESTED(1));
		at(feed, 1, 100 * i + 50, 100 * i + 60, "MPI_Send", SEND(0, 1, 5, i));
	}
	at(feed, 0, 500, 510, "MPI_Test", IRECV(0, 1, 9, 3, 1));
	plain_at(feed, 0, 520, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "recv 3 from 1 tag 9\n"
			  "calc 50 cpu 1\n"
			  "send 0 to 1 tag 5 cpu 1 > 1\n"
			  "calc 90 cpu 1 > 2\n"
			  "send 1 to 1 tag 5 cpu 1 > 3\n"
			  "calc 90 cpu 1 > 4\n"
			  "send 2 to 1 tag 5 cpu 1 > 5\n"
			  "calc 90 cpu 1 > 6\n"
			  "send 3 to 1 tag 5 cpu 1 > 7\n"
			  "calc 90 cpu 1 > 8\n"
			  "send 4 to 1 tag 5 cpu 1 > 9\n"
			  "calc 10 > 0\n");
}

static void calls_at_the_end_of_a_thread_count_though_they_are_not_modelled(void **state)
{
	struct feed *feed = *state;

	at(feed, 1, 10, 20, "MPI_Send", SEND(0, 1, 5, 0));
	call_at(feed, 1, 30, 90, "MPI_File_write", 0, NULL);
	plain_at(feed, 0, 100, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 10 cpu 1\n"
			  "send 0 to 1 tag 5 cpu 1 > 0\n"
			  "calc 100\n"
			  "calc 70 cpu 1 > 1\n");
}

static void threads_of_one_rank_are_not_those_of_the_next(void **state)
{
	struct feed *feed = *state;

	at(feed, 3, 10, 20, "MPI_Send", SEND(0, 1, 5, 0));
	feed_end(feed);
	feed_begin(feed, 1);
	plain_at(feed, 0, 100, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n");
	feed_begin(feed, 2);
	at(feed, 1, 10, 20, "MPI_Send", SEND(0, 1, 5, 0));
	feed_end(feed);
	feed_expect(feed, "calc 10 cpu 1\n"
			  "send 0 to 1 tag 5 cpu 1 > 0\n");
}

/* From 100 to 600 ns since MPI_Init has returned. */
static void a_window_cuts_all_threads_at_the_same_time(void **state)
{
	static const struct rank_slice slice = {1000010 + 100, 1000010 + 600};
	const struct convert_options options = {.compute_scale = 1, .slices = &slice};
	struct feed *feed = *state;

	feed_release(feed);
	feed_init(feed, &options);
	feed_begin(feed, 0);
	at(feed, 0, 50, 60, "MPI_Send", SEND(0, 1, 5, 8));
	at(feed, 1, 80, 120, "MPI_Irecv", POST(1));
	at(feed, 0, 200, 300, "MPI_Send", SEND(0, 1, 5, 9));
	at(feed, 1, 250, 260, "MPI_Irecv", POST(2));
	/* This thread does nothing after the slice, the next one nothing before its end. */
	at(feed, 2, 400, 410, "MPI_Send", SEND(0, 2, 5, 10));
	at(feed, 1, 700, 800, "MPI_Waitall", IRECV(0, 3, 5, 11, 1), IRECV(0, 3, 5, 12, 2));
	at(feed, 3, 750, 760, "MPI_Send", SEND(0, 2, 5, 13));
	plain_at(feed, 0, 1000, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 9 to 1 tag 5 > 0\n"
			  "calc 130 cpu 1\n"
			  "recv 12 from 3 tag 5 cpu 1 > 2\n"
			  "calc 300 cpu 2\n"
			  "send 10 to 2 tag 5 cpu 2 > 4\n"
			  "calc 300 > 1\n"
			  "calc 340 cpu 1 > 2\n"
			  "calc 0 cpu 2 > 5\n");
	/* The first two from edge to edge, the third in its call. */
	assert_int_equal(feed->convert.totals.run_ns, 500 + 500 + 10);
}

static void a_rank_without_calls_is_empty(void **state)
{
	struct feed *feed = *state;

	convert_begin(&feed->convert, 1);
	feed_end(feed);
	feed_expect(feed, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, feed_set_up, feed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_thread_is_a_chain_that_begins_as_late_as_its_first_call),
		TEST(a_request_that_another_thread_completes_joins_the_two),
		TEST(a_collective_that_another_thread_completes_is_after_its_start),
		TEST(collectives_of_a_communicator_have_one_tag_in_all_threads),
		TEST(each_thread_polls_for_itself),
		TEST(calls_at_the_end_of_a_thread_count_though_they_are_not_modelled),
		TEST(threads_of_one_rank_are_not_those_of_the_next),
		TEST(a_window_cuts_all_threads_at_the_same_time),
		TEST(a_rank_without_calls_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
