/*
 * T of --progress async and calls as bounds: random programs, also ones that deadlock, are
 * simulated in time with MPI libraries that need the calls of the receiver in different ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/unit/lib/make/make_calls.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"

enum { RANKS = 3, MESSAGES = 10, ACTS = 100, L = 1000, o = 10, S = 1000, POLL_NS = 5000 };

#define DEADLOCK (-1)
#define LATER INT64_MAX

/* Half 2 m is the send of message m, 2 m + 1 the receive; sets of halves are masks. */
enum { HALVES_OF_ALL = 2 * MESSAGES };

struct act {
	enum { COMPUTE, POST, BLOCK, TEST, WAIT } what;
	uint32_t halves; /* not COMPUTE; WAIT may have several */
	int64_t ns;	 /* COMPUTE */
};

struct message {
	uint32_t from, to, tag, bytes;
	uint32_t got; /* message that the receive gets: the next one with its tag */
};

struct acts {
	struct message messages[MESSAGES];
	struct {
		struct act list[ACTS];
		uint32_t count;
	} ranks[RANKS];
	uint32_t placed, open; /* halves, while the program is made */
};

/* ------------------------------------------------------------------------- programs */

/* What random programs have. */
struct act_traits {
	uint64_t least_ns, range_ns; /* of a computation */
	bool tests;		     /* that find nothing; needs least_ns > POLL_NS */
	bool waits_once;	     /* each rank waits in one call only, at its end */
};

static uint32_t rank_of(const struct acts *all, uint32_t half)
{
	return half % 2 ? all->messages[half / 2].to : all->messages[half / 2].from;
}

static uint32_t halves_of(const struct acts *all, uint32_t rank)
{
	uint32_t halves = 0;

	for (uint32_t half = 0; half < HALVES_OF_ALL; half++)
		halves |= (uint32_t)(rank_of(all, half) == rank) << half;
	return halves;
}

static void add_act(struct acts *all, uint32_t rank, struct act act)
{
	assert_true(all->ranks[rank].count < ACTS);
	all->ranks[rank].list[all->ranks[rank].count++] = act;
}

static void add_compute(struct acts *all, uint32_t rank, const struct act_traits *traits,
			uint64_t *numbers)
{
	add_act(all, rank,
		(struct act){.what = COMPUTE,
			     .ns = (int64_t)(traits->least_ns +
					     random_below(numbers, traits->range_ns))});
}

static bool is_placed(const struct acts *all, uint32_t half)
{
	return all->placed >> half & 1;
}

/* Place a half.  It blocks only if the other one is there: else most programs would deadlock. */
static void place_half(struct acts *all, uint32_t half, bool blocks)
{
	blocks = blocks && is_placed(all, half ^ 1) &&
		 all->messages[half / 2].from != all->messages[half / 2].to;
	add_act(all, rank_of(all, half), (struct act){blocks ? BLOCK : POST, 1u << half, 0});
	all->placed |= 1u << half;
	all->open |= blocks ? 0 : 1u << half;
}

static void add_wait(struct acts *all, uint32_t rank, uint32_t halves)
{
	if (halves)
		add_act(all, rank, (struct act){WAIT, halves, 0});
	all->open &= ~halves;
}

static void add_any(struct acts *all, const struct act_traits *traits, uint64_t *numbers)
{
	const uint32_t half = (uint32_t)random_below(numbers, HALVES_OF_ALL);
	const uint32_t rank = rank_of(all, half), own = all->open & halves_of(all, rank);
	const bool one = random_below(numbers, 3);

	if (random_below(numbers, 3) == 0) {
		add_compute(all, rank, traits, numbers);
	} else if (!is_placed(all, half)) {
		place_half(all, half, !traits->waits_once && random_below(numbers, 3) == 0);
	} else if (traits->tests && own >> half & 1 && random_below(numbers, 2)) {
		add_compute(all, rank, traits, numbers);
		add_act(all, rank, (struct act){TEST, 1u << half, 0});
		add_compute(all, rank, traits, numbers);
	} else if (!traits->waits_once &&
		   (is_placed(all, half ^ 1) || random_below(numbers, 20) == 0)) {
		add_wait(all, rank, one ? own & 1u << half : own);
	}
}

/* Find the send that a receive gets: the one with `before` others before it in their channel. */
static uint32_t send_for(const struct acts *all, uint32_t receive, uint32_t before)
{
	const struct message *wanted = &all->messages[receive];

	for (uint32_t i = 0; i < all->ranks[wanted->from].count; i++) {
		const struct act *act = &all->ranks[wanted->from].list[i];

		for (uint32_t m = 0; m < MESSAGES && (act->what == POST || act->what == BLOCK); m++)
			if (act->halves == 1u << (2 * m) && all->messages[m].to == wanted->to &&
			    all->messages[m].tag == wanted->tag && before-- == 0)
				return m;
	}
	fail_msg("a receive without its send");
	return 0;
}

