/*
 * Tests of the order of threads by brute force: a proxy of a random run does its calls in each interleaving that its
 * waits allow.  None may stop, and in none may a call be before another one that MPI, and the run, have after it.
 */
#include "eventflow/generate/lookahead.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/make_threads.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_STATES = 1 << 17, SLOTS = 4 * MOST_STATES };

/* -------------------------------------------------------------------------- run to proxy */

static struct trace_comm comms[2];

static void add_event(struct flow_feed_call *made, struct mpi_event event)
{
	made->events[made->call.event_count++] = event;
}

/* Give a call its function and events. */
static void describe(const struct threaded_run *run, uint8_t number, struct flow_feed_call *made)
{
	static const char *const functions[] = {
		[RUN_INIT] = "MPI_Init_thread", [RUN_SEND] = "MPI_Send",
		[RUN_SSEND] = "MPI_Ssend",	[RUN_RECV] = "MPI_Recv",
		[RUN_ISEND] = "MPI_Isend",	[RUN_IRECV] = "MPI_Irecv",
		[RUN_WAIT] = "MPI_Wait",	[RUN_BARRIER] = "MPI_Barrier",
		[RUN_DUP] = "MPI_Comm_dup",	[RUN_FREE] = "MPI_Comm_free",
		[RUN_FINALIZE] = "MPI_Finalize"};
	const struct run_call *call = &run->calls[number];
	const struct run_call *of = call->kind == RUN_WAIT ? &run->calls[call->start] : call;
	struct mpi_event message = {.comm = of->comm,
				    .peer = of->peer,
				    .tag = of->tag,
				    .bytes = 8,
				    .request = call->kind == RUN_WAIT ? call->start : number};
	struct mpi_event collective = {.kind = EVENT_COLLECTIVE,
				       .comm = call->comm,
				       .root = NO_ROOT};

	made->call.function = functions[call->kind];
	switch (call->kind) {
	case RUN_SEND:
	case RUN_SSEND:
		message.kind = EVENT_SEND;
		break;
	case RUN_RECV:
		message.kind = EVENT_RECV;
		break;
	case RUN_ISEND:
		message.kind = EVENT_ISEND;
		break;
	case RUN_IRECV:
		add_event(made, (struct mpi_event){.kind = EVENT_IRECV_REQUEST, .request = number});
		return;
	case RUN_WAIT:
		message.kind = of->kind == RUN_ISEND ? EVENT_ISEND_COMPLETE : EVENT_IRECV;
		if (of->kind == RUN_ISEND)
			message = (struct mpi_event){.kind = message.kind, .request = call->start};
		break;
	case RUN_BARRIER:
		add_event(made, collective);
		return;
	case RUN_DUP:
		collective.collective = COLL_CREATE_HANDLE;
		add_event(made, collective);
		add_event(made, (struct mpi_event){.kind = EVENT_COMM_CREATE, .comm = 1});
		return;
	case RUN_FREE:
		collective.collective = COLL_DESTROY_HANDLE;
		add_event(made, collective);
		add_event(made, (struct mpi_event){.kind = EVENT_COMM_DESTROY, .comm = 1});
		return;
	default:
		return;
	}
	if (call->kind == RUN_SEND || call->kind == RUN_SSEND || call->kind == RUN_RECV)
		message.request = 0;
	add_event(made, message);
}

/* ns of a time of the run: far longer than times have to be apart */
enum { TIME_NS = 10000 };

static struct flow *flow_of(const struct threaded_run *run)
{
	static struct flow_feed feed;
	struct flow *flow;
	struct error err;

