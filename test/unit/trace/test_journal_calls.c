/* Tests: journals deliver the same calls as the archive that is made of them. */
#include "trace/assemble/journal_calls.h"
#include "trace/assemble/recover.h"
#include "trace/call/mpi_functions.h"
#include "critpath/match/run_match.h"
#include "trace/measured/measured_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 2, CALLS = 3000, OWN_COMM = 2 };

static const struct clock_point clock_start = {.time_ns = 7, .offset_ns = 123456};
static const uint32_t comms[] = {COMM_ID_WORLD, COMM_ID_SELF, OWN_COMM};
static char folder[64];
static uint64_t state_of_random;

static uint32_t random_below(uint32_t limit)
{
	state_of_random = state_of_random * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state_of_random >> 33) % limit;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/journal-calls-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

/* ------------------------------------------------------------------- journals */

static void create(struct journal *journals[THREADS])
{
	const uint64_t members[] = {0};
	const struct mpi_comm known[] = {
		{.id = COMM_ID_WORLD, .key = 50, .size = 1, .members = members},
		{.id = COMM_ID_SELF, .key = 51, .size = 1},
		{.id = OWN_COMM,
		 .key = 52,
		 .parent_key = 50,
		 .depth = 1,
		 .size = 1,
		 .members = members},
	};
	struct error err;

	for (uint32_t i = 0; i < THREADS; i++)
		if (journal_create(&journals[i], &(struct journal_place){folder, 0, i}, 1, 1000,
				   JOURNAL_LEAST_BYTES, &err) < 0)
			fail_msg("%s", err.text);
	assert_int_equal(journal_clock(journals[0], &clock_start, &err), 0);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_int_equal(journal_comm(journals[0], &known[i], &err), 0);
}

/* Some events of a call: messages, requests, collectives, in any order. */
static uint32_t make_events(struct mpi_event events[4], uint64_t *request)
{
	static const enum mpi_event_kind kinds[] = {
		EVENT_SEND,
		EVENT_RECV,
		EVENT_ISEND,
		EVENT_ISEND_COMPLETE,
		EVENT_IRECV_REQUEST,
		EVENT_IRECV,
		EVENT_COLLECTIVE,
		EVENT_COLLECTIVE_REQUEST,
		EVENT_COLLECTIVE_COMPLETE,
		EVENT_REQUEST_TEST,
		EVENT_REQUEST_CANCELLED,
		EVENT_COMM_CREATE,
	};
	const uint32_t count = random_below(5);

	for (uint32_t i = 0; i < count; i++) {
		struct mpi_event *event = &events[i];

		*event = (struct mpi_event){
			.kind = kinds[random_below(sizeof kinds / sizeof *kinds)],
			.comm = random_below(3)};
		if (event->kind != EVENT_SEND && event->kind != EVENT_RECV)
			event->request = ++*request - random_below(4);
		if (event_is_message(event->kind)) {
			event->tag = random_below(3);
			event->bytes = random_below(100);
		} else if (event_is_collective(event->kind)) {
			event->collective = (enum mpi_collective)random_below(17);
			event->root = random_below(2) ? 0 : NO_ROOT;
			event->bytes_sent = random_below(50);
			event->persistent = random_below(2);
			event->neighbours = random_below(4) ? NULL : "0;0";
		}
	}
	return count;
}

static void append(struct journal *journal, uint64_t *time_ns, uint64_t *request)
{
	struct mpi_event events[4];
	struct mpi_call call = {.events = events};
	struct error err;

	if (random_below(50) == 0) {
		assert_int_equal(journal_switch(journal, *time_ns += 5, false, &err), 0);
		assert_int_equal(journal_switch(journal, *time_ns += 9, true, &err), 0);
		return;
	}
	call.event_count = make_events(events, request);
	/* Calls of a thread may seem to overlap, as clocks of cores differ. */
	call.enter_ns = *time_ns += random_below(20);
	call.leave_ns = *time_ns += random_below(20);
	if (random_below(20) == 0)
		call.enter_ns -= 3;
	if (random_below(10) == 0) {
		call.polls = 1;
		call.event_count = 0;
	}
	assert_int_equal(journal_call(journal, random_below(MPI_FUNCTION_COUNT), &call, &err), 0);
}