static void match_acts(struct acts *all)
{
	uint32_t before[RANKS][RANKS][2] = {0};

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < all->ranks[rank].count; i++) {
			const struct act *act = &all->ranks[rank].list[i];

			for (uint32_t m = 0; m < MESSAGES; m++) {
				struct message *message = &all->messages[m];

				if ((act->what == POST || act->what == BLOCK) &&
				    act->halves == 2u << (2 * m))
					message->got = send_for(
						all, m,
						before[rank][message->from][message->tag]++);
			}
		}
}

static void make_acts(struct acts *all, const struct act_traits *traits, uint64_t *numbers)
{
	static const uint32_t sizes[] = {8, 1000, 1001, 5000, 20000, 20001, 100000};

	*all = (struct acts){0};
	for (uint32_t m = 0; m < MESSAGES; m++)
		all->messages[m] = (struct message){.from = (uint32_t)random_below(numbers, RANKS),
						    .to = (uint32_t)random_below(numbers, RANKS),
						    .tag = (uint32_t)random_below(numbers, 2),
						    .bytes = sizes[random_below(numbers, 7)]};
	for (uint64_t i = random_below(numbers, 60); i > 0; i--)
		add_any(all, traits, numbers);
	for (uint32_t half = 0; half < HALVES_OF_ALL; half++)
		if (!is_placed(all, half))
			place_half(all, half, false);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		if (random_below(numbers, 2))
			add_compute(all, rank, traits, numbers);
		add_wait(all, rank, all->open & halves_of(all, rank));
	}
	match_acts(all);
}

/* --------------------------------------------------------------------------- as calls */

/* Event of a half of a message: 0 blocking, 1 posted, 2 completed, 3 tested in vain. */
static struct mpi_event event_of(const struct acts *all, uint32_t half, unsigned which)
{
	const struct message *message = &all->messages[half / 2];
	const uint32_t bytes = all->messages[half % 2 ? message->got : half / 2].bytes;
	const struct mpi_event sends[] = {SEND(0, message->to, message->tag, bytes),
					  ISEND(0, message->to, message->tag, bytes, half + 1),
					  ISENT(half + 1), TESTED(half + 1)};
	const struct mpi_event receives[] = {RECV(0, message->from, message->tag, bytes),
					     POST(half + 1),
					     IRECV(0, message->from, message->tag, bytes, half + 1),
					     TESTED(half + 1)};

	return half % 2 ? receives[which] : sends[which];
}

static void feed_act(struct feed *feed, const struct acts *all, const struct act *act,
		     uint64_t gap_ns)
{
	static const char *const names[][2] = {[POST] = {"MPI_Isend", "MPI_Irecv"},
					       [BLOCK] = {"MPI_Send", "MPI_Recv"},
					       [TEST] = {"MPI_Test", "MPI_Test"},
					       [WAIT] = {"MPI_Waitall", "MPI_Waitall"}};
	static const unsigned events[] = {[POST] = 1, [BLOCK] = 0, [TEST] = 3, [WAIT] = 2};
	struct mpi_event list[HALVES_OF_ALL];
	uint32_t count = 0, half = 0;

	for (uint32_t i = 0; i < HALVES_OF_ALL; i++)
		if (act->halves >> i & 1)
			list[count++] = event_of(all, half = i, events[act->what]);
	feed_must(feed, feed_call(feed, gap_ns, names[act->what][half % 2], count, list));
}

static void feed_acts(struct feed *feed, const void *program, uint32_t rank)
{
	const struct acts *all = program;
	uint64_t gap_ns = 0;

	feed_begin(feed, rank);
	for (uint32_t i = 0; i < all->ranks[rank].count; i++) {
		const struct act *act = &all->ranks[rank].list[i];

		if (act->what != COMPUTE)
			feed_act(feed, all, act, gap_ns);
		gap_ns = act->what == COMPUTE ? gap_ns + (uint64_t)act->ns : 0;
	}
	feed_plain(feed, gap_ns, "MPI_Finalize");
	feed_end(feed);
}

