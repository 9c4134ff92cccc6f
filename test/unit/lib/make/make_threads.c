#include "test/unit/lib/make/make_threads.h"

#include "test/unit/lib/make/random_graph.h"

#include <string.h>

enum { COMMS = 2, TAGS = 2 };

/* ------------------------------------------------------------------------- what calls are */

static bool sends(enum run_kind kind)
{
	return kind == RUN_SEND || kind == RUN_SSEND || kind == RUN_ISEND;
}

static bool receives(enum run_kind kind)
{
	return kind == RUN_RECV || kind == RUN_IRECV;
}

static bool is_message(enum run_kind kind)
{
	return sends(kind) || receives(kind);
}

/* Whether all ranks take part, one after the other on each communicator. */
static bool is_collective(enum run_kind kind)
{
	return kind == RUN_BARRIER || kind == RUN_DUP;
}

static bool starts_request(enum run_kind kind)
{
	return kind == RUN_ISEND || kind == RUN_IRECV;
}

static bool uses_comm(const struct run_call *call, uint8_t comm)
{
	return (is_message(call->kind) || is_collective(call->kind) || call->kind == RUN_FREE) &&
	       call->comm == comm;
}

/* Channel of a message. */
static unsigned channel_of(const struct run_call *call)
{
	const unsigned from = sends(call->kind) ? call->rank : call->peer;
	const unsigned to = sends(call->kind) ? call->peer : call->rank;

	return ((from * RUN_RANKS + to) * COMMS + call->comm) * TAGS + call->tag;
}

bool run_conflict(const struct threaded_run *run, uint8_t first, uint8_t second)
{
	const struct run_call *a = &run->calls[first], *b = &run->calls[second];

	if (a->rank != b->rank)
		return false;
	if (a->kind == RUN_INIT || b->kind == RUN_FINALIZE)
		return true;
	if (b->kind == RUN_WAIT)
		return b->start == first;
	if (is_message(a->kind) && is_message(b->kind))
		return sends(a->kind) == sends(b->kind) && channel_of(a) == channel_of(b);
	if (is_collective(a->kind) && is_collective(b->kind) && a->comm == b->comm)
		return true;
	if (b->kind == RUN_FREE && a->kind == RUN_WAIT)
		return receives(run->calls[a->start].kind) && uses_comm(&run->calls[a->start], 1);
	return (a->kind == RUN_DUP && uses_comm(b, 1)) || (b->kind == RUN_FREE && uses_comm(a, 1));
}

/* ------------------------------------------------------------------------- what calls do */

bool run_has_begun(const struct threaded_run *run, const struct run_state *state, uint8_t call)
{
	const struct run_call *of = &run->calls[call];

	return state->at[of->rank][of->thread] > 2 * of->number;
}

bool run_has_ended(const struct threaded_run *run, const struct run_state *state, uint8_t call)
{
	const struct run_call *of = &run->calls[call];

	return state->at[of->rank][of->thread] > 2 * of->number + 1;
}

/* Collectives that a rank has begun on a communicator. */
static unsigned collectives(const struct threaded_run *run, const struct run_state *state,
			    uint8_t rank, uint8_t comm)
{
	unsigned count = 0;

	for (uint8_t i = 0; i < run->count; i++)
		count += is_collective(run->calls[i].kind) && run->calls[i].rank == rank &&
			 run->calls[i].comm == comm && run_has_begun(run, state, i);
	return count;
}

/* Match a message with the first partner in its channel, or let it wait behind the others there. */
static void post(const struct threaded_run *run, struct run_state *state, uint8_t call)
{
	const struct run_call *own = &run->calls[call];
	uint8_t i = 0;

	while (i < state->queued && channel_of(&run->calls[state->queue[i]]) < channel_of(own))
		i++;
	if (i < state->queued && channel_of(&run->calls[state->queue[i]]) == channel_of(own) &&
	    sends(run->calls[state->queue[i]].kind) != sends(own->kind)) {
		state->matched[call] = state->matched[state->queue[i]] = true;
		memmove(state->queue + i, state->queue + i + 1, state->queued - i - 1u);
		state->queue[--state->queued] = 0;
		return;
	}
	while (i < state->queued && channel_of(&run->calls[state->queue[i]]) == channel_of(own))
		i++;
	memmove(state->queue + i + 1, state->queue + i, state->queued++ - i);
	state->queue[i] = call;
}

void run_begin(const struct threaded_run *run, struct run_state *state, uint8_t rank,
	       uint8_t thread)
{
	const uint8_t call = run->of[rank][thread][state->at[rank][thread]++ / 2];

	if (is_message(run->calls[call].kind))
		post(run, state, call);
}

void run_end(struct run_state *state, uint8_t rank, uint8_t thread)
{
	state->at[rank][thread]++;
}