	flow_feed_begin(&feed, RUN_RANKS);
	comms[0] = comms[1] = feed.comm;
	feed.world.comms = comms;
	feed.world.comm_count = 2;
	for (uint8_t i = 0; i < run->count; i++) {
		struct flow_feed_call made = {
			.call = {.thread = run->calls[i].thread,
				 .enter_ns = TIME_NS * (uint64_t)run->calls[i].begun,
				 .leave_ns = TIME_NS * (uint64_t)run->calls[i].ended}};

		describe(run, i, &made);
		MUST(array_push(&feed.ranks[run->calls[i].rank].calls, made, &err));
	}
	flow = flow_feed_build(&feed, &(struct flow_options){.times = FLOW_TIMES_ALL,
							     .level = FLOW_BY_SITE});
	flow_feed_release(&feed);
	return flow;
}

/* Semaphores of the proxy, as numbers since the start. */
struct waits {
	uint8_t waits[RUN_CALLS][RUN_THREADS]; /* up to before a call, for each other thread */
	uint8_t tells[RUN_CALLS][RUN_THREADS]; /* up to after a call, to each other thread */
	unsigned count;			       /* of all waits */
};

/* Number of a call of the run by that among the calls of its rank, from 1. */
static uint8_t call_of_rank(const struct threaded_run *run, uint8_t rank, uint64_t number)
{
	uint8_t i = 0;

	while (run->calls[i].rank != rank || --number > 0)
		i++;
	return i;
}

/* Count the entries of a thread's list up to each of its calls. */
static void count_entries(const struct threaded_run *run, uint8_t rank, uint8_t thread,
			  const struct order_list *list, uint8_t counts[][RUN_THREADS])
{
	for (uint8_t n = 0; n < run->counts[rank][thread]; n++)
		for (size_t i = 0; i < list->count; i++) {
			const uint8_t call = call_of_rank(run, rank, list->items[i].call);

			assert_int_equal(run->calls[call].thread, thread);
			counts[run->of[rank][thread][n]][list->items[i].thread] +=
				call <= run->of[rank][thread][n];
		}
}

static void find_waits_with(const struct threaded_run *run, bool sessions, struct waits *waits)
{
	static struct replay_program program;
	struct flow *flow = flow_of(run);
	struct error err;

	memset(waits, 0, sizeof *waits);
	program = (struct replay_program){.flow = flow, .sessions = sessions};
	for (uint8_t rank = 0; rank < RUN_RANKS; rank++) {
		struct rank_calls calls = {.program = &program,
					   .flow = flow,
					   .rank = rank,
					   .threads = (uint32_t)flow->ranks[rank].threads.count};

		assert_int_equal(calls.threads, run->threads[rank]);
		MUST(look_ahead(&calls, &err));
		for (uint8_t t = 0; t < calls.order.threads; t++) {
			count_entries(run, rank, t, &calls.order.waits[t], waits->waits);
			count_entries(run, rank, t, &calls.order.tells[t], waits->tells);
			waits->count += (unsigned)calls.order.waits[t].count;
		}
		look_ahead_release(&calls);
	}
	replay_release(&program);
	flow_release(flow);
}

static void find_waits(const struct threaded_run *run, struct waits *waits)
{
	find_waits_with(run, false, waits);
}

/* -------------------------------------------------------------------------- brute force */

enum verdict { RIGHT, STOPS, WRONG_ORDER, TOO_MANY };

struct search {
	const struct threaded_run *run;
	const struct waits *waits;
	uint64_t before[RUN_CALLS]; /* bits of the calls that have to have ended */
	struct run_state *states;
	uint32_t *slots, count; /* hash table of states, by number plus 1 */
	enum verdict verdict;
};

/*
 * Whether the run had a call's end before another one began that it conflicts with: the thread has gone on, the call waits for
 * nobody, or MPI ends.
 */
static bool had_ended(const struct threaded_run *run, uint8_t first, uint8_t second)
{
	const struct run_call *of = &run->calls[first];

	for (uint8_t i = first + 1; i < second; i++)
		if (run->calls[i].rank == of->rank && run->calls[i].thread == of->thread)
			return true;
	if (run->calls[second].kind == RUN_FINALIZE)
		return true;
	if (run->calls[second].kind == RUN_FREE && of->kind == RUN_WAIT)
		return of->ended < run->calls[second].begun;
	return of->kind != RUN_SEND && of->kind != RUN_SSEND && of->kind != RUN_RECV;
}