/* T in ns by the equations of the model, or DEADLOCK. */
static int64_t modelled_runtime(const struct acts *all, bool calls)
{
	struct loggps loggps = loggps_default;
	struct progress_table table;
	struct envelope runtime;
	struct brute_line line;
	struct goal goal;
	struct error err;
	wide as = DEADLOCK;

	loggps_set(&loggps, VARIABLE_L, L * (int64_t)AS_PER_NS);
	loggps_set(&loggps, VARIABLE_o, o * (int64_t)AS_PER_NS);
	loggps_set(&loggps, VARIABLE_G, AS_PER_NS);
	loggps.S = S;
	MUST(progress_table_calls(&table, S, false, &err));
	calls_graph(feed_acts, all, RANKS, calls ? &table : NULL, &goal);
	if (brute_force(&runtime, &goal, &loggps, VARIABLE_L)) {
		line = runtime.lines.items[envelope_right(
			&runtime, (struct fraction){(wide)L * AS_PER_NS, 1})];
		as = (line.constant + line.slope * L * AS_PER_NS) / AS_PER_NS;
	}
	envelope_release(&runtime);
	goal_release(&goal);
	progress_table_release(&table);
	return (int64_t)as;
}

/* ---------------------------------------------------------------------------- in time */

/* What a library needs the receiver for, of a rendezvous message (protocol read). */
enum library {
	ANSWERS,       /* to answer, in a call that waits; then the network moves the data */
	ANSWERS_TESTS, /* to answer, in such a call or in a test */
	COPIES,	       /* also while the data moves: it stops when the call ends */
};

struct simulation_state {
	const struct acts *all;
	enum library library;
	int64_t now, ended; /* ended: the last act */
	struct {
		uint32_t next; /* act */
		bool begun, inside;
		int64_t until; /* LATER: its halves tell */
	} ranks[RANKS];
	int64_t begun[HALVES_OF_ALL], ends[HALVES_OF_ALL]; /* LATER: not yet */
	int64_t left[MESSAGES]; /* of the data, by its receive; 0: not answered */
};

static bool reached(const struct simulation_state *state, int64_t time)
{
	return time != LATER && time <= state->now;
}

/* Let a message go on now; `receive` is its receiving half. */
static bool advance_message(struct simulation_state *state, uint32_t receive)
{
	const struct message *message = &state->all->messages[receive / 2];
	const uint32_t send = 2 * message->got;
	const int64_t bytes = state->all->messages[message->got].bytes;
	const bool inside = state->ranks[message->to].inside;

	if (state->ends[receive] != LATER || state->begun[receive] == LATER ||
	    state->begun[send] == LATER)
		return false;
	if (bytes <= S) {
		const int64_t here = state->begun[send] + o + L + bytes - 1;

		state->ends[receive] = o + (here > state->begun[receive] ? here
									 : state->begun[receive]);
		return true;
	}
	if (!state->left[receive / 2] && inside && reached(state, state->begun[send] + o + L)) {
		state->left[receive / 2] = o + 2 * L + bytes - 1;
		if (state->library == COPIES)
			return true;
		state->ends[receive] = state->now + state->left[receive / 2];
		state->ends[send] = state->ends[receive] + L;
		return true;
	}
	return false;
}

/* Whether a rank, in a call, has what it waits for. */
static bool has_all(const struct simulation_state *state, uint32_t halves)
{
	for (uint32_t half = 0; half < HALVES_OF_ALL; half++)
		if (halves >> half & 1 && !reached(state, state->ends[half]))
			return false;
	return true;
}

static void begin_act(struct simulation_state *state, uint32_t rank, const struct act *act)
{
	state->ranks[rank].begun = true;
	state->ranks[rank].inside = act->what == BLOCK || act->what == WAIT ||
				    (act->what == TEST && state->library == ANSWERS_TESTS);
	state->ranks[rank].until = state->now + act->ns;
	for (uint32_t half = 0; half < HALVES_OF_ALL && act->what >= POST && act->what <= BLOCK;
	     half++) {
		if (!(act->halves >> half & 1))
			continue;
		state->begun[half] = state->now;
		if (half % 2 == 0 && state->all->messages[half / 2].bytes <= S)
			state->ends[half] = state->now + o;
		/* The sender is busy in the call. */
		if (half % 2 == 0 && act->what == POST)
			state->ranks[rank].until += o;
	}
}

/* Let a rank begin its next act or end the current one. */
static bool act_now(struct simulation_state *state, uint32_t rank)
{
	const struct act *act = &state->all->ranks[rank].list[state->ranks[rank].next];

	if (state->ranks[rank].next == state->all->ranks[rank].count)
		return false;
	if (!state->ranks[rank].begun) {
		begin_act(state, rank, act);
		return true;
	}
	if (act->what == BLOCK || act->what == WAIT ? !has_all(state, act->halves)
						    : state->ranks[rank].until > state->now)
		return false;
	state->ranks[rank].begun = state->ranks[rank].inside = false;
	state->ranks[rank].next++;
	state->ended = state->now;
	return true;
}

