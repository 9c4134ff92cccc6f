#include "tracer/iteration_recorder.h"

#include "common/array.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "trace/call/mpi_functions.h"
#include "trace/journal/journal_chunks.h"
#include "trace/sequence/steady.h"
#include "tracer/consensus.h"

#include <stdio.h>
#include <string.h>

enum stage {
	STAGE_SEARCH,	/* the rank is not steady */
	STAGE_READY,	/* it waits for others to be */
	STAGE_PROPOSED, /* it waits for the number of the first iteration */
	STAGE_ARMED,	/* and for that iteration */
	STAGE_INSIDE,
	STAGE_TRAILING, /* requests of the window may complete */
	STAGE_DONE,
	STAGE_DIFFERENT, /* ranks iterate differently */
};

/* What is done with the journal of a thread; it only grows. */
enum { JOURNAL_RINGS, JOURNAL_HOLDS, JOURNAL_STOPS };

/*
 * Iterations to see before a rank is ready, ranks apart if they count iterations, starts that are
 * remembered at most, calls after the window at most.
 */
enum { LEAST_STARTS = 3, MOST_APART = 8, MOST_STARTS = 1 << 16, TRAILING_CALLS = 1 << 16 };

/* Values of the second consensus. */
enum { FIRST_ITERATION, FIRST_COLLECTIVE, BY_ITERATION, COLLECTIVES_EACH, LEAST_ITERATION };

/* Begin of an iteration. */
struct start {
	uint64_t iteration;   /* from 0 */
	uint64_t enter_ns;    /* of its first call */
	uint64_t visit;	      /* of the header */
	uint64_t call;	      /* of the rank */
	uint64_t collectives; /* on MPI_COMM_WORLD before it */
};

static struct {
	bool on, together;
	uint64_t count, first;
	enum stage stage;
	struct steady steady;
	struct ordinals ordinals;
	uint64_t collectives;	    /* on MPI_COMM_WORLD so far, of all threads */
	uint64_t own_collectives;   /* of the call at hand */
	uint64_t each;		    /* collectives of the last iteration */
	bool regular;		    /* as many as in the one before */
	ARRAY(struct start) starts; /* of the last iterations, in which the window may begin */
	uint64_t values[CONSENSUS_VALUES]; /* of the second consensus */
	ARRAY(struct start) bounds;	   /* of the iterations of the window, and its end */
	uint64_t kept;			   /* iterations at the end */
	unsigned trailing;		   /* calls after the window */
	uint64_t begin_ns;		   /* of the window, before of_journals tells of it */
	unsigned of_journals;		   /* JOURNAL_..., atomic: all threads read it */
	bool lost;			   /* the window's first calls had been removed */
	bool full;			   /* too many pairs of peer and tag to count */
	bool stopped;			   /* calls have been left out */
	struct journal *journal;	   /* of the first thread */
} iterations;

/* ---------------------------------------------------------------------- begin */

void iteration_recorder_begin(uint64_t count, uint64_t first)
{
	if (iterations.on)
		return;
	iterations.on = true;
	iterations.count = count;
	iterations.first = first;
	steady_begin(&iterations.steady);
	ordinals_init(&iterations.ordinals);
}

void iteration_recorder_together(void)
{
	if (iterations.on)
		iterations.together = consensus_open();
}

int iteration_recorder_divide(struct journal *journal, bool first_thread, uint64_t ring_bytes,
			      struct error *err)
{
	if (first_thread)
		iterations.journal = journal;
	return journal_divide(journal, ring_bytes, &iterations.ordinals, err);
}

void iteration_recorder_release(void)
{
	if (!iterations.on)
		return;
	steady_release(&iterations.steady);
	ordinals_release(&iterations.ordinals);
	array_release(&iterations.starts);
	array_release(&iterations.bounds);
	iterations.on = false;
}

/* ----------------------------------------------------------------- the window */

/* Whether the k-th iteration of the window, or its end, begins here or has begun. */
static bool is_reached(const struct start *start, uint64_t k)
{
	if (iterations.values[BY_ITERATION])
		return start->iteration >= iterations.values[FIRST_ITERATION] + k;
	return start->collectives >=
	       iterations.values[FIRST_COLLECTIVE] + k * iterations.values[COLLECTIVES_EACH];
}

