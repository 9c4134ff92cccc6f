/* Waits and critical paths of small programs, whose times are given to the nanosecond. */
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "test/unit/lib/make/feed.h"

/* ------------------------------------------------------------------- messages */

static void a_receive_waits_for_a_late_sender(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Send", 70, 75, SEND(0, 1, 5, 8));
	made_plain(&made, 0, "MPI_Finalize", 80, 200);
	made_call(&made, 1, "MPI_Recv", 30, 90, RECV(0, 0, 5, 8));
	made_plain(&made, 1, "MPI_Finalize", 100, 200);
	made_end(&made);
	made_expect_wait(&made, 1, 1, 40, 0, 1);
	made_expect_no_wait(&made, 0, 1);
	made_expect(&made, "0 compute 0-70, 1 MPI_Recv 70-90, 1 compute 90-100");
	made_release(&made);
}

static void a_synchronous_send_waits_for_a_late_receiver(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Ssend", 20, 75, SEND(0, 1, 5, 8));
	made_plain(&made, 0, "MPI_Finalize", 180, 200);
	made_call(&made, 1, "MPI_Recv", 60, 70, RECV(0, 0, 5, 8));
	made_plain(&made, 1, "MPI_Finalize", 100, 200);
	made_end(&made);
	made_expect_wait(&made, 0, 1, 40, 1, 1);
	made_expect_no_wait(&made, 1, 1);
	made_expect(&made, "1 compute 0-60, 0 MPI_Ssend 60-75, 0 compute 75-180");
	made_release(&made);
}

static void a_standard_send_waits_only_if_it_ends_after_its_receive_has_begun(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Send", 20, 59, SEND(0, 1, 5, 8));
	made_call(&made, 0, "MPI_Send", 65, 90, SEND(0, 1, 5, 8));
	made_call(&made, 0, "MPI_Bsend", 95, 140, SEND(0, 1, 5, 8));
	made_call(&made, 1, "MPI_Recv", 60, 65, RECV(0, 0, 5, 8));
	made_call(&made, 1, "MPI_Recv", 80, 85, RECV(0, 0, 5, 8));
	made_call(&made, 1, "MPI_Recv", 130, 135, RECV(0, 0, 5, 8));
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	made_expect_wait(&made, 0, 2, 15, 1, 2);
	made_expect_no_wait(&made, 0, 3);
	made_expect(&made, "1 compute 0-60, 1 MPI_Recv 60-65, 1 compute 65-80, 0 MPI_Send 80-90, "
			   "0 compute 90-95, 0 MPI_Bsend 95-140");
	made_release(&made);
}

static void ping_pong_leads_from_rank_to_rank(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t t = 0; t < 200; t += 100) {
		made_call(&made, 0, "MPI_Send", t + 10, t + 12, SEND(0, 1, 0, 8));
		made_call(&made, 0, "MPI_Recv", t + 12, t + 60, RECV(0, 1, 1, 8));
		made_call(&made, 1, "MPI_Recv", t + 5, t + 30, RECV(0, 0, 0, 8));
		made_call(&made, 1, "MPI_Send", t + 40, t + 42, SEND(0, 0, 1, 8));
	}
	made_end(&made);
	made_expect_wait(&made, 1, 3, 5, 0, 3);
	made_expect_wait(&made, 0, 4, 28, 1, 4);
	made_expect(&made, "0 compute 0-10, 1 MPI_Recv 10-30, 1 compute 30-40, 0 MPI_Recv 40-60, "
			   "0 compute 60-110, 1 MPI_Recv 110-130, 1 compute 130-140, "
			   "0 MPI_Recv 140-160");
	made_release(&made);
}