static void write_journals(uint32_t seed)
{
	struct journal *journals[THREADS];
	uint64_t times_ns[THREADS] = {2000, 2000}, request = 0;
	struct error err;

	state_of_random = seed;
	create(journals);
	for (int i = 0; i < CALLS; i++) {
		const uint32_t thread = random_below(THREADS);

		append(journals[thread], &times_ns[thread], &request);
	}
	/* Recording is off at the end of the other thread. */
	assert_int_equal(journal_switch(journals[1], times_ns[1] + 5, false, &err), 0);
	assert_int_equal(journal_end(journals[0], times_ns[0] + 100, &err), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		journal_close(journals[i]);
}

/* -------------------------------------------------------------------- the two */

static void read_journals(struct measured_rank *rank, struct measured_names *names,
			  const struct trace_world *world)
{
	const struct rank_journals journals = {.directory = folder,
					       .threads = THREADS,
					       .clock = trace_clock_through(&clock_start, 1),
					       .begin_ns = 1000,
					       .comms = comms,
					       .comm_count = 3};
	struct measured_reading reading = {.world = world, .names = names};
	struct error err;

	measured_reading_begin(&reading, rank);
	if (journal_calls(&journals, measured_take_call, &reading, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(measured_reading_end(&reading, &err), 0);
	measured_reading_release(&reading);
}

/* The world that the archive has: of one rank. */
static const uint32_t only_rank[] = {0};
static const struct trace_comm world_comms[] = {
	{.defined = true,
	 .identity = true,
	 .name = "MPI_COMM_WORLD",
	 .size = 1,
	 .ranks = only_rank},
	{.defined = true, .self = true, .name = "MPI_COMM_SELF", .size = 1},
	{.defined = true, .identity = true, .name = "", .size = 1, .ranks = only_rank},
};
static const struct trace_world one_rank = {.rank_count = 1, .comm_count = 3, .comms = world_comms};

static void same_calls(const struct measured_rank *a, const struct measured_rank *b)
{
	assert_int_equal(a->calls.count, b->calls.count);
	for (size_t i = 0; i < a->calls.count; i++) {
		assert_true(a->calls.items[i].enter_ns == b->calls.items[i].enter_ns);
		assert_true(a->calls.items[i].leave_ns == b->calls.items[i].leave_ns);
		assert_int_equal(a->calls.items[i].function, b->calls.items[i].function);
		assert_int_equal(a->calls.items[i].thread, b->calls.items[i].thread);
	}
}

static void same_messages(const struct measured_rank *a, const struct measured_rank *b)
{
	assert_int_equal(a->sends.count, b->sends.count);
	for (size_t i = 0; i < a->sends.count; i++) {
		const struct measured_send *x = &a->sends.items[i], *y = &b->sends.items[i];

		assert_true(x->begin == y->begin && x->end == y->end && x->peer == y->peer &&
			    x->comm == y->comm && x->tag == y->tag && x->bytes == y->bytes &&
			    x->synchronous == y->synchronous && x->buffered == y->buffered);
	}
	assert_int_equal(a->recvs.count, b->recvs.count);
	for (size_t i = 0; i < a->recvs.count; i++) {
		const struct measured_recv *x = &a->recvs.items[i], *y = &b->recvs.items[i];

		assert_true(x->begin == y->begin && x->end == y->end && x->peer == y->peer &&
			    x->comm == y->comm && x->tag == y->tag && x->order == y->order &&
			    x->bytes == y->bytes);
	}
}

static void same_parts(const struct measured_rank *a, const struct measured_rank *b)
{
	assert_int_equal(a->parts.count, b->parts.count);
	for (size_t i = 0; i < a->parts.count; i++) {
		const struct participation *x = &a->parts.items[i], *y = &b->parts.items[i];

		assert_true(x->begin == y->begin && x->end == y->end && x->comm == y->comm &&
			    x->stream == y->stream && x->order == y->order && x->root == y->root &&
			    x->kind == y->kind && x->bytes == y->bytes);
	}
}

static void journals_have_the_calls_of_the_archive(void **state)
{
	struct measured_rank rank = {0};
	struct measured_names names = {0};
	struct measured_run run;
	struct recovered recovered;
	struct error err;

	(void)state;
	write_journals(1);
	read_journals(&rank, &names, &one_rank);
	if (recover(folder, &(struct recover_options){.only_whole = true}, &recovered, &err) < 0 ||
	    run_open(&run, folder, dist_alone(), &err) < 0)
		fail_msg("%s", err.text);
	assert_true(rank.calls.count > CALLS / 2 && rank.sends.count > 100 &&
		    rank.recvs.count > 100 && rank.parts.count > 100);
	same_calls(&rank, &run.ranks[0]);
	same_messages(&rank, &run.ranks[0]);
	same_parts(&rank, &run.ranks[0]);
	assert_true(rank.incomplete == run.ranks[0].incomplete);
	assert_true(rank.unmatched_events == run.ranks[0].unmatched_events);
	assert_true(rank.begin_ns == run.ranks[0].begin_ns);
	assert_int_equal(rank.thread_count, THREADS);
	recovered_release(&recovered);
	measured_run_release(&run);
	measured_rank_release(&rank);
	measured_names_release(&names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(journals_have_the_calls_of_the_archive, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