/* List which calls have to have ended before each call. */
static void find_before(struct search *search)
{
	for (uint8_t second = 0; second < search->run->count; second++)
		for (uint8_t first = 0; first < second; first++)
			if (run_conflict(search->run, first, second) &&
			    had_ended(search->run, first, second))
				search->before[second] |= UINT64_C(1) << first;
}

/* Note a state.  Returns false if it was known, or there are too many. */
static bool is_new(struct search *search, const struct run_state *state)
{
	const unsigned char *bytes = (const unsigned char *)state;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof *state; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	for (hash %= SLOTS; search->slots[hash]; hash = (hash + 1) % SLOTS)
		if (!memcmp(&search->states[search->slots[hash] - 1], state, sizeof *state))
			return false;
	if (search->count == MOST_STATES) {
		search->verdict = TOO_MANY;
		return false;
	}
	search->states[search->count++] = *state;
	search->slots[hash] = search->count;
	return true;
}

/* Whether the semaphores let a thread begin its call. */
static bool is_told(const struct search *search, const struct run_state *state, uint8_t call)
{
	const struct threaded_run *run = search->run;
	const uint8_t rank = run->calls[call].rank, thread = run->calls[call].thread;

	for (uint8_t other = 0; other < RUN_THREADS; other++) {
		const uint8_t ended = state->at[rank][other] / 2;
		const uint8_t told =
			ended ? search->waits->tells[run->of[rank][other][ended - 1]][thread] : 0;

		if (told < search->waits->waits[call][other])
			return false;
	}
	return true;
}

static bool in_order(const struct search *search, const struct run_state *state, uint8_t call)
{
	for (uint8_t i = 0; i < call; i++)
		if (search->before[call] >> i & 1 && !run_has_ended(search->run, state, i))
			return false;
	return true;
}

static void search_from(struct search *search, const struct run_state *state);

/* Take the next step of a thread, if it can, and search from there. */
static bool take_step(struct search *search, const struct run_state *state, uint8_t rank,
		      uint8_t thread)
{
	const uint8_t at = state->at[rank][thread];
	const uint8_t call = search->run->of[rank][thread][at / 2];
	struct run_state next = *state;

	if (at / 2 == search->run->counts[rank][thread])
		return false;
	if (at % 2 ? !run_may_end(search->run, state, call) : !is_told(search, state, call))
		return false;
	if (at % 2)
		run_end(&next, rank, thread);
	else if (in_order(search, state, call))
		run_begin(search->run, &next, rank, thread);
	else
		search->verdict = WRONG_ORDER;
	search_from(search, &next);
	return true;
}

static void search_from(struct search *search, const struct run_state *state)
{
	bool any = false, done = true;

	if (search->verdict != RIGHT || !is_new(search, state))
		return;
	for (uint8_t rank = 0; rank < RUN_RANKS; rank++)
		for (uint8_t thread = 0; thread < RUN_THREADS; thread++) {
			any |= take_step(search, state, rank, thread);
			done &= state->at[rank][thread] == 2 * search->run->counts[rank][thread];
		}
	if (!any && !done && search->verdict == RIGHT)
		search->verdict = STOPS;
}

/* Try all interleavings that the waits allow. */
static enum verdict try_all(const struct threaded_run *run, const struct waits *waits)
{
	struct search search = {.run = run, .waits = waits};
	const struct run_state start = {0};

	find_before(&search);
	search.states = malloc(MOST_STATES * sizeof *search.states);
	search.slots = calloc(SLOTS, sizeof *search.slots);
	assert_non_null(search.states);
	assert_non_null(search.slots);
	search_from(&search, &start);
	free(search.states);
	free(search.slots);
	return search.verdict;
}

/* ------------------------------------------------------------------------------ messages */