/* Note the window as far as it is known, in the journal. */
static int note_window(struct journal *journal, uint64_t count, bool ended, struct error *err)
{
	const struct start *begin = &iterations.bounds.items[0];
	const struct start *end = &iterations.bounds.items[count];
	struct journal_iterations window = {
		.first = begin->iteration + 1,
		.count = iterations.count,
		.begin_ns = begin->enter_ns,
		.end_ns = UINT64_MAX,
		.first_call = begin->call,
		.first_visit = begin->visit,
		.header = iterations.steady.main_loop.header,
	};

	if (ended) {
		window.count = count;
		window.end_ns = end->enter_ns;
		window.calls = end->call - begin->call;
		window.visits = end->visit - begin->visit;
		window.round = (uint32_t)(window.visits / count);
	}
	return journal_iterations(journal, &window, err);
}

/* Let all threads do it with their journals. */
static void tell_journals(unsigned what)
{
	__atomic_store_n(&iterations.of_journals, what, __ATOMIC_RELEASE);
}

static int begin_window(const struct start *start, struct error *err)
{
	iterations.stage = STAGE_INSIDE;
	iterations.lost = journal_lacks(iterations.journal, start->enter_ns);
	TRY(array_push(&iterations.bounds, *start, err));
	iterations.begin_ns = start->enter_ns;
	tell_journals(JOURNAL_HOLDS);
	return note_window(iterations.journal, 0, false, err);
}

/* Go on with the begin of an iteration. */
static int take_start(const struct start *start, struct error *err)
{
	if (iterations.stage == STAGE_TRAILING)
		iterations.stage = STAGE_DONE;
	if (iterations.stage == STAGE_ARMED && is_reached(start, 0))
		return begin_window(start, err);
	if (iterations.stage != STAGE_INSIDE || !is_reached(start, iterations.bounds.count))
		return 0;
	TRY(array_push(&iterations.bounds, *start, err));
	if (iterations.bounds.count <= iterations.count)
		return 0;
	iterations.stage = STAGE_TRAILING;
	return note_window(iterations.journal, iterations.count, true, err);
}

/* Whether iterations of ranks are not the same ones: some ranks have had far more than others. */
static bool iterations_differ(const uint64_t *values)
{
	const uint64_t least = ~values[LEAST_ITERATION];

	return values[BY_ITERATION] && values[FIRST_ITERATION] > least + least / 2 + MOST_APART;
}

/* Take the iteration with which all ranks begin, which may be over here. */
static int take_consensus(const uint64_t *values, struct error *err)
{
	memcpy(iterations.values, values, sizeof iterations.values);
	if (iterations_differ(values)) {
		iterations.stage = STAGE_DIFFERENT;
		return 0;
	}
	iterations.stage = STAGE_ARMED;
	for (size_t i = 0; i < iterations.starts.count; i++)
		TRY(take_start(&iterations.starts.items[i], err));
	return 0;
}

/* ------------------------------------------------------------------ iterations */

/* Propose an iteration after the one at hand. */
static void propose(uint64_t *values)
{
	const struct start *last = &iterations.starts.items[iterations.starts.count - 1];
	uint64_t ahead = 2;

	if (iterations.first > last->iteration + 1 + ahead)
		ahead = iterations.first - 1 - last->iteration;
	values[FIRST_ITERATION] = last->iteration + ahead;
	values[LEAST_ITERATION] = ~values[FIRST_ITERATION];
	values[BY_ITERATION] = !iterations.regular || !iterations.each;
	values[COLLECTIVES_EACH] = iterations.each;
	values[FIRST_COLLECTIVE] = last->collectives + ahead * iterations.each;
}

/* Join the first consensus; alone, begin with the iteration that was given. */
static void become_ready(const struct start *start)
{
	const uint64_t none[CONSENSUS_VALUES] = {0};

	if (iterations.together) {
		if (iterations.starts.count >= LEAST_STARTS && consensus_join(none))
			iterations.stage = STAGE_READY;
		return;
	}
	if (!iterations.first || start->iteration + 1 > iterations.first)
		return;
	iterations.values[FIRST_ITERATION] = iterations.first - 1;
	iterations.values[BY_ITERATION] = 1;
	iterations.stage = STAGE_ARMED;
}

/* Remember the begin of an iteration, and how many collectives the one before had. */
static int remember(const struct start *start, struct error *err)
{
	const size_t count = iterations.starts.count;

	if (count) {
		const uint64_t each = start->collectives -
				      iterations.starts.items[count - 1].collectives;

		iterations.regular = each == iterations.each;
		iterations.each = each;
	}
	if (count == MOST_STARTS) {
		iterations.starts.count /= 2;
		memmove(iterations.starts.items, iterations.starts.items + iterations.starts.count,
			iterations.starts.count * sizeof *iterations.starts.items);
	}
	return array_push(&iterations.starts, *start, err);
}

