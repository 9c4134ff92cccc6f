/* From MPI calls to graphs: time, messages, requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedgen/convert/convert_internal.h"
#include "schedgen/convert/convert_internal.h"
#include "test/unit/lib/make/feed.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ time */

static void graph_lies_between_init_and_finalize(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 0);	/* time before MPI_Init returned does not count */
	feed_ok(feed, 100, "MPI_Send", SEND(0, 1, 5, 8));
	feed_plain(feed, 70, "MPI_Finalize");
	feed_plain(feed, 999, "MPI_Finalized");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "calc 70 > 1\n");
	assert_true(feed->convert.totals.run_ns == 100 + 10 + 70);
}

static void graph_without_init_and_finalize_lies_between_first_and_last_call(void **state)
{
	struct feed *feed = *state;

	convert_begin(&feed->convert, 0);
	feed_ok(feed, 100, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 30, "MPI_Recv", RECV(0, 2, 6, 9));
	feed_end(feed);
	feed_expect(feed, "send 8 to 1 tag 5\n"
			  "calc 30 > 0\n"
			  "recv 9 from 2 tag 6 > 1\n");
	assert_true(feed->convert.totals.run_ns == 10 + 30 + 10);
}

static void recording_that_is_off_at_first_lies_before_the_graph(void **state)
{
	struct feed *feed = *state;

	convert_begin(&feed->convert, 0);
	feed_plain(feed, 0, "(recording off)");
	feed_ok(feed, 100, "MPI_Send", SEND(0, 1, 5, 8));
	feed_plain(feed, 0, "(recording off)");
	feed_ok(feed, 0, "MPI_Recv", RECV(0, 2, 6, 9));
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "calc 10 > 1\n"
			  "recv 9 from 2 tag 6 > 2\n");
	assert_true(feed->convert.totals.run_ns == 100 + 10 + 10 + 10);
}

static void calls_without_time_between_have_no_calc_between(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Send", SEND(0, 1, 5, 0));
	feed_ok(feed, 0, "MPI_Recv", RECV(0, 1, 5, 0));
	feed_plain(feed, 0, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "send 0 to 1 tag 5\n"
			  "recv 0 from 1 tag 5 > 0\n");
}

static void computation_is_scaled_and_rounded(void **state)
{
	const struct convert_options options = {.compute_scale = 0.25};
	struct feed feed;

	(void)state;
	feed_init(&feed, &options);
	feed_begin(&feed, 0);
	feed_ok(&feed, 1, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(&feed, 1003, "MPI_Send", SEND(0, 1, 5, 8));
	feed_end(&feed);
	feed_expect(&feed, "send 8 to 1 tag 5\n"
			   "calc 251 > 0\n"
			   "send 8 to 1 tag 5 > 1\n");
	feed_release(&feed);
}

static void time_in_calls_that_are_not_modelled_is_computation_and_reported(void **state)
{
	struct feed *feed = *state;
	const struct call_statistics *functions = &feed->convert.statistics;
	uint64_t other_calls = 0, local_calls = 0;

	feed_plain(feed, 1, "MPI_Win_fence");
	feed_plain(feed, 1, "MPI_Comm_rank");
	feed_plain(feed, 1, "MPI_Ibarrier_that_is_unknown");
	feed_plain(feed, 1, "MPI_Allreduce");	/* without a record */
	feed_ok(feed, 1, "MPI_Comm_free", COLLECTIVE(COLL_DESTROY_HANDLE, 0));
	/* An inter-communicator has none. */
	feed_ok(feed, 1, "MPI_Scan", COLLECTIVE(COLL_SCAN, 4));
	feed_ok(feed, 1, "MPI_Send", SEND(0, 1, 5, 8));
	feed_end(feed);
	feed_expect(feed, "calc 67\n"
			  "send 8 to 1 tag 5 > 0\n");
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function_statistics *each = &functions->list.items[i];

		assert_int_equal(each->not_modelled_ns, 10 * each->not_modelled_calls);
		if (each->is_local)
			local_calls += each->not_modelled_calls;
		else
			other_calls += each->not_modelled_calls;
	}
	assert_int_equal(local_calls, 1);
	assert_int_equal(other_calls, 5);
}