static void a_ring_passes_the_path_around(void **state)
{
	enum { RANKS = 4 };
	struct made_run made;

	(void)state;
	made_begin(&made, RANKS);
	made_call(&made, 0, "MPI_Send", 10, 12, SEND(0, 1, 0, 8));
	made_call(&made, 0, "MPI_Recv", 12, 90, RECV(0, RANKS - 1, 0, 8));
	for (uint32_t r = 1; r < RANKS; r++) {
		made_call(&made, r, "MPI_Recv", 5, 20 * r + 5, RECV(0, r - 1, 0, 8));
		made_call(&made, r, "MPI_Send", 20 * r + 10, 20 * r + 12,
			  SEND(0, (r + 1) % RANKS, 0, 8));
	}
	made_end(&made);
	for (uint32_t r = 1; r < RANKS; r++)
		made_expect_wait(&made, r, 1, r == 1 ? 5 : 20 * r - 15, r - 1, r == 1 ? 1 : 2);
	made_expect(&made, "0 compute 0-10, 1 MPI_Recv 10-25, 1 compute 25-30, 2 MPI_Recv 30-45, "
			   "2 compute 45-50, 3 MPI_Recv 50-65, 3 compute 65-70, 0 MPI_Recv 70-90");
	assert_int_equal(made.walk.rank_switches, 4);
	made_release(&made);
}

static void a_pipeline_follows_the_slow_stage(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	/* Stage 0 takes 10, stage 1 takes 40, stage 2 takes 10 for each of three items. */
	for (uint64_t i = 0; i < 3; i++) {
		made_call(&made, 0, "MPI_Send", 10 * i + 10, 10 * i + 10, SEND(0, 1, 0, 8));
		made_call(&made, 1, "MPI_Recv", i ? 40 * i + 12 : 0, i ? 40 * i + 12 : 12,
			  RECV(0, 0, 0, 8));
		made_call(&made, 1, "MPI_Send", 40 * i + 52, 40 * i + 52, SEND(0, 2, 0, 8));
		made_call(&made, 2, "MPI_Recv", i ? 40 * i + 24 : 0, 40 * i + 54, RECV(0, 1, 0, 8));
		made_plain(&made, 2, "MPI_Iprobe", 40 * i + 64, 40 * i + 64);
	}
	made_end(&made);
	made_expect(&made, "0 compute 0-10, 1 MPI_Recv 10-12, 1 compute 12-52, 1 compute 52-92, "
			   "1 compute 92-132, 2 MPI_Recv 132-134, 2 compute 134-144");
	made_release(&made);
}

static void a_call_that_completes_several_requests_waits_for_the_last(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 4);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Irecv", 6, 7, POST(2));
	made_call(&made, 0, "MPI_Issend", 7, 8, ISEND(0, 3, 0, 8, 3));
	made_call(&made, 0, "MPI_Waitall", 10, 80, IRECV(0, 1, 0, 8, 1), IRECV(0, 2, 0, 8, 2),
		  ISENT(3));
	made_call(&made, 1, "MPI_Send", 30, 31, SEND(0, 0, 0, 8));
	made_call(&made, 2, "MPI_Send", 50, 51, SEND(0, 0, 0, 8));
	made_call(&made, 3, "MPI_Recv", 60, 70, RECV(0, 0, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 4, 50, 3, 1);
	made_expect(&made, "3 compute 0-60, 0 MPI_Waitall 60-80");
	made_release(&made);
}