static int begin_iteration(const struct start *start, struct error *err)
{
	TRY(remember(start, err));
	if (iterations.stage == STAGE_SEARCH && iterations.steady.state == STEADY_FOUND)
		become_ready(start);
	return take_start(start, err);
}

int iteration_recorder_event(const struct flow_rank_event *event, uint64_t enter_ns, uint64_t call,
			     struct error *err)
{
	enum steady_seen seen;
	struct start start;

	if (!iterations.on || iterations.stage >= STAGE_DONE)
		return 0;
	/* The time of the first call, MPI_Init, is not one of the program. */
	TRY(steady_add(&iterations.steady, event->node,
		       iterations.steady.trail.events ? event->enter_ns : event->leave_ns,
		       event->leave_ns, &seen, err));
	if (seen != STEADY_ITERATION)
		return 0;
	start = (struct start){.iteration = iterations.steady.iteration,
			       .enter_ns = enter_ns,
			       .visit = iterations.steady.iteration_visit,
			       .call = call,
			       .collectives = __atomic_load_n(&iterations.collectives,
							      __ATOMIC_RELAXED)};
	return begin_iteration(&start, err);
}

/* ----------------------------------------------------------------------- calls */

/* Test what is open, or propose an iteration when all ranks are steady. */
static int test_consensus(struct error *err)
{
	uint64_t values[CONSENSUS_VALUES];

	if (!consensus_test(values))
		return 0;
	if (iterations.stage == STAGE_PROPOSED)
		return take_consensus(values, err);
	propose(values);
	if (consensus_join(values))
		iterations.stage = STAGE_PROPOSED;
	return 0;
}

static uint64_t world_collectives(const struct mpi_call *call)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < call->event_count; i++)
		count += (call->events[i].kind == EVENT_COLLECTIVE ||
			  call->events[i].kind == EVENT_COLLECTIVE_REQUEST) &&
			 call->events[i].comm == COMM_ID_WORLD;
	return count;
}

/* Do with the journal of this thread what is to be done. */
static void advance_journal(struct journal *journal, unsigned *stage)
{
	const unsigned wanted = __atomic_load_n(&iterations.of_journals, __ATOMIC_ACQUIRE);

	if (*stage == wanted)
		return;
	if (*stage < JOURNAL_HOLDS && iterations.begin_ns)
		journal_hold(journal, iterations.begin_ns);
	if (wanted == JOURNAL_STOPS) {
		journal_release(journal);
		journal_want_calls(journal, false);
	}
	*stage = wanted;
}

/* Go on in the first thread. */
static int lead(const struct mpi_call *call, struct error *err)
{
	/*
	 * Calls that communicate: others may be made by threads that may not, by the level of
	 * threads of MPI.
	 */
	if ((iterations.stage == STAGE_READY || iterations.stage == STAGE_PROPOSED) &&
	    call->event_count)
		TRY(test_consensus(err));
	if (iterations.stage == STAGE_TRAILING && ++iterations.trailing > TRAILING_CALLS)
		iterations.stage = STAGE_DONE;
	if (iterations.stage == STAGE_DONE) {
		iterations.stopped = true;
		tell_journals(JOURNAL_STOPS);
	}
	return 0;
}

int iteration_recorder_call(struct journal *journal, unsigned *stage, bool first_thread,
			    unsigned function, const struct mpi_call *call, struct error *err)
{
	const uint64_t collectives = world_collectives(call);

	if (first_thread)
		TRY(lead(call, err));
	advance_journal(journal, stage);
	if (collectives)
		__atomic_fetch_add(&iterations.collectives, collectives, __ATOMIC_RELAXED);
	if (*stage == JOURNAL_STOPS || journal_chunks_call(journal, function, call, err) == 0)
		return 0;
	if (err->status != STATUS_LIMIT)
		return -1;
	/* Ordinals are too many: the graphs go on. */
	iterations.full = iterations.stopped = true;
	tell_journals(JOURNAL_STOPS);
	return 0;
}

/* ------------------------------------------------------------------------- end */

/* Take what has been decided when all ranks have come. */
static int end_consensus(struct error *err)
{
	uint64_t values[CONSENSUS_VALUES];

	if (!consensus_end(values) || iterations.stage != STAGE_PROPOSED)
		return 0;
	return take_consensus(values, err);
}

/* Why this rank has no window; the first ones explain why others have none. */
enum why { WHY_FULL, WHY_NO_LOOP, WHY_LOST, WHY_DIFFERENT, WHY_ENDED };

static enum why find_why(void)
{
	if (iterations.full)
		return WHY_FULL;
	if (iterations.lost)
		return WHY_LOST;
	if (iterations.stage == STAGE_DIFFERENT)
		return WHY_DIFFERENT;
	return iterations.stage == STAGE_SEARCH ? WHY_NO_LOOP : WHY_ENDED;
}