static void time_in_probes_is_not_computation(void **state)
{
	struct feed *feed = *state;

	feed_plain(feed, 1, "MPI_Probe");
	feed_plain(feed, 1, "MPI_Mprobe");
	feed_plain(feed, 0, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 2\n");
}

/* The statistics of a function that has been called. */
static const struct function_statistics *statistics_of(const struct feed *feed, const char *name)
{
	const struct call_statistics *all = &feed->convert.statistics;

	for (size_t i = 0; i < all->list.count; i++)
		if (!strcmp(all->list.items[i].is.name, name))
			return &all->list.items[i];
	fail_msg("%s has not been called", name);
	return NULL;
}

/* MPI_PROC_NULL, MPI_REQUEST_NULL, the requests of files, a partition that is not the last. */
static void time_in_messages_to_nobody_and_in_waits_for_nothing_is_computation(void **state)
{
	static const char *const functions[] = {
		"MPI_Send", "MPI_Irecv", "MPI_Sendrecv", "MPI_Start", "MPI_Pready", "MPI_Wait",
		"MPI_Waitall",
	};
	const size_t count = sizeof functions / sizeof *functions;
	struct feed *feed = *state;

	for (size_t i = 0; i < count; i++)
		feed_plain(feed, 1, functions[i]);
	feed_ok(feed, 1, "MPI_Send", SEND(0, 1, 5, 8));
	feed_plain(feed, 3, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 78\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "calc 3 > 1\n");
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(statistics_of(feed, functions[i])->not_modelled_calls, 1);
		assert_int_equal(statistics_of(feed, functions[i])->not_modelled_ns, 10);
	}
	assert_int_equal(statistics_of(feed, "MPI_Send")->calls, 2);
}

static void time_in_cancelling_is_that_of_local_functions(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 1, "MPI_Irecv", POST(7));
	feed_plain(feed, 2, "MPI_Cancel");
	feed_ok(feed, 3, "MPI_Wait", CANCELLED(7));
	feed_plain(feed, 4, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 1\n"
			  "calc 0 > 0\n"
			  "calc 15 > 0\n"
			  "calc 4 > 2\n");
	assert_true(statistics_of(feed, "MPI_Cancel")->is_local);
	assert_int_equal(statistics_of(feed, "MPI_Cancel")->not_modelled_ns, 10);
}

/* The caller of MPI_Comm_create_group that gets no communicator waits for nobody. */
static void time_in_making_no_communicator_is_computation(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 1, "MPI_Comm_create_group", COLLECTIVE(COLL_CREATE_HANDLE, 0));
	feed_plain(feed, 2, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 13\n");
	assert_int_equal(statistics_of(feed, "MPI_Comm_create_group")->not_modelled_ns, 10);
}

static void time_in_making_and_freeing_requests_is_that_of_local_functions(void **state)
{
	struct feed *feed = *state;
	uint64_t calls = 0, ns = 0;

	feed_plain(feed, 1, "MPI_Recv_init");
	feed_plain(feed, 1, "MPI_Psend_init");
	feed_ok(feed, 1, "MPI_Start", ISEND(0, 1, 5, 8, 1));
	feed_ok(feed, 2, "MPI_Request_free", ISENT(1));
	feed_plain(feed, 3, "MPI_Request_free");
	feed_plain(feed, 4, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 23\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "calc 2 >> 1\n"
			  "calc 27 > 2\n");
	for (size_t i = 0; i < feed->convert.statistics.list.count; i++) {
		const struct function_statistics *each = &feed->convert.statistics.list.items[i];

		calls += each->is_local ? each->not_modelled_calls : 0;
		ns += each->is_local ? each->not_modelled_ns : 0;
	}
	assert_int_equal(calls, 4);
	assert_int_equal(ns, 40);
}

static void functions_of_other_names_are_classified_by_their_records(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 1, "MPI_Send()", SEND(0, 1, 5, 8));
	feed_ok(feed, 1, "MPI_Tell", SEND(0, 1, 5, 8));
	feed_ok(feed, 1, "MPI_Agree", COLLECTIVE(COLL_BARRIER, 0));
	feed_plain(feed, 1, "MPI_Comm_rank()");
	assert_true(statistics_of(feed, "MPI_Send()")->is_message);
	assert_true(statistics_of(feed, "MPI_Tell")->has_messages);
	assert_false(statistics_of(feed, "MPI_Agree")->has_messages);
	assert_true(statistics_of(feed, "MPI_Comm_rank()")->is_local);
}