static void a_send_that_need_not_wait_leaves_the_late_sender(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Isend", 7, 8, ISEND(0, 2, 0, 8, 3));
	made_call(&made, 0, "MPI_Waitall", 10, 80, IRECV(0, 1, 0, 8, 1), ISENT(3));
	made_call(&made, 1, "MPI_Send", 50, 51, SEND(0, 0, 0, 8));
	made_call(&made, 2, "MPI_Recv", 60, 70, RECV(0, 0, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 3, 40, 1, 1);
	made_expect(&made, "1 compute 0-50, 0 MPI_Waitall 50-80");
	made_release(&made);
}

static void a_synchronous_send_in_the_same_call_does_not_change_that(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 4);
	made_call(&made, 0, "MPI_Irecv", 1, 1, POST(1));
	made_call(&made, 0, "MPI_Issend", 2, 2, ISEND(0, 2, 0, 8, 2));
	made_call(&made, 0, "MPI_Isend", 3, 3, ISEND(0, 3, 0, 8, 3));
	made_call(&made, 0, "MPI_Waitall", 10, 50, IRECV(0, 1, 0, 8, 1), ISENT(2), ISENT(3));
	made_call(&made, 1, "MPI_Send", 20, 21, SEND(0, 0, 0, 8));
	made_call(&made, 2, "MPI_Recv", 30, 31, RECV(0, 0, 0, 8));
	made_call(&made, 3, "MPI_Recv", 40, 41, RECV(0, 0, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 4, 20, 2, 1);
	made_release(&made);
}

static void polls_that_find_nothing_are_one_wait(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_take(&made, 0,
		  &(struct mpi_call){.function = "MPI_Test",
				     .enter_ns = 10,
				     .leave_ns = 70,
				     .polls = 30,
				     .events = (struct mpi_event[]){TESTED(1)},
				     .event_count = 1});
	made_call(&made, 0, "MPI_Test", 72, 73, IRECV(0, 1, 0, 8, 1));
	made_plain(&made, 0, "MPI_Finalize", 80, 90);
	made_call(&made, 1, "MPI_Send", 50, 51, SEND(0, 0, 0, 8));
	made_end(&made);
	assert_int_equal(made.run.ranks[0].calls.count, 4);
	made_expect_wait(&made, 0, 2, 40, 1, 1);
	made_expect(&made, "1 compute 0-50, 0 MPI_Test 50-73, 0 compute 73-80");
	made_release(&made);
}

static void a_probe_waits_for_the_message_that_the_next_call_receives(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_plain(&made, 0, "MPI_Probe", 10, 45);
	made_call(&made, 0, "MPI_Recv", 46, 50, RECV(0, 1, 0, 8));
	made_take(&made, 0,
		  &(struct mpi_call){
			  .function = "MPI_Iprobe", .enter_ns = 60, .leave_ns = 90, .polls = 10});
	made_plain(&made, 0, "MPI_Iprobe", 92, 95);
	made_call(&made, 0, "MPI_Recv", 96, 97, RECV(0, 1, 0, 8));
	/* This probe found another message, or none. */
	made_plain(&made, 0, "MPI_Iprobe", 100, 101);
	made_call(&made, 0, "MPI_Recv", 102, 130, RECV(0, 1, 0, 8));
	for (uint64_t t = 40; t <= 120; t += 40)
		made_call(&made, 1, "MPI_Send", t, t + 1, SEND(0, 0, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 30, 1, 1);
	made_expect_no_wait(&made, 0, 2);
	made_expect_wait(&made, 0, 3, 20, 1, 2);
	made_expect_no_wait(&made, 0, 4);
	made_expect_no_wait(&made, 0, 5);
	made_expect_wait(&made, 0, 6, 18, 1, 3);
	made_release(&made);
}

static void freeing_a_request_waits_for_nobody(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Request_free", 7, 20, IRECV(0, 1, 0, 8, 1));
	made_call(&made, 0, "MPI_Irecv", 25, 26, POST(2));
	made_call(&made, 0, "MPI_Request_free", 27, 28, IRECV(0, 1, 0, 8, 2));
	made_call(&made, 1, "MPI_Send", 15, 16, SEND(0, 0, 0, 8));
	made_call(&made, 1, "MPI_Send", 35, 36, SEND(0, 0, 0, 8));
	made_end(&made);
	made_expect_no_wait(&made, 0, 2);
	made_expect_no_wait(&made, 0, 4);
	assert_int_equal(made.run.violations.count, 0);
	assert_int_equal(made.run.violations.messages, 2);
	made_release(&made);
}

static void receives_of_any_source_match_in_the_order_of_their_posts(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	/* Posted by any source, and from rank 1; they complete in the other order. */
	made_call(&made, 0, "MPI_Irecv", 1, 2, POST(7));
	made_call(&made, 0, "MPI_Irecv", 2, 3, POST(8));
	made_call(&made, 0, "MPI_Wait", 10, 65, IRECV(0, 1, 4, 8, 8));
	made_call(&made, 0, "MPI_Wait", 66, 67, IRECV(0, 1, 4, 8, 7));
	made_call(&made, 0, "MPI_Recv", 70, 95, RECV(0, 2, 4, 8));
	made_call(&made, 1, "MPI_Send", 30, 31, SEND(0, 0, 4, 8));
	made_call(&made, 1, "MPI_Send", 60, 61, SEND(0, 0, 4, 8));
	made_call(&made, 2, "MPI_Send", 90, 91, SEND(0, 0, 4, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 3, 50, 1, 2);
	made_expect_no_wait(&made, 0, 4);
	made_expect_wait(&made, 0, 5, 20, 2, 1);
	made_release(&made);
}

static void messages_of_another_tag_or_communicator_are_apart(void **state)
{
	struct made_run made;
	uint32_t pair;

	(void)state;
	made_begin(&made, 3);
	pair = made_comm(&made, 2, (uint32_t[]){2, 0});
	/* Rank 1 of the pair is rank 0 of the world. */
	made_call(&made, 2, "MPI_Send", 10, 11, SEND(0, 0, 4, 8));
	made_call(&made, 2, "MPI_Send", 20, 21, SEND(0, 0, 5, 8));
	made_call(&made, 2, "MPI_Send", 30, 31, SEND(pair, 1, 4, 8));
	made_call(&made, 0, "MPI_Recv", 1, 32, RECV(pair, 0, 4, 8));
	made_call(&made, 0, "MPI_Recv", 33, 34, RECV(0, 2, 5, 8));
	made_call(&made, 0, "MPI_Recv", 35, 36, RECV(0, 2, 4, 8));
	made_call(&made, 1, "MPI_Recv", 1, 2, RECV(0, 2, 9, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 29, 2, 3);
	assert_int_equal(made.run.violations.messages, 3);
	assert_int_equal(made.run.unmatched_recvs, 1);
	assert_int_equal(made.run.unmatched_sends, 0);
	made_release(&made);
}

static void a_persistent_request_waits_each_time(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t t = 0; t < 200; t += 100) {
		made_call(&made, 0, "MPI_Start", t + 1, t + 2, POST(1));
		made_call(&made, 0, "MPI_Wait", t + 5, t + 60, IRECV(0, 1, 0, 8, 1));
		made_call(&made, 1, "MPI_Start", t + 50, t + 51, ISEND(0, 0, 0, 8, 1));
		made_call(&made, 1, "MPI_Wait", t + 55, t + 56, ISENT(1));
	}
	made_end(&made);
	made_expect_wait(&made, 0, 2, 45, 1, 1);
	made_expect_wait(&made, 0, 4, 45, 1, 3);
	assert_int_equal(made.run.ranks[0].incomplete + made.run.ranks[1].incomplete, 0);
	made_release(&made);
}

/* -------------------------------------------------------------------- threads */

static void each_thread_is_followed_to_its_own_calls(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_thread_call(&made, 0, 0, "MPI_Recv", 10, 100, RECV(0, 1, 0, 8));
	made_thread_call(&made, 0, 1, "MPI_Recv", 20, 40, RECV(0, 1, 1, 8));
	made_thread_call(&made, 0, 1, "MPI_Send", 60, 61, SEND(0, 1, 2, 8));
	made_call(&made, 1, "MPI_Send", 30, 31, SEND(0, 0, 1, 8));
	made_call(&made, 1, "MPI_Recv", 32, 70, RECV(0, 0, 2, 8));
	made_call(&made, 1, "MPI_Send", 80, 81, SEND(0, 0, 0, 8));
	made_end(&made);
	made_expect(&made, "1 compute 0-30, 0 MPI_Recv 30-40, 0 compute 40-60, 1 MPI_Recv 60-70, "
			   "1 compute 70-80, 0 MPI_Recv 80-100");
	made_release(&made);
}

static void a_thread_waits_for_another_thread_of_its_rank(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 1);
	made_thread_call(&made, 0, 0, "MPI_Recv", 10, 100, RECV(0, 0, 0, 8));
	made_thread_call(&made, 0, 1, "MPI_Send", 60, 61, SEND(0, 0, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 50, 0, 2);
	made_expect(&made, "0 compute 0-60, 0 MPI_Recv 60-100");
	assert_int_equal(made.walk.rank_switches, 0);
	made_release(&made);
}

/* ------------------------------------------------------------- begin, end, gaps */

static void a_rank_that_starts_late_is_followed_to_the_begin_of_the_run(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made.clocks_ns[0] = 0;
	made_call(&made, 0, "MPI_Recv", 10, 60, RECV(0, 1, 0, 8));
	made.clocks_ns[1] = 40;
	made_call(&made, 1, "MPI_Send", 5, 6, SEND(0, 0, 0, 8));
	made_end(&made);
	made_expect(&made, "1 start 0-40, 1 compute 40-45, 0 MPI_Recv 45-60");
	made_release(&made);
}

static void time_without_recording_is_unknown(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 1);
	made_plain(&made, 0, "MPI_Wtime", 10, 20);
	made_plain(&made, 0, "(recording off)", 30, 70);
	made_plain(&made, 0, "MPI_Finalize", 90, 100);
	made_end(&made);
	made_expect(&made, "0 compute 0-10, 0 MPI_Wtime 10-20, 0 compute 20-30, 0 unknown 30-70, "
			   "0 compute 70-90");
	made_release(&made);
}

static void clocks_that_contradict_each_other_are_counted_and_end(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	/* Each receives before the other sends. */
	made_call(&made, 0, "MPI_Recv", 10, 20, RECV(0, 1, 0, 8));
	made_call(&made, 0, "MPI_Send", 50, 51, SEND(0, 1, 0, 8));
	made_call(&made, 1, "MPI_Recv", 10, 30, RECV(0, 0, 0, 8));
	made_call(&made, 1, "MPI_Send", 60, 61, SEND(0, 0, 0, 8));
	made_end(&made);
	assert_int_equal(made.run.violations.count, 2);
	assert_int_equal(made.run.violations.messages, 2);
	assert_int_equal(made.run.violations.most_ns, 40);
	assert_int_equal(made.run.violations.sender, 1);
	assert_int_equal(made.run.violations.receiver, 0);
	made_release(&made);
}

static void an_unfinished_run_has_a_path_too(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Recv", 10, 40, RECV(0, 1, 0, 8));
	made_call(&made, 0, "MPI_Irecv", 45, 46, POST(1));
	made_call(&made, 1, "MPI_Isend", 30, 31, ISEND(0, 0, 0, 8, 1));
	made_call(&made, 1, "MPI_Send", 35, 50, SEND(0, 2, 0, 8));
	made_end(&made);
	assert_int_equal(made.run.unmatched_sends, 1);
	assert_int_equal(made.run.ranks[0].incomplete, 1);
	assert_int_equal(made.run.ranks[1].incomplete, 1);
	made_expect(&made, "1 compute 0-30, 1 MPI_Isend 30-31, 1 compute 31-35, 1 unknown 35-50");
	assert_int_equal(made.walk.unknown_ns[UNKNOWN_LACKING], 15);
	made_release(&made);
}

/* A call may have waited for what the trace lacks; whom it is known to wait for is followed. */
static void calls_that_may_have_waited_for_what_is_missing_are_unknown(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Recv", 10, 40, RECV(0, 2, 5, 8));
	made_call(&made, 0, "MPI_Barrier", 40, 60, COLLECTIVE(COLL_BARRIER, 0));
	made_call(&made, 1, "MPI_Barrier", 50, 60, COLLECTIVE(COLL_BARRIER, 0));
	made_call(&made, 1, "MPI_Bcast", 62, 63, ROOTED(COLL_BCAST, 0, 1));
	made_call(&made, 0, "MPI_Bcast", 61, 64, ROOTED(COLL_BCAST, 0, 1));
	made_plain(&made, 0, "(recording off)", 65, 70);
	made_plain(&made, 0, "MPI_Finalize", 80, 81);
	made_plain(&made, 1, "MPI_Finalize", 75, 81);
	made_plain(&made, 2, "MPI_Finalize", 75, 81);
	made_end(&made);
	/* The barrier lacks rank 2, the broadcast has its root. */
	made_expect_wait(&made, 0, 2, 10, 1, 1);
	assert_true(wait_at(&made.waits, 0, 1)->unknown);
	assert_true(wait_at(&made.waits, 0, 2)->unknown && wait_at(&made.waits, 1, 1)->unknown);
	assert_false(wait_at(&made.waits, 0, 3)->unknown || wait_at(&made.waits, 1, 2)->unknown);
	made_expect(&made, "1 compute 0-50, 1 unknown 50-60, 1 compute 60-62, 0 MPI_Bcast 62-64, "
			   "0 compute 64-65, 0 unknown 65-70, 0 compute 70-80");
	assert_int_equal(made.walk.unknown_ns[UNKNOWN_LACKING], 10);
	assert_int_equal(made.walk.unknown_ns[UNKNOWN_OFF], 5);
	assert_int_equal(made.walk.unknown_ns[UNKNOWN_CLOCKS], 0);
	made_release(&made);
}

static void of_causes_at_once_the_lowest_rank_counts_then_the_earliest_call(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 4);
	made_call(&made, 0, "MPI_Irecv", 1, 2, POST(1));
	made_call(&made, 0, "MPI_Irecv", 3, 4, POST(2));
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(3));
	made_call(&made, 0, "MPI_Waitall", 10, 60, IRECV(0, 3, 5, 8, 1), IRECV(0, 1, 5, 8, 2),
		  IRECV(0, 2, 5, 8, 3));
	made_call(&made, 3, "MPI_Send", 50, 55, SEND(0, 0, 5, 8));
	made_call(&made, 2, "MPI_Send", 50, 55, SEND(0, 0, 5, 8));
	made_call(&made, 1, "MPI_Comm_rank", 50, 50, {0});
	made_call(&made, 1, "MPI_Send", 50, 55, SEND(0, 0, 5, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 4, 40, 1, 2);
	made_release(&made);

	/* Two sends of one rank at the same time. */
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 1, 2, POST(1));
	made_call(&made, 0, "MPI_Irecv", 3, 4, POST(2));
	made_call(&made, 0, "MPI_Waitall", 10, 60, IRECV(0, 1, 6, 8, 2), IRECV(0, 1, 5, 8, 1));
	made_call(&made, 1, "MPI_Send", 50, 50, SEND(0, 0, 5, 8));
	made_call(&made, 1, "MPI_Send", 50, 55, SEND(0, 0, 6, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 3, 40, 1, 1);
	made_release(&made);
}

/* ------------------------------------------------------------------- signals */

/* A collective of neighbours on communicator 0. */
#define OF_NEIGHBOURS(k, lists) \
	{.kind = k, .collective = COLL_ALLTOALL, .comm = 0, .root = NO_ROOT, .neighbours = lists}
#define OF_NEIGHBOURS_REQUEST(k, number, lists)                                      \
	{.kind = k, .collective = COLL_ALLTOALL, .comm = 0, .root = NO_ROOT,         \
	 .request = number, .neighbours = lists}

static void a_collective_of_neighbours_waits_for_its_last_source(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	/* 0 -> 1, 2 -> 1: nobody waits for the late rank 1. */
	made_call(&made, 0, "MPI_Neighbor_alltoall", 20, 22,
		  OF_NEIGHBOURS(EVENT_COLLECTIVE, ";1"));
	made_call(&made, 1, "MPI_Neighbor_alltoall", 10, 70,
		  OF_NEIGHBOURS(EVENT_COLLECTIVE, "0,2;"));
	made_call(&made, 2, "MPI_Neighbor_alltoall", 60, 62,
		  OF_NEIGHBOURS(EVENT_COLLECTIVE, ";1"));
	/* A message is no signal. */
	made_call(&made, 1, "MPI_Send", 70, 72, SEND(0, 0, 0, 8));
	made_call(&made, 0, "MPI_Recv", 22, 74, RECV(0, 1, 0, 8));
	made_end(&made);
	made_expect_wait(&made, 1, 1, 50, 2, 1);
	assert_int_equal(wait_at(&made.waits, 1, 1)->kind, WAIT_COLLECTIVE);
	made_expect_no_wait(&made, 0, 1);
	made_expect_no_wait(&made, 2, 1);
	assert_int_equal(made.run.violations.messages, 1);
	made_expect(&made, "2 compute 0-60, 1 MPI_Neighbor_alltoall 60-70, 0 MPI_Recv 70-74");
	made_release(&made);
}

static void collectives_of_neighbours_match_in_the_order_in_which_they_begin(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	/* Rank 0 completes the second one first. */
	made_call(&made, 0, "MPI_Ineighbor_alltoall", 30, 31,
		  {.kind = EVENT_COLLECTIVE_REQUEST, .request = 1});
	made_call(&made, 0, "MPI_Ineighbor_alltoall", 50, 51,
		  {.kind = EVENT_COLLECTIVE_REQUEST, .request = 2});
	made_call(&made, 0, "MPI_Wait", 51, 60,
		  OF_NEIGHBOURS_REQUEST(EVENT_COLLECTIVE_COMPLETE, 2, ";1"));
	made_call(&made, 0, "MPI_Wait", 60, 70,
		  OF_NEIGHBOURS_REQUEST(EVENT_COLLECTIVE_COMPLETE, 1, ";1"));
	made_call(&made, 1, "MPI_Ineighbor_alltoall", 0, 1,
		  {.kind = EVENT_COLLECTIVE_REQUEST, .request = 1});
	made_call(&made, 1, "MPI_Ineighbor_alltoall", 1, 2,
		  {.kind = EVENT_COLLECTIVE_REQUEST, .request = 2});
	made_call(&made, 1, "MPI_Wait", 2, 55,
		  OF_NEIGHBOURS_REQUEST(EVENT_COLLECTIVE_COMPLETE, 2, "0;"));
	made_call(&made, 1, "MPI_Wait", 55, 57,
		  OF_NEIGHBOURS_REQUEST(EVENT_COLLECTIVE_COMPLETE, 1, "0;"));
	made_end(&made);
	made_expect_wait(&made, 1, 3, 48, 0, 2);
	made_expect_no_wait(&made, 1, 4);
	made_release(&made);
}

/* A call with the ranks of a group on a window over communicator 0. */
#define WITH_GROUP(ranks, how)                                                    \
	{.kind = EVENT_RMA_GROUP_SYNC, .comm = 0, .window = 3, .sync = how,       \
	 .group_ranks = ranks, .group_size = sizeof(ranks) / sizeof *(ranks)}

static void epochs_of_windows_wait_for_post_and_complete(void **state)
{
	static const uint32_t targets[] = {1, 2}, origins[] = {0};
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	/* MPI_Win_start ends after one post and before the other. */
	made_call(&made, 0, "MPI_Win_start", 10, 25, WITH_GROUP(targets, RMA_SYNC_PROCESS));
	made_call(&made, 0, "MPI_Win_complete", 30, 50, WITH_GROUP(targets, RMA_SYNC_PROCESS));
	made_call(&made, 1, "MPI_Win_post", 20, 21, WITH_GROUP(origins, RMA_SYNC_PROCESS));
	made_call(&made, 1, "MPI_Win_wait", 21, 55, WITH_GROUP(origins, RMA_SYNC_PROCESS));
	made_call(&made, 2, "MPI_Win_post", 45, 46, WITH_GROUP(origins, RMA_SYNC_PROCESS));
	made_call(&made, 2, "MPI_Win_test", 46, 47, WITH_GROUP(origins, RMA_SYNC_NONE));
	made_call(&made, 2, "MPI_Win_test", 48, 53, WITH_GROUP(origins, RMA_SYNC_PROCESS));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 10, 1, 1);
	made_expect_wait(&made, 0, 2, 15, 2, 1);
	made_expect_wait(&made, 1, 2, 9, 0, 2);
	/* The two tests are one call. */
	made_expect_no_wait(&made, 2, 2);
	assert_int_equal(made.run.ranks[2].calls.count, 3);
	assert_int_equal(made.run.violations.messages + made.run.unmatched_sends +
				 made.run.unmatched_recvs,
			 0);
	made_expect(&made, "1 compute 0-20, 0 MPI_Win_start 20-25, 0 compute 25-30, "
			   "1 MPI_Win_wait 30-55");
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receive_waits_for_a_late_sender),
		cmocka_unit_test(a_synchronous_send_waits_for_a_late_receiver),
		cmocka_unit_test(a_standard_send_waits_only_if_it_ends_after_its_receive_has_begun),
		cmocka_unit_test(ping_pong_leads_from_rank_to_rank),
		cmocka_unit_test(a_ring_passes_the_path_around),
		cmocka_unit_test(a_pipeline_follows_the_slow_stage),
		cmocka_unit_test(a_call_that_completes_several_requests_waits_for_the_last),
		cmocka_unit_test(a_send_that_need_not_wait_leaves_the_late_sender),
		cmocka_unit_test(a_synchronous_send_in_the_same_call_does_not_change_that),
		cmocka_unit_test(polls_that_find_nothing_are_one_wait),
		cmocka_unit_test(a_probe_waits_for_the_message_that_the_next_call_receives),
		cmocka_unit_test(freeing_a_request_waits_for_nobody),
		cmocka_unit_test(receives_of_any_source_match_in_the_order_of_their_posts),
		cmocka_unit_test(messages_of_another_tag_or_communicator_are_apart),
		cmocka_unit_test(a_persistent_request_waits_each_time),
		cmocka_unit_test(each_thread_is_followed_to_its_own_calls),
		cmocka_unit_test(a_thread_waits_for_another_thread_of_its_rank),
		cmocka_unit_test(a_rank_that_starts_late_is_followed_to_the_begin_of_the_run),
		cmocka_unit_test(time_without_recording_is_unknown),
		cmocka_unit_test(clocks_that_contradict_each_other_are_counted_and_end),
		cmocka_unit_test(an_unfinished_run_has_a_path_too),
		cmocka_unit_test(calls_that_may_have_waited_for_what_is_missing_are_unknown),
		cmocka_unit_test(of_causes_at_once_the_lowest_rank_counts_then_the_earliest_call),
		cmocka_unit_test(a_collective_of_neighbours_waits_for_its_last_source),
		cmocka_unit_test(collectives_of_neighbours_match_in_the_order_in_which_they_begin),
		cmocka_unit_test(epochs_of_windows_wait_for_post_and_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