static void print_run(const struct threaded_run *run, const struct waits *waits)
{
	static const char *const names[] = {"init", "send",    "ssend", "recv", "isend",   "irecv",
					    "wait", "barrier", "dup",	"free", "finalize"};

	for (uint8_t i = 0; i < run->count; i++) {
		const struct run_call *call = &run->calls[i];

		print_message(
			"%u: rank %u thread %u %s comm %u peer %u tag %u start %u; waits %u %u %u, tells %u %u %u\n",
			i, call->rank, call->thread, names[call->kind], call->comm, call->peer,
			call->tag, call->start, waits->waits[i][0], waits->waits[i][1],
			waits->waits[i][2], waits->tells[i][0], waits->tells[i][1],
			waits->tells[i][2]);
	}
}

/* --------------------------------------------------------------------------------- tests */

enum { RUNS = 400 };

static void no_interleaving_stops_or_has_another_order(void **state)
{
	uint64_t numbers = 1;
	unsigned tried = 0, with_waits = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		struct threaded_run run;
		struct waits waits;
		enum verdict verdict;

		run_make(&run, 2 + i % 2, (uint8_t)(8 + i % 7), &numbers);
		find_waits(&run, &waits);
		verdict = try_all(&run, &waits);
		tried += verdict != TOO_MANY;
		with_waits += verdict != TOO_MANY && waits.count > 0;
		if (verdict == RIGHT || verdict == TOO_MANY)
			continue;
		print_run(&run, &waits);
		fail_msg("run %d %s", i, verdict == STOPS ? "stops" : "has another order");
	}
	assert_in_range(tried, RUNS * 9 / 10, RUNS);
	assert_in_range(with_waits, RUNS / 2, RUNS);
}

/*
 * Rank 0 waits for a message on a communicator while its other thread frees that.  The message comes after what this
 * thread does next.
 */
static const struct run_call freed_meanwhile[] = {
	{.kind = RUN_INIT, .begun = 1, .ended = 2},
	{.kind = RUN_INIT, .rank = 1, .begun = 3, .ended = 4},
	{.kind = RUN_DUP, .begun = 5, .ended = 7},
	{.kind = RUN_DUP, .rank = 1, .begun = 6, .ended = 8},
	{.kind = RUN_IRECV, .comm = 1, .peer = 1, .begun = 9, .ended = 10},
	{.kind = RUN_WAIT, .start = 4, .begun = 11, .ended = 20},
	{.kind = RUN_FREE, .thread = 1, .comm = 1, .begun = 12, .ended = 13},
	{.kind = RUN_SEND, .thread = 1, .peer = 1, .begun = 14, .ended = 15},
	{.kind = RUN_RECV, .rank = 1, .begun = 16, .ended = 17},
	{.kind = RUN_SEND, .rank = 1, .comm = 1, .begun = 18, .ended = 19},
	{.kind = RUN_FINALIZE, .begun = 21, .ended = 22},
	{.kind = RUN_FINALIZE, .rank = 1, .begun = 23, .ended = 24},
};
enum { WAIT_CALL = 5, FREE_CALL = 6 };

static struct threaded_run run_freed_meanwhile(void)
{
	struct threaded_run run = {0};

	for (size_t i = 0; i < sizeof freed_meanwhile / sizeof *freed_meanwhile; i++)
		run_add(&run, &freed_meanwhile[i]);
	return run;
}

static void a_communicator_may_be_freed_while_another_thread_waits_for_its_message(void **state)
{
	const struct threaded_run run = run_freed_meanwhile();
	struct waits waits;

	(void)state;
	find_waits(&run, &waits);
	assert_int_equal(try_all(&run, &waits), RIGHT);
}

static void that_is_so_where_the_wait_seems_to_end_as_the_communicator_is_freed(void **state)
{
	struct threaded_run run = run_freed_meanwhile();
	struct waits waits;

	(void)state;
	run.calls[WAIT_CALL].ended = run.calls[FREE_CALL].begun;
	find_waits(&run, &waits);
	assert_int_equal(try_all(&run, &waits), RIGHT);
}