/* Names that differ by the suffix for large counts, and by the forms of a call, agree. */
static void functions_of_the_table_are_classified_as_their_names_say(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MPI_FUNCTION_COUNT; i++) {
		const struct mpi_function *each = &mpi_functions[i];
		const char *name = each->name + strlen("MPI_");
		const char *c = strstr(name, "_c");
		char plain[64];

		if (c && !c[strlen("_c")]) {
			snprintf(plain, sizeof plain, "MPI_%.*s", (int)(c - name), name);
			assert_non_null(mpi_function_find(plain));
			assert_int_equal(each->class, mpi_function_find(plain)->class);
			assert_int_equal(each->traits, mpi_function_find(plain)->traits);
		}
		if (each->class != MPI_CLASS_LOCAL && each->class != MPI_CLASS_IO)
			assert_int_equal(!strncmp(name, "Test", 4) || !strcmp(name, "Iprobe") ||
						 !strcmp(name, "Improbe") ||
						 strstr(name, "_test") || strstr(name, "arrived") ||
						 strstr(name, "get_status"),
					 (each->traits & MPI_POLLS) != 0);
		assert_int_equal(strstr(name, "bsend") || strstr(name, "Bsend"),
				 (each->traits & MPI_BUFFERS) || strstr(name, "Bsend_init"));
		assert_int_equal(!strncmp(name, "Session_init", 12) ||
					 !strncmp(name, "Session_finalize", 16),
				 (each->traits & MPI_OF_SESSION) != 0);
		assert_int_equal(!strcmp(name, "Request_free") || !strcmp(name, "Cancel") ||
					 (strstr(name, "_init") &&
					  (strcasestr(name, "send") || strcasestr(name, "recv"))),
				 each->class == MPI_CLASS_REQUEST);
	}
}

/* --------------------------------------------------------------------- polling */

static void tight_loop_of_tests_is_a_wait(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_ok(feed, 300, "MPI_Test", TESTED(7));
	feed_ok(feed, POLL_GAP_NS, "MPI_Test", TESTED(7));
	feed_ok(feed, 90000, "MPI_Test", TESTED(7));
	feed_ok(feed, 40, "MPI_Test", IRECV(0, 2, 6, 9, 7));
	feed_ok(feed, 5, "MPI_Send", SEND(0, 1, 5, 8));
	feed_end(feed);
	feed_expect(feed, "recv 9 from 2 tag 6\n"
			  "calc 300\n"
			  "calc 5 > 1 0\n"
			  "send 8 to 1 tag 5 > 2\n");
}

/* Polls that the trace has made one call, `gap_ns` after the call before. */
static void feed_polls(struct feed *feed, uint64_t gap_ns, uint64_t polls, uint64_t gaps_ns,
		       uint64_t least_gap_ns)
{
	const struct mpi_event event = TESTED(7);
	const struct mpi_call call = {
		.function = "MPI_Test", .enter_ns = feed->now_ns + gap_ns,
		.leave_ns = feed->now_ns + gap_ns + 10 * polls + gaps_ns, .events = &event,
		.event_count = 1, .polls = polls, .poll_gaps_ns = gaps_ns,
		.least_poll_gap_ns = least_gap_ns
	};

	feed->now_ns = call.leave_ns;
	feed_must(feed, convert_call(&feed->convert, &call, &feed->err));
}

/* As in the tests before and after this one. */
static void tests_made_one_call_are_as_those_they_were(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_polls(feed, 300, 3, POLL_GAP_NS + 90000, POLL_GAP_NS);
	feed_ok(feed, 40, "MPI_Test", IRECV(0, 2, 6, 9, 7));
	feed_ok(feed, 5, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_polls(feed, 300, 2, 6000, 6000);
	feed_plain(feed, 3000, "MPI_Wtime");	/* takes 10 ns */
	feed_ok(feed, 4000, "MPI_Test", IRECV(0, 2, 6, 9, 7));
	feed_end(feed);
	feed_expect(feed, "recv 9 from 2 tag 6\n"
			  "calc 300\n"
			  "calc 5 > 1 0\n"
			  "send 8 to 1 tag 5 > 2\n"
			  "recv 9 from 2 tag 6 > 3\n"
			  "calc 13310 > 3\n");
}

static void computation_between_tests_stays(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_ok(feed, 300, "MPI_Test", TESTED(7));
	feed_ok(feed, 6000, "MPI_Test", TESTED(7));
	feed_plain(feed, 3000, "MPI_Wtime");	/* takes 10 ns */
	feed_ok(feed, 4000, "MPI_Test", IRECV(0, 2, 6, 9, 7));
	feed_end(feed);
	feed_expect(feed, "recv 9 from 2 tag 6\n"
			  "calc 13310\n");
}

static void tests_that_end_in_a_wait_are_a_wait(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 5, 8, 7));
	feed_ok(feed, 0, "MPI_Test", TESTED(7));
	feed_ok(feed, 100, "MPI_Test", TESTED(7));
	feed_ok(feed, 20, "MPI_Wait", ISENT(7));
	feed_plain(feed, 1, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "send 8 to 1 tag 5\n"
			  "calc 20 >> 0\n"
			  "calc 1 > 1 0\n");
}