bool run_may_end(const struct threaded_run *run, const struct run_state *state, uint8_t call)
{
	const struct run_call *own = &run->calls[call];

	switch (own->kind) {
	case RUN_SSEND:
	case RUN_RECV:
		return state->matched[call];
	case RUN_WAIT:
		return sends(run->calls[own->start].kind) || state->matched[own->start];
	case RUN_BARRIER:
	case RUN_DUP:
		return collectives(run, state, 1 - own->rank, own->comm) >=
		       collectives(run, state, own->rank, own->comm);
	default:
		return true;
	}
}

/* --------------------------------------------------------------------------- random runs */

struct making {
	struct threaded_run *run;
	struct run_state state;
	uint64_t *numbers;
	uint8_t threads, now;
};

static bool is_free(const struct making *making, uint8_t rank, uint8_t thread)
{
	return making->state.at[rank][thread] % 2 == 0;
}

/* Whether a thread has begun a call after this one: then a trace tells that it has ended. */
static bool is_past(const struct making *making, uint8_t call)
{
	const struct run_call *of = &making->run->calls[call];

	return making->run->counts[of->rank][of->thread] > of->number + 1;
}

/* Whether a rank has communicator 1 and, if so, has not freed it. */
static bool has_comm(const struct making *making, uint8_t rank, uint8_t comm)
{
	bool has = comm == 0;

	for (uint8_t i = 0; i < making->run->count; i++) {
		const struct run_call *call = &making->run->calls[i];

		if (call->rank == rank && call->kind == RUN_DUP)
			has = has || run_has_ended(making->run, &making->state, i);
		if (call->rank == rank && call->kind == RUN_FREE && comm == 1)
			return false;
	}
	return has;
}

/* Whether MPI lets the thread begin the call beside those of other threads. */
static bool is_legal(const struct making *making, const struct run_call *new)
{
	const struct threaded_run *run = making->run;

	if ((is_message(new->kind) || is_collective(new->kind) || new->kind == RUN_FREE) &&
	    !has_comm(making, new->rank, new->comm))
		return false;
	for (uint8_t i = 0; i < run->count; i++) {
		const struct run_call *call = &run->calls[i];
		const bool runs = !run_has_ended(run, &making->state, i);

		if (call->rank != new->rank)
			continue;
		if (new->kind == RUN_DUP && call->kind == RUN_DUP)
			return false;
		if (runs && call->comm == new->comm &&is_collective(call->kind) &&
		    (is_collective(new->kind) || new->kind == RUN_FREE))
			return false;
		if (runs && new->kind == RUN_FREE && uses_comm(call, 1))
			return false;
		if (is_message(new->kind) && is_message(call->kind) &&
		    call->thread != new->thread && sends(call->kind) == sends(new->kind) &&
		    channel_of(call) == channel_of(new) && !starts_request(call->kind) &&
		    !is_past(making, i))
			return false;
	}
	return true;
}

/* Find the kind of the next collective of a rank on a communicator, if the other rank has begun it. */
static enum run_kind next_collective(const struct making *making, uint8_t rank, uint8_t comm)
{
	unsigned before = collectives(making->run, &making->state, rank, comm);

	for (uint8_t i = 0; i < making->run->count; i++) {
		const struct run_call *call = &making->run->calls[i];

		if (call->rank != rank && call->comm == comm && is_collective(call->kind) &&
		    before-- == 0)
			return call->kind;
	}
	return RUN_INIT;
}

void run_add(struct threaded_run *run, const struct run_call *call)
{
	uint8_t *count = &run->counts[call->rank][call->thread];

	run->calls[run->count] = *call;
	run->calls[run->count].number = *count;
	run->of[call->rank][call->thread][(*count)++] = run->count++;
	if (run->threads[call->rank] < call->thread + 1)
		run->threads[call->rank] = call->thread + 1;
}

static bool begin_call(struct making *making, struct run_call new)
{
	struct threaded_run *run = making->run;
	enum run_kind collective = RUN_INIT;

	if (is_collective(new.kind))
		collective = next_collective(making, new.rank, new.comm);
	/* Threads have their numbers by their first calls. */
	if (run->count == RUN_CALLS || new.thread > run->threads[new.rank] ||
	    !is_legal(making, &new) || (collective != RUN_INIT && collective != new.kind))
		return false;
	new.begun = ++making->now;
	run_add(run, &new);
	run_begin(run, &making->state, new.rank, new.thread);
	return true;
}

/* Find a request of the rank that was begun and that nobody waits for, or RUN_NOTHING. */
static uint8_t open_request(const struct making *making, uint8_t rank)
{
	const struct threaded_run *run = making->run;

	for (uint8_t i = 0; i < run->count; i++) {
		bool open = run->calls[i].rank == rank && starts_request(run->calls[i].kind) &&
			    run_has_ended(run, &making->state, i);

		for (uint8_t j = i; open && j < run->count; j++)
			open = run->calls[j].kind != RUN_WAIT || run->calls[j].start != i;
		if (open)
			return i;
	}
	return RUN_NOTHING;
}