static void note_next(const struct simulation_state *state, int64_t time, int64_t *next)
{
	if (time > state->now && time < *next)
		*next = time;
}

static bool is_copied(const struct simulation_state *state, uint32_t m)
{
	return state->left[m] && state->ends[2 * m + 1] == LATER &&
	       state->ranks[state->all->messages[m].to].inside;
}

static int64_t next_moment(const struct simulation_state *state)
{
	int64_t next = LATER;

	for (uint32_t rank = 0; rank < RANKS; rank++)
		note_next(state, state->ranks[rank].until, &next);
	for (uint32_t half = 0; half < HALVES_OF_ALL; half++) {
		note_next(state, state->ends[half], &next);
		if (state->begun[half] != LATER)
			note_next(state, state->begun[half] + o + L, &next);
	}
	for (uint32_t m = 0; m < MESSAGES; m++)
		if (is_copied(state, m))
			note_next(state, state->now + state->left[m], &next);
	return next;
}

static void copy_until(struct simulation_state *state, int64_t next)
{
	for (uint32_t m = 0; m < MESSAGES; m++) {
		if (!is_copied(state, m))
			continue;
		state->left[m] -= next - state->now;
		if (state->left[m])
			continue;
		state->ends[2 * m + 1] = next;
		state->ends[2 * state->all->messages[m].got] = next + L;
	}
}

static bool anything_now(struct simulation_state *state)
{
	bool any = false;

	for (uint32_t m = 0; m < MESSAGES; m++)
		any |= advance_message(state, 2 * m + 1);
	/* Messages look at a rank between each two of its steps. */
	for (uint32_t rank = 0; rank < RANKS && !any; rank++)
		any = act_now(state, rank);
	return any;
}

/* T in ns with a library, or DEADLOCK. */
static int64_t simulated_runtime(const struct acts *all, enum library library)
{
	struct simulation_state state = {.all = all, .library = library};

	for (uint32_t half = 0; half < HALVES_OF_ALL; half++)
		state.begun[half] = state.ends[half] = LATER;
	while (true) {
		int64_t next;

		while (anything_now(&state))
			;
		next = next_moment(&state);
		if (next == LATER)
			break;
		copy_until(&state, next);
		state.now = next;
	}
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (state.ranks[rank].next < all->ranks[rank].count)
			return DEADLOCK;
	return state.ended;
}

/* ------------------------------------------------------------------------- properties */

/* Program that fails, for a reader: the acts of each rank. */
static void print_acts(const struct acts *all)
{
	static const char *const names[] = {"compute", "post", "block", "test", "wait"};

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < all->ranks[rank].count; i++) {
			const struct act *act = &all->ranks[rank].list[i];

			print_message("%u: %s", rank, names[act->what]);
			if (act->what == COMPUTE)
				print_message(" %lld", (long long)act->ns);
			for (uint32_t half = 0; half < HALVES_OF_ALL; half++)
				if (act->halves >> half & 1)
					print_message(
						" %s %u (%u B, peer %u)",
						half % 2 ? "recv" : "send", half / 2,
						all->messages[half % 2 ? all->messages[half / 2].got
								       : half / 2]
							.bytes,
						half % 2 ? all->messages[half / 2].from
							 : all->messages[half / 2].to);
			print_message("\n");
		}
}

struct tally {
	uint32_t deadlocks, deferred, below_calls, above_calls;
};

/* Overheads of sends that are started: not in the computation after an announcement. */
static int64_t post_overheads(const struct acts *all)
{
	int64_t ns = 0;

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < all->ranks[rank].count; i++)
			ns += all->ranks[rank].list[i].what == POST ? o : 0;
	return ns;
}

/* Compare a program with a library; fail if T is more than slack_ns above T of calls. */
static void compare_acts(const struct acts *all, enum library library, int64_t slack_ns,
			 struct tally *tally)
{
	const int64_t async = modelled_runtime(all, false), calls = modelled_runtime(all, true);
	const int64_t time = simulated_runtime(all, library);

	if ((async == DEADLOCK) != (time == DEADLOCK) ||
	    (calls == DEADLOCK) != (time == DEADLOCK) || time < async || time > calls + slack_ns) {
		print_acts(all);
		fail_msg("async %lld, simulated %lld, calls %lld ns", (long long)async,
			 (long long)time, (long long)calls);
	}
	tally->deadlocks += time == DEADLOCK;
	tally->deferred += calls > async;
	tally->below_calls += time < calls;
	tally->above_calls += time > calls;
}