static void loop_of_probes_before_a_receive_is_a_wait(void **state)
{
	struct feed *feed = *state;

	feed_plain(feed, 50, "MPI_Iprobe");
	feed_plain(feed, 100, "MPI_Iprobe");
	feed_plain(feed, 100, "MPI_Iprobe");
	feed_ok(feed, 3, "MPI_Recv", RECV(0, 2, 6, 9));
	feed_end(feed);
	feed_expect(feed, "calc 53\n"
			  "recv 9 from 2 tag 6 > 0\n");
}

static void other_calls_between_tests_end_the_loop(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_ok(feed, 100, "MPI_Test", TESTED(7));
	feed_ok(feed, 100, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 100, "MPI_Test", TESTED(7));
	feed_ok(feed, 100, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 0, "MPI_Wait", IRECV(0, 2, 6, 9, 7));
	feed_end(feed);
	feed_expect(feed, "recv 9 from 2 tag 6\n"
			  "calc 200\n"
			  "send 8 to 1 tag 5 > 1\n"
			  "calc 200 > 2\n"
			  "send 8 to 1 tag 5 > 3\n"
			  "calc 0 > 4\n");
}

static void successive_waits_keep_their_order_without_computation(void **state)
{
	struct feed *feed = *state;

	for (uint64_t i = 0; i < 5; i++)
		feed_ok(feed, 0, "MPI_Irecv", POST(i));
	feed_ok(feed, 0, "MPI_Wait", IRECV(0, 2, 0, 9, 0));
	feed_ok(feed, 0, "MPI_Waitall", IRECV(0, 2, 1, 9, 1), IRECV(0, 2, 2, 9, 2));
	feed_ok(feed, 0, "MPI_Test", IRECV(0, 2, 3, 9, 3));
	feed_ok(feed, 0, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 0, "MPI_Wait", IRECV(0, 2, 4, 9, 4));
	feed_end(feed);
	feed_expect(feed, "recv 9 from 2 tag 0\n"
			  "recv 9 from 2 tag 1\n"
			  "recv 9 from 2 tag 2\n"
			  "recv 9 from 2 tag 3\n"
			  "recv 9 from 2 tag 4\n"
			  "calc 0 > 0\n"
			  "calc 0 > 5 1 2\n"
			  "send 8 to 1 tag 5 > 6 3\n"
			  "calc 0 > 7\n");
}

/* ------------------------------------------------------------ blocking messages */

static void buffered_sends_end_without_their_receiver(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Bsend", SEND(0, 1, 5, 8));
	feed_ok(feed, 10, "MPI_Ibsend", ISEND(0, 1, 5, 8, 7));
	feed_ok(feed, 20, "MPI_Wait", ISENT(7));
	feed_plain(feed, 30, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "send 8 to 1 tag 5\n"
			  "calc 10 >> 0\n"
			  "send 8 to 1 tag 5 > 1\n"
			  "calc 20 >> 2\n"
			  "calc 30 > 3\n");
}

static void both_halves_of_sendrecv_run_beside_each_other(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 100, "MPI_Sendrecv", SEND(0, 1, 5, 8), RECV(0, 2, 6, 9));
	feed_ok(feed, 0, "MPI_Sendrecv_replace", SEND(0, 1, 5, 8), RECV(0, 2, 6, 9));
	feed_plain(feed, 7, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 8 to 1 tag 5 > 0\n"
			  "recv 9 from 2 tag 6 > 0\n"
			  "send 8 to 1 tag 5 > 1 2\n"
			  "recv 9 from 2 tag 6 > 1 2\n"
			  "calc 7 > 3 4\n");
}