static void a_wait_that_was_over_comes_before_its_communicator_is_freed(void **state)
{
	struct threaded_run run = run_freed_meanwhile();
	struct waits waits;

	(void)state;
	run.calls[WAIT_CALL].ended = run.calls[FREE_CALL].begun - 1;
	find_waits(&run, &waits);
	assert_int_equal(try_all(&run, &waits), STOPS);
}

static void mpi_ends_after_all_calls_on_its_world_in_programs_with_sessions_too(void **state)
{
	static const struct run_call calls[] = {
		{.kind = RUN_INIT, .begun = 1, .ended = 2},
		{.kind = RUN_INIT, .rank = 1, .begun = 3, .ended = 4},
		{.kind = RUN_RECV, .rank = 1, .begun = 5, .ended = 9},
		{.kind = RUN_SEND, .thread = 1, .peer = 1, .begun = 6, .ended = 12},
		{.kind = RUN_FINALIZE, .begun = 10, .ended = 14},
		{.kind = RUN_FINALIZE, .rank = 1, .begun = 11, .ended = 15},
	};
	struct threaded_run run = {0};
	struct waits waits;

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		run_add(&run, &calls[i]);
	find_waits_with(&run, true, &waits);
	assert_int_equal(try_all(&run, &waits), RIGHT);
}

/* Leave out the first wait of a call for a thread, and what that tells it. */
static void leave_out(const struct threaded_run *run, struct waits *waits, uint8_t call,
		      uint8_t other)
{
	const uint8_t rank = run->calls[call].rank, thread = run->calls[call].thread;
	const uint8_t number = waits->waits[call][other];

	for (uint8_t i = 0; i < run->count; i++) {
		const struct run_call *of = &run->calls[i];

		if (of->rank == rank && of->thread == thread && waits->waits[i][other] >= number)
			waits->waits[i][other]--;
		if (of->rank == rank && of->thread == other && waits->tells[i][thread] >= number)
			waits->tells[i][thread]--;
	}
}

/* Whether a call waits for a thread for which the thread's call before has not waited. */
static bool waits_first(const struct threaded_run *run, const struct waits *waits, uint8_t call,
			uint8_t other)
{
	const struct run_call *of = &run->calls[call];
	const uint8_t before = of->number ? run->of[of->rank][of->thread][of->number - 1] : 0;

	return waits->waits[call][other] > (of->number ? waits->waits[before][other] : 0);
}

/* Waits are only those that do not follow from others: without any one of them the order may be another one. */
static void no_wait_can_be_left_out(void **state)
{
	uint64_t numbers = 2;
	unsigned left_out = 0, found = 0;

	(void)state;
	for (int i = 0; i < RUNS / 8; i++) {
		struct threaded_run run;
		struct waits waits;

		run_make(&run, 2 + i % 2, 8, &numbers);
		find_waits(&run, &waits);
		for (uint8_t call = 0; call < run.count; call++)
			for (uint8_t other = 0; other < RUN_THREADS; other++) {
				struct waits fewer = waits;
				enum verdict verdict;

				if (!waits_first(&run, &waits, call, other))
					continue;
				leave_out(&run, &fewer, call, other);
				verdict = try_all(&run, &fewer);
				left_out++;
				found += verdict == STOPS || verdict == WRONG_ORDER;
			}
	}
	/* Now and then messages between the ranks see to it. */
	assert_in_range(left_out, RUNS / 4, UINT32_MAX);
	assert_in_range(found, left_out - left_out / 20, left_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_interleaving_stops_or_has_another_order),
		cmocka_unit_test(
			a_communicator_may_be_freed_while_another_thread_waits_for_its_message),
		cmocka_unit_test(
			that_is_so_where_the_wait_seems_to_end_as_the_communicator_is_freed),
		cmocka_unit_test(a_wait_that_was_over_comes_before_its_communicator_is_freed),
		cmocka_unit_test(
			mpi_ends_after_all_calls_on_its_world_in_programs_with_sessions_too),
		cmocka_unit_test(no_wait_can_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