/* Find the function that has most nodes of the first thread's graph; NULL if there is none. */
static const char *most_nodes(uint64_t *count, node_function *name_of)
{
	static uint64_t counts[MPI_FUNCTION_COUNT]; /* threads may have small stacks */
	unsigned most = 0;

	for (uint32_t node = 0; node < iterations.steady.trail.nodes.count; node++) {
		const char *name = name_of(node);
		const struct mpi_function *function = name ? mpi_function_find(name) : NULL;

		if (function && ++counts[function - mpi_functions] > counts[most])
			most = (unsigned)(function - mpi_functions);
	}
	*count = counts[most];
	return *count ? mpi_functions[most].name : NULL;
}

static void say_why(char *why, size_t size, node_function *name_of)
{
	const struct steady *steady = &iterations.steady;
	const char *function;
	uint64_t count;

	switch (find_why()) {
	case WHY_FULL:
		snprintf(why, size,
			 "its messages have more than %d different pairs of peer and tag",
			 ORDINALS_MOST);
		return;
	case WHY_LOST:
		snprintf(why, size, "calls at its begin had been removed; raise LLAMP_TRACE_RING");
		return;
	case WHY_DIFFERENT:
		snprintf(why, size,
			 "its iterations are not those of other ranks: some had %llu when "
			 "others had %llu",
			 (unsigned long long)~iterations.values[LEAST_ITERATION],
			 (unsigned long long)iterations.values[FIRST_ITERATION]);
		return;
	case WHY_ENDED:
		snprintf(why, size,
			 "its main loop ended before all ranks had begun the same iteration");
		return;
	case WHY_NO_LOOP:
		break;
	}
	function = most_nodes(&count, name_of);
	snprintf(why, size,
		 "no loop was steady; of %llu events %llu were different calls, %llu of them %s",
		 (unsigned long long)steady->trail.events,
		 (unsigned long long)steady->trail.nodes.count, (unsigned long long)count,
		 function ? function : "none");
}

/* Let rank 0 say why there is no window: `first` is the reason and the rank that explain most. */
static void explain(uint64_t first, enum iterations_kept kept, node_function *name_of)
{
	const uint64_t first_rank = first % (uint64_t)process.size;
	char why[256] = "";

	if ((uint64_t)process.rank == first_rank)
		say_why(why, sizeof why, name_of);
	if (!together_tell(why, sizeof why, (int)first_rank) || process.rank != 0)
		return;
	fprintf(stderr, "llamp-trace: no window of iterations, so %s: rank %llu: %s\n",
		kept == ITERATIONS_ALL ? "all calls are in the trace"
				       : "there are only event flow graphs",
		(unsigned long long)first_rank, why);
}

static bool has_all(void)
{
	return iterations.journal && !iterations.stopped &&
	       !journal_has_dropped(iterations.journal);
}

enum iterations_kept iteration_recorder_end(node_function *name_of)
{
	const uint64_t size = (uint64_t)process.size;
	struct error err;
	const bool failed = end_consensus(&err) < 0 || process.state != PROCESS_ACTIVE;
	const uint64_t own = failed || iterations.lost || iterations.full ||
					     !iterations.bounds.count
				     ? 0
				     : iterations.bounds.count - 1;
	uint64_t least[3] = {own, !failed && has_all(),
			     own ? UINT64_MAX : find_why() * size + (uint64_t)process.rank};
	enum iterations_kept kept;

	if (!together_least(least, 3))
		return ITERATIONS_NONE;
	iterations.kept = least[0];
	kept = least[0] ? ITERATIONS_WINDOW : least[1] ? ITERATIONS_ALL : ITERATIONS_NONE;
	if (kept != ITERATIONS_WINDOW)
		explain(least[2], kept, name_of);
	else if (note_window(iterations.journal, least[0], true, &err) < 0)
		process_fail(&err);
	return kept;
}

int iteration_recorder_clock(const struct clock_point *end, struct error *err)
{
	return iterations.journal ? journal_clock(iterations.journal, end, err) : 0;
}

bool iteration_recorder_window(struct flow_window *window)
{
	const struct start *begin = iterations.bounds.items, *end = begin + iterations.kept;

	if (!iterations.kept)
		return false;
	*window = (struct flow_window){
		.first_call = begin->call,
		.calls = end->call - begin->call,
		.first_visit = begin->visit,
		.visits = end->visit - begin->visit,
		.header = iterations.steady.main_loop.header,
		.round = (uint32_t)((end->visit - begin->visit) / iterations.kept),
	};
	return true;
}