/* -------------------------------------------------------------------- requests */

static void isend_costs_its_start_and_irecv_nothing(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 10, "MPI_Irecv", POST(1));
	feed_ok(feed, 20, "MPI_Isend", ISEND(0, 1, 5, 8, 2));
	feed_ok(feed, 30, "MPI_Isend", ISEND(0, 2, 5, 8, 3));
	feed_ok(feed, 40, "MPI_Waitall", IRECV(0, 1, 6, 9, 1), ISENT(2), ISENT(3));
	feed_plain(feed, 50, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 10\n"
			  "recv 9 from 1 tag 6 > 0\n"
			  "calc 20 > 0\n"
			  "send 8 to 1 tag 5 > 2\n"
			  "calc 30 >> 3\n"
			  "send 8 to 2 tag 5 > 4\n"
			  "calc 40 >> 5\n"
			  "calc 50 > 6 1 3 5\n");
}

static void requests_complete_in_any_order_and_receives_keep_their_place(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 0, "MPI_Waitany", IRECV(0, 3, 6, 9, 2));
	feed_ok(feed, 5, "MPI_Testsome", IRECV(0, 2, 7, 4, 1));
	feed_plain(feed, 6, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "recv 4 from 2 tag 7\n"
			  "recv 9 from 3 tag 6\n"
			  "calc 5 > 1\n"
			  "calc 6 > 2 0\n");
}

static void persistent_requests_can_be_started_again(void **state)
{
	struct feed *feed = *state;

	for (int i = 0; i < 2; i++) {
		feed_ok(feed, 0, "MPI_Startall", ISEND(0, 1, 5, 8, 1), POST(2));
		feed_ok(feed, 0, "MPI_Waitall", ISENT(1), IRECV(0, 1, 5, 8, 2));
	}
	feed_end(feed);
	feed_expect(feed, "send 8 to 1 tag 5\n"
			  "recv 8 from 1 tag 5 >> 0\n"
			  "send 8 to 1 tag 5 > 0 1 >> 0\n"
			  "recv 8 from 1 tag 5 >> 2\n");
}

static void freed_request_is_not_waited_for(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 5, 8, 1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 0, "MPI_Request_free", ISENT(1));
	feed_ok(feed, 0, "MPI_Request_free", IRECV(0, 3, 6, 9, 2));
	feed_plain(feed, 6, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "send 8 to 1 tag 5\n"
			  "recv 9 from 3 tag 6 >> 0\n"
			  "calc 10 >> 0\n"
			  "calc 16 > 2\n");
}

static void cancelled_and_unfinished_receives_are_no_receives(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 5, 8, 3));
	feed_plain(feed, 0, "MPI_Cancel");
	feed_ok(feed, 0, "MPI_Wait", CANCELLED(1));
	feed_end(feed);
	feed_expect(feed, "calc 0\n"
			  "calc 0\n"
			  "send 8 to 1 tag 5\n"
			  "calc 10 >> 2\n");	/* MPI_Cancel */
	assert_int_equal(feed->convert.totals.cancelled, 1);
	assert_int_equal(feed->convert.totals.unfinished_receives, 1);
}

static void receive_whose_start_is_not_recorded_happens_where_it_completes(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 4, "MPI_Wait", IRECV(0, 3, 6, 9, 1));
	feed_ok(feed, 4, "MPI_Wait", ISENT(2));
	feed_end(feed);
	feed_expect(feed, "calc 4\n"
			  "recv 9 from 3 tag 6 > 0\n"
			  "calc 4 > 0 1\n");
	assert_int_equal(feed->convert.totals.unknown_completions, 2);
}

static void completions_beside_one_without_a_start_are_waited_for(void **state)
{
	struct feed *feed = *state;

	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	feed_ok(feed, 0, "MPI_Irecv", POST(2));
	feed_ok(feed, 0, "MPI_Waitall", IRECV(0, 1, 5, 8, 1), IRECV(0, 3, 6, 9, 7),
		IRECV(0, 2, 6, 9, 2));
	feed_ok(feed, 4, "MPI_Send", SEND(0, 1, 5, 8));
	feed_end(feed);
	feed_expect(feed, "recv 8 from 1 tag 5\n"
			  "recv 9 from 2 tag 6\n"
			  "recv 9 from 3 tag 6 > 0\n"
			  "calc 4 > 0 1 2\n"
			  "send 8 to 1 tag 5 > 3\n");
}