static bool begin_random(struct making *making, uint8_t rank, uint8_t thread)
{
	static const enum run_kind kinds[] = {RUN_SEND,	   RUN_SEND,  RUN_SSEND, RUN_RECV,
					      RUN_RECV,	   RUN_ISEND, RUN_IRECV, RUN_IRECV,
					      RUN_WAIT,	   RUN_WAIT,  RUN_WAIT,	 RUN_BARRIER,
					      RUN_BARRIER, RUN_DUP,   RUN_FREE};
	struct run_call new = {
		.kind = kinds[random_below(making->numbers, sizeof kinds / sizeof *kinds)],
		.rank = rank,
		.thread = thread,
		.comm = (uint8_t)random_below(making->numbers, COMMS),
		.peer = (uint8_t)random_below(making->numbers, RUN_RANKS),
		.tag = (uint8_t)random_below(making->numbers, TAGS)};

	if (new.kind == RUN_DUP || new.kind == RUN_FREE)
		new.comm = new.kind == RUN_FREE;
	if (new.kind == RUN_WAIT) {
		new.start = open_request(making, rank);
		new.comm = new.peer = new.tag = 0;
		if (new.start == RUN_NOTHING)
			return false;
	}
	return begin_call(making, new);
}

/* Let a thread end its call, if it is in one and may. */
static bool end_call(struct making *making, uint8_t rank, uint8_t thread)
{
	struct threaded_run *run = making->run;
	const uint8_t call = run->of[rank][thread][making->state.at[rank][thread] / 2];

	if (is_free(making, rank, thread) || !run_may_end(run, &making->state, call))
		return false;
	run->calls[call].ended = ++making->now;
	run_end(&making->state, rank, thread);
	return true;
}

/* Begin on a thread of a rank what another call waits for. */
static bool help_call(struct making *making, uint8_t call, uint8_t rank, uint8_t thread)
{
	const struct threaded_run *run = making->run;
	const struct run_call *of = &run->calls[call];
	struct run_call new = {.rank = rank, .thread = thread, .comm = of->comm, .tag = of->tag};

	if (is_message(of->kind) && of->peer == rank && !making->state.matched[call] &&
	    of->kind != RUN_SEND && of->kind != RUN_ISEND) {
		new.kind = sends(of->kind) ? RUN_RECV : RUN_SEND;
		new.peer = of->rank;
		return begin_call(making, new);
	}
	if (is_collective(of->kind) && of->rank != rank &&
	    next_collective(making, rank, of->comm) != RUN_INIT) {
		new.kind = next_collective(making, rank, of->comm);
		new.tag = 0;
		return begin_call(making, new);
	}
	return false;
}

/* Begin something on a thread that lets other calls end, or waits for a request. */
static bool help(struct making *making, uint8_t rank, uint8_t thread)
{
	struct run_call wait = {.kind = RUN_WAIT, .rank = rank, .thread = thread};

	if (!is_free(making, rank, thread))
		return false;
	for (uint8_t i = 0; i < making->run->count; i++)
		if (help_call(making, i, rank, thread))
			return true;
	wait.start = open_request(making, rank);
	return wait.start != RUN_NOTHING && making->state.matched[wait.start] &&
	       begin_call(making, wait);
}

/* Let all calls end.  Returns false if some cannot. */
static bool resolve(struct making *making)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint8_t i = 0; i < RUN_RANKS * RUN_THREADS; i++)
			any |= end_call(making, i / RUN_THREADS, i % RUN_THREADS);
		for (uint8_t i = 0; !any && i < RUN_RANKS * making->threads; i++)
			any = help(making, i / making->threads, i % making->threads);
	}
	for (uint8_t i = 0; i < RUN_RANKS * RUN_THREADS; i++)
		if (!is_free(making, i / RUN_THREADS, i % RUN_THREADS))
			return false;
	return open_request(making, 0) == RUN_NOTHING && open_request(making, 1) == RUN_NOTHING;
}

/* Begin and end a call on the first thread of each rank. */
static bool make_all(struct making *making, enum run_kind kind)
{
	for (uint8_t rank = 0; rank < RUN_RANKS; rank++)
		if (!begin_call(making, (struct run_call){.kind = kind, .rank = rank}) ||
		    !end_call(making, rank, 0))
			return false;
	return true;
}

static bool try_run(struct making *making, uint8_t calls)
{
	if (!make_all(making, RUN_INIT))
		return false;
	for (int tries = 40 * calls; tries > 0 && making->run->count < calls; tries--) {
		const uint8_t rank = (uint8_t)random_below(making->numbers, RUN_RANKS);
		const uint8_t thread = (uint8_t)random_below(making->numbers, making->threads);

		if (random_below(making->numbers, 2) && is_free(making, rank, thread))
			begin_random(making, rank, thread);
		else
			end_call(making, rank, thread);
	}
	return resolve(making) && make_all(making, RUN_FINALIZE);
}

void run_make(struct threaded_run *run, uint8_t threads, uint8_t calls, uint64_t *numbers)
{
	struct making making;

	do {
		memset(run, 0, sizeof *run);
		making = (struct making){.run = run, .numbers = numbers, .threads = threads};
	} while (!try_run(&making, calls));
}