static struct tally compare_many(const struct act_traits *traits, enum library library,
				 int64_t slack_ns, uint64_t seed)
{
	struct tally tally = {0};

	for (int i = 0; i < 2000; i++) {
		struct acts all;

		make_acts(&all, traits, &seed);
		compare_acts(&all, library, slack_ns + post_overheads(&all), &tally);
	}
	return tally;
}

static void a_library_that_answers_in_calls_takes_from_async_to_calls(void **state)
{
	const struct act_traits traits = {.least_ns = POLL_NS + 1, .range_ns = 60000};
	const struct tally tally = compare_many(&traits, ANSWERS, 0, 1);

	(void)state;
	assert_true(tally.deferred > 500 && tally.below_calls > 100 && tally.deadlocks > 50);
}

static void tests_that_find_nothing_only_lower_the_runtime(void **state)
{
	const struct act_traits traits = {.least_ns = POLL_NS + 1,
					  .range_ns = 60000,
					  .tests = true};

	(void)state;
	assert_true(compare_many(&traits, ANSWERS, 0, 2).deferred > 500);
	assert_true(compare_many(&traits, ANSWERS_TESTS, 0, 2).below_calls > 200);
}

static void short_computations_add_no_more_than_a_poll_gap_for_each_message(void **state)
{
	const struct act_traits traits = {.range_ns = POLL_NS + 1000};
	const struct tally tally = compare_many(&traits, ANSWERS, MESSAGES * POLL_NS, 3);

	(void)state;
	assert_true(tally.deferred > 500 && tally.above_calls);
}

static void calls_is_exact_if_the_first_call_that_waits_is_the_last(void **state)
{
	const struct act_traits traits = {.range_ns = 60000, .waits_once = true};
	uint64_t seed = 4;
	int deferred = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct acts all;
		int64_t calls;

		make_acts(&all, &traits, &seed);
		calls = modelled_runtime(&all, true);
		assert_true(calls != DEADLOCK);
		assert_true(simulated_runtime(&all, ANSWERS) == calls);
		assert_true(simulated_runtime(&all, COPIES) == calls);
		deferred += calls > modelled_runtime(&all, false);
	}
	assert_true(deferred > 1000);
}

/* Rank 0 waits for a small message, computes, and waits for a large one, announced before. */
static void a_library_that_copies_takes_longer_than_calls_between_calls_that_wait(void **state)
{
	enum { BYTES = 100001, B = BYTES - 1, TIME = 200000 };
	struct acts all = {.messages = {{1, 0, 0, BYTES, 0}, {1, 0, 1, 8, 1}}};
	const int64_t begin = TIME / 2, calls = begin + TIME;

	(void)state;
	for (uint32_t half = 1; half <= 3; half += 2)
		place_half(&all, half, false);
	for (uint32_t half = 0; half <= 2; half += 2)
		place_half(&all, half, false);
	add_act(&all, 0, (struct act){.what = COMPUTE, .ns = begin});
	add_wait(&all, 0, 1u << 3);
	add_act(&all, 0, (struct act){.what = COMPUTE, .ns = TIME});
	add_wait(&all, 0, 1u << 1);
	add_wait(&all, 1, 1u << 0 | 1u << 2);
	assert_true(modelled_runtime(&all, false) == calls);
	assert_true(simulated_runtime(&all, ANSWERS) == calls);
	assert_true(simulated_runtime(&all, COPIES) == calls + o + 3 * L + B);
	assert_true(modelled_runtime(&all, true) < calls + o + 3 * L + B);
}

static int64_t computation(const struct acts *all)
{
	int64_t ns = 0;

	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < all->ranks[rank].count; i++)
			ns += all->ranks[rank].list[i].ns;
	return ns;
}

static void copying_adds_no_more_than_the_computation(void **state)
{
	const struct act_traits traits = {.least_ns = POLL_NS + 1, .range_ns = 60000};
	struct tally tally = {0};
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct acts all;

		make_acts(&all, &traits, &seed);
		compare_acts(&all, COPIES, computation(&all), &tally);
	}
	assert_true(tally.above_calls > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_that_answers_in_calls_takes_from_async_to_calls),
		cmocka_unit_test(tests_that_find_nothing_only_lower_the_runtime),
		cmocka_unit_test(short_computations_add_no_more_than_a_poll_gap_for_each_message),
		cmocka_unit_test(calls_is_exact_if_the_first_call_that_waits_is_the_last),
		cmocka_unit_test(
			a_library_that_copies_takes_longer_than_calls_between_calls_that_wait),
		cmocka_unit_test(copying_adds_no_more_than_the_computation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