static void dependencies_of_many_requests_are_linear(void **state)
{
	enum { MANY = 1000 };
	static struct mpi_event done[MANY];
	struct feed *feed = *state;

	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < MANY; i++)
			feed_ok(feed, 0, "MPI_Irecv", POST(i));
		for (uint64_t i = 0; i < MANY; i++)
			done[i] = (struct mpi_event)IRECV(0, 1, 5, 8, i);
		feed_must(feed, feed_call(feed, 0, "MPI_Waitall", MANY, done));
		for (uint64_t i = 0; i < MANY; i++)
			feed_ok(feed, 0, "MPI_Isend", ISEND(0, 1, 5, 8, i));
		for (uint64_t i = 0; i < MANY; i++)
			feed_ok(feed, 0, "MPI_Wait", ISENT(i));
	}
	feed_end(feed);
	/* Each wait but the first one of a round follows another. */
	assert_in_range(feed->convert.builder.ops.count, 9 * MANY - 3, 9 * MANY + 6);
	assert_in_range(feed->convert.builder.dependencies.count, 6 * MANY, 16 * MANY);
}

/* ---------------------------------------------------------------------- errors */

static void expect_error(struct feed *feed, const char *function, struct mpi_event event,
			 const char *part)
{
	feed->err.text[0] = '\0';
	assert_int_equal(feed_call(feed, 0, function, 1, &event), -1);
	assert_int_equal(feed->err.status, STATUS_DATA);
	if (!strstr(feed->err.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, feed->err.text);
}

static void contradictory_calls_are_errors(void **state)
{
	struct feed *feed = *state;
	struct mpi_event bcast = COLLECTIVE(COLL_BCAST, 0);
	struct mpi_call backwards = {.function = "MPI_Recv", .enter_ns = 1, .leave_ns = 2};

	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(5, 0, 0, 0), "communicator 5");
	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(6, 0, 0, 0), "communicator 6");
	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(0, 4, 0, 0), "rank 4");
	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(1, 1, 0, 0), "rank 1");
	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(4, 2, 0, 0), "rank 2");
	expect_error(feed, "MPI_Bcast", bcast, "root");
	expect_error(feed, "MPI_Barrier", (struct mpi_event)COLLECTIVE(COLL_BARRIER, 2),
		     "not in communicator 2");
	feed_ok(feed, 0, "MPI_Irecv", POST(1));
	expect_error(feed, "MPI_Irecv", (struct mpi_event)POST(1), "started twice");
	expect_error(feed, "MPI_Wait", (struct mpi_event)ISENT(1), "but was a receive");
	assert_int_equal(convert_call(&feed->convert, &backwards, &feed->err), -1);
	feed_plain(feed, 0, "MPI_Finalize");
	expect_error(feed, "MPI_Send", (struct mpi_event)SEND(0, 1, 0, 0), "after MPI_Finalize");
}

#define RANK_0(test) cmocka_unit_test_setup_teardown(test, feed_set_up, feed_tear_down)

/* ----------------------------------------------------------------------- calls */

/* "MPI_Send 2, before MPI_Send 3" for every operation of the rank, with its communicator. */
static void expect_calls(const struct feed *feed, const char *text)
{
	const struct goal_builder *builder = &feed->convert.builder;
	static const struct goal_calls none;
	struct goal_calls_cursor cursor = {
		.calls = &none,
		.at = builder->calls.entries.items,
		.end = builder->calls.entries.items + builder->calls.entries.count,
		.op_count = goal_builder_op_count(builder)
	};
	char found[1024] = "";
	struct goal_call call;
	struct error err;

	for (uint32_t op = 0; op < builder->ops.count; op++) {
		size_t used = strlen(found);

		assert_int_equal(goal_calls_find(&cursor, op, &call, &err), 0);
		snprintf(found + used, sizeof found - used, "%s%s%s %d at %d%s%s", op ? ", " : "",
			 call.before ? "before " : "", call.function, (int)call.number,
			 (int)call.time_ns, call.communicator ? " on " : "",
			 call.communicator ? call.communicator : "");
	}
	goal_calls_cursor_release(&cursor);
	assert_string_equal(found, text);
}

static void operations_know_their_calls(void **state)
{
	struct feed *feed = *state;
	const uint64_t start = feed->now_ns;

	convert_begin(&feed->convert, 0);
	feed->now_ns = 0;
	feed_plain(feed, 0, "MPI_Comm_rank");
	feed_ok(feed, 0, "MPI_Irecv", POST(7));
	feed_ok(feed, 50, "MPI_Send", SEND(0, 1, 5, 8));
	feed_ok(feed, 0, "MPI_Wait", IRECV(0, 2, 6, 9, 7));
	feed_plain(feed, 20, "MPI_Finalize");
	feed_end(feed);
	expect_calls(feed, "before MPI_Irecv 2 at 10, MPI_Irecv 2 at 10, "
			   "before MPI_Send 3 at 70 on MPI_COMM_WORLD, "
			   "MPI_Send 3 at 70 on MPI_COMM_WORLD, before MPI_Wait 4 at 80, "
			   "before MPI_Finalize 5 at 110");
	feed->now_ns = start;
}

static void operations_of_a_collective_are_of_the_call_that_started_it(void **state)
{
	struct feed *feed = *state;

	convert_begin(&feed->convert, 1);
	feed->now_ns = 0;
	feed_ok(feed, 0, "MPI_Ibarrier", ICOLL(1));
	feed_ok(feed, 30, "MPI_Send", SEND(0, 0, 5, 8));
	feed_ok(feed, 40, "MPI_Waitall", ICOLL_DONE(COLL_BARRIER, 2, 1));
	feed_end(feed);
	expect_calls(feed, "before MPI_Send 2 at 40 on MPI_COMM_WORLD, "
			   "MPI_Send 2 at 40 on MPI_COMM_WORLD, before MPI_Waitall 3 at 90, "
			   "MPI_Ibarrier 1 at 0 on odd, MPI_Ibarrier 1 at 0 on odd");
}

static void communicators_without_a_name_have_their_number_and_size(void **state)
{
	static const uint32_t ranks[] = {0, 1, 2, 3};
	static const struct trace_comm comms[] = {
		{.defined = true, .identity = true, .name = "", .size = 4, .ranks = ranks},
		{.defined = true, .self = true, .name = "", .size = 1},
		{.defined = true, .name = "", .size = 3, .ranks = ranks},
		{.defined = true, .inter = true, .name = "", .size = 1, .ranks = ranks,
		 .remote_size = 3, .remote_ranks = ranks + 1},
		{.name = "not defined"},
		{.defined = true, .identity = true, .name = "", .size = 4, .ranks = ranks},
	};
	static const struct trace_world world = {.rank_count = 4, .comm_count = 6, .comms = comms};
	static const char *const expected[] = {
		"MPI_COMM_WORLD", "MPI_COMM_SELF", "communicator 2 (3 ranks)",
		"communicator 3 (1 and 3 ranks)", NULL, "communicator 5 (8 ranks)", NULL
	};
	const struct convert_options options = {.compute_scale = 1, .copies = 2};
	struct convert convert;
	struct error err;

	(void)state;
	assert_int_equal(convert_init(&convert, &world, &options, &err), 0);
	for (uint32_t id = 0; id < 7; id++) {
		const char *name;

		assert_int_equal(convert_comm_name(&convert, id, &name, &err), 0);
		assert_int_equal(!name, !expected[id]);
		if (name)
			assert_string_equal(name, expected[id]);
	}
	convert_release(&convert);
}

/* The longest rank counts, each from its own MPI_Init to its own MPI_Finalize. */
static void the_run_is_as_long_as_its_longest_rank(void **state)
{
	static const uint64_t compute_ns[] = {70, 500, 20};
	struct feed feed, sum;

	(void)state;
	feed_init(&feed, NULL);
	feed_init(&sum, NULL);
	for (uint32_t rank = 0; rank < 3; rank++) {
		convert_begin(&feed.convert, rank);
		feed.now_ns = 1000000 * rank;
		feed_plain(&feed, 0, "MPI_Init");
		feed_ok(&feed, compute_ns[rank], "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 0));
		feed_plain(&feed, 1, "MPI_Finalize");
		feed_plain(&feed, 1000, "MPI_Finalized");
		feed_end(&feed);
		assert_int_equal(convert_take(&sum.convert, &feed.convert, &sum.err), 0);
	}
	assert_int_equal(sum.convert.longest_ns, 500 + 10 + 1);
	assert_int_equal(feed.convert.longest_ns, 0);
	feed_release(&feed);
	feed_release(&sum);
}

/* Length of the slice of rank 1 that makes three calls, 100 ns after each other. */
static uint64_t length_of_slice(uint64_t begin_ns, uint64_t end_ns)
{
	struct rank_slice slices[4] = {{0}};
	const struct convert_options options = {.compute_scale = 1, .copies = 1,
						.slices = slices};
	struct feed feed;
	uint64_t length_ns;

	slices[1] = (struct rank_slice){begin_ns, end_ns};
	feed_init(&feed, &options);
	feed_begin(&feed, 1);
	feed.now_ns = 1000;
	convert_begin(&feed.convert, 1);
	feed_plain(&feed, 0, "MPI_Init");
	for (int i = 0; i < 3; i++)
		feed_ok(&feed, 90, "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 0));
	feed_plain(&feed, 90, "MPI_Finalize");
	feed_end(&feed);
	length_ns = feed.convert.longest_ns;
	feed_release(&feed);
	return length_ns;
}

static void a_slice_is_as_long_as_the_time_between_its_edges(void **state)
{
	(void)state;
	/* Init ends at 1010, calls take 10 ns from 1100, 1200 and 1300 on, Finalize is at 1400. */
	assert_int_equal(length_of_slice(0, UINT64_MAX), 1400 - 1010);
	assert_int_equal(length_of_slice(1150, 1250), 100);
	assert_int_equal(length_of_slice(1050, 1350), 300);
	/* The begin is inside a call, which is not in the slice. */
	assert_int_equal(length_of_slice(1105, 1250), 1250 - 1110);
	/* The end is inside a call, which is in the slice. */
	assert_int_equal(length_of_slice(1150, 1205), 1210 - 1150);
	/* The slice ends after the run, or is empty. */
	assert_int_equal(length_of_slice(1150, 5000), 1400 - 1150);
	assert_int_equal(length_of_slice(5000, 6000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANK_0(graph_lies_between_init_and_finalize),
		RANK_0(graph_without_init_and_finalize_lies_between_first_and_last_call),
		RANK_0(recording_that_is_off_at_first_lies_before_the_graph),
		RANK_0(calls_without_time_between_have_no_calc_between),
		cmocka_unit_test(computation_is_scaled_and_rounded),
		RANK_0(time_in_calls_that_are_not_modelled_is_computation_and_reported),
		RANK_0(time_in_probes_is_not_computation),
		RANK_0(time_in_messages_to_nobody_and_in_waits_for_nothing_is_computation),
		RANK_0(time_in_cancelling_is_that_of_local_functions),
		RANK_0(time_in_making_no_communicator_is_computation),
		RANK_0(time_in_making_and_freeing_requests_is_that_of_local_functions),
		RANK_0(functions_of_other_names_are_classified_by_their_records),
		cmocka_unit_test(functions_of_the_table_are_classified_as_their_names_say),
		RANK_0(tight_loop_of_tests_is_a_wait),
		RANK_0(tests_made_one_call_are_as_those_they_were),
		RANK_0(computation_between_tests_stays),
		RANK_0(tests_that_end_in_a_wait_are_a_wait),
		RANK_0(loop_of_probes_before_a_receive_is_a_wait),
		RANK_0(other_calls_between_tests_end_the_loop),
		RANK_0(successive_waits_keep_their_order_without_computation),
		RANK_0(buffered_sends_end_without_their_receiver),
		RANK_0(both_halves_of_sendrecv_run_beside_each_other),
		RANK_0(isend_costs_its_start_and_irecv_nothing),
		RANK_0(requests_complete_in_any_order_and_receives_keep_their_place),
		RANK_0(persistent_requests_can_be_started_again),
		RANK_0(freed_request_is_not_waited_for),
		RANK_0(cancelled_and_unfinished_receives_are_no_receives),
		RANK_0(receive_whose_start_is_not_recorded_happens_where_it_completes),
		RANK_0(completions_beside_one_without_a_start_are_waited_for),
		RANK_0(dependencies_of_many_requests_are_linear),
		RANK_0(contradictory_calls_are_errors),
		RANK_0(operations_know_their_calls),
		RANK_0(operations_of_a_collective_are_of_the_call_that_started_it),
		cmocka_unit_test(communicators_without_a_name_have_their_number_and_size),
		cmocka_unit_test(the_run_is_as_long_as_its_longest_rank),
		cmocka_unit_test(a_slice_is_as_long_as_the_time_between_its_edges),
	};

	return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
