#include "tracer/iteration_recorder.h"

#include "common/array.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "trace/call/mpi_functions.h"
#include "trace/journal/journal_chunks.h"
#include "trace/sequence/steady.h"
#include "tracer/consensus.h"
#include "tracer/iteration_windows.h"

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

/*
 * Iterations to see before a rank is ready, ranks apart if they count iterations, starts that are
 * remembered at most, calls after the window at most.
 */
enum { LEAST_STARTS = 3, MOST_APART = 8, MOST_STARTS = 1 << 16, TRAILING_CALLS = 1 << 16 };

/* Values of the second consensus. */
enum { FIRST_ITERATION, FIRST_COLLECTIVE, BY_ITERATION, COLLECTIVES_EACH, LEAST_ITERATION };

/* Nodes of the first thread's graph that a search has seen, numbered by their first visits. */
struct seen_nodes {
	ARRAY(uint32_t) numbers; /* of each node, or NUMBER_MAP_EMPTY */
	ARRAY(uint32_t) nodes;	 /* by number */
	uint32_t first_new;	 /* nodes from this one on are new */
};

static struct {
	bool on, together;
	uint64_t count, first;
	unsigned phases; /* windows at most */
	enum stage stage;
	/* The search for the main loop since the program began, or since something new came. */
	struct steady steady;
	struct seen_nodes seen;
	uint32_t nodes; /* of the graph so far */
	bool grown;	/* it has a new node since the last window was complete */
	struct ordinals ordinals;
	uint64_t collectives; /* on MPI_COMM_WORLD so far, of all threads */
	uint64_t each;	      /* collectives of the last iteration */
	bool regular;	      /* as many as in the one before */
	ARRAY(struct iteration_start)
	starts; /* of the last iterations, in which the window may begin */
	uint64_t values[CONSENSUS_VALUES]; /* of the second consensus */
	struct iteration_window windows[SETTINGS_MOST_PHASES];
	unsigned window_count;	 /* the last one is at hand */
	unsigned trailing;	 /* calls after the window */
	bool full;		 /* too many pairs of peer and tag to count */
	bool stopped;		 /* calls have been left out */
	struct journal *journal; /* of the first thread */
} iterations;

/* ---------------------------------------------------------------------- begin */

void iteration_recorder_begin(uint64_t count, uint64_t first, unsigned phases)
{
	if (iterations.on)
		return;
	iterations.on = true;
	iterations.count = count;
	iterations.first = first;
	iterations.phases = phases;
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
	array_release(&iterations.seen.numbers);
	array_release(&iterations.seen.nodes);
	for (unsigned w = 0; w < iterations.window_count; w++)
		array_release(&iterations.windows[w].bounds);
	iterations.on = false;
}

/* ----------------------------------------------------------------- the window */

/* Whether the k-th iteration of the window, or its end, begins here or has begun. */
static bool is_reached(const struct iteration_start *start, uint64_t k)
{
	if (iterations.values[BY_ITERATION])
		return start->iteration >= iterations.values[FIRST_ITERATION] + k;
	return start->collectives >=
	       iterations.values[FIRST_COLLECTIVE] + k * iterations.values[COLLECTIVES_EACH];
}

static int begin_window(const struct iteration_start *start, struct error *err)
{
	struct iteration_window *window = &iterations.windows[iterations.window_count++];

	iterations.stage = STAGE_INSIDE;
	window->header = iterations.seen.nodes.items[iterations.steady.main_loop.header];
	window->lost = journal_lacks(iterations.journal, start->enter_ns);
	TRY(array_push(&window->bounds, *start, err));
	journals_tell(JOURNALS_HOLD, start->enter_ns);
	return iteration_window_begin(window, iterations.journal, iterations.count, err);
}

/* Whether a window has all its iterations. */
static bool is_complete(const struct iteration_window *window)
{
	return window->bounds.count > iterations.count;
}

/* Go on with the begin of an iteration. */
static int take_start(const struct iteration_start *start, struct error *err)
{
	struct iteration_window *window;

	if (iterations.stage == STAGE_TRAILING)
		iterations.stage = STAGE_DONE;
	if (iterations.stage == STAGE_ARMED && is_reached(start, 0))
		return begin_window(start, err);
	if (iterations.stage != STAGE_INSIDE)
		return 0;
	window = &iterations.windows[iterations.window_count - 1];
	if (!is_reached(start, window->bounds.count))
		return 0;
	TRY(array_push(&window->bounds, *start, err));
	if (!is_complete(window))
		return 0;
	iterations.stage = STAGE_TRAILING;
	iterations.trailing = 0;
	iterations.grown = false;
	return iteration_window_end(window, iterations.journal, iterations.count, err);
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
		iterations.stage = iterations.window_count ? STAGE_DONE : STAGE_DIFFERENT;
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
	const struct iteration_start *last = &iterations.starts.items[iterations.starts.count - 1];
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
static void become_ready(const struct iteration_start *start)
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
static int remember(const struct iteration_start *start, struct error *err)
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

/* Whether the loop that was found has a node that no earlier window can have. */
static bool loop_is_new(void)
{
	const struct laps *laps = &iterations.steady.counted;

	for (uint32_t i = 0; i < laps->node_count; i++)
		if (laps->items[i] != NO_LOOP &&
		    iterations.seen.nodes.items[i] >= iterations.seen.first_new)
			return true;
	return false;
}

static int begin_iteration(const struct iteration_start *start, struct error *err)
{
	TRY(remember(start, err));
	if (iterations.stage == STAGE_SEARCH && iterations.steady.state == STEADY_FOUND) {
		if (loop_is_new())
			become_ready(start);
		else
			iterations.stage = STAGE_DONE;
	}
	return take_start(start, err);
}

/* Search for another loop, from the event at hand on, if a new node came after a window. */
static void search_again(void)
{
	if (iterations.stage != STAGE_DONE || !iterations.grown || !iterations.together ||
	    iterations.window_count == iterations.phases || iterations.full)
		return;
	iterations.stage = STAGE_SEARCH;
	iterations.grown = false;
	steady_release(&iterations.steady);
	steady_begin(&iterations.steady);
	for (size_t i = 0; i < iterations.seen.numbers.count; i++)
		iterations.seen.numbers.items[i] = NUMBER_MAP_EMPTY;
	iterations.seen.nodes.count = 0;
	iterations.starts.count = 0;
	iterations.each = 0;
	iterations.regular = false;
	journals_tell(JOURNALS_RING, 0);
}

/* Note whether the graph grows, since a window was complete or before. */
static void see_node(uint32_t node)
{
	if (node < iterations.nodes)
		return;
	if (!iterations.grown && iterations.stage >= STAGE_TRAILING)
		iterations.seen.first_new = node;
	iterations.grown = true;
	iterations.nodes = node + 1;
}

/* Number of a node in the search. */
static int number_in_search(uint32_t node, uint32_t *number, struct error *err)
{
	struct seen_nodes *seen = &iterations.seen;

	while (seen->numbers.count <= node)
		TRY(array_push(&seen->numbers, NUMBER_MAP_EMPTY, err));
	*number = seen->numbers.items[node];
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = seen->numbers.items[node] = (uint32_t)seen->nodes.count;
	return array_push(&seen->nodes, node, err);
}

int iteration_recorder_event(const struct flow_rank_event *event, uint64_t enter_ns, uint64_t call,
			     struct error *err)
{
	enum steady_seen seen;
	struct iteration_start start;
	uint32_t number;

	if (!iterations.on)
		return 0;
	see_node(event->node);
	search_again();
	if (iterations.stage >= STAGE_DONE)
		return 0;
	TRY(number_in_search(event->node, &number, err));
	/* The time of the first call, MPI_Init, is not one of the program. */
	TRY(steady_add(&iterations.steady, number,
		       iterations.steady.trail.events ? event->enter_ns : event->leave_ns,
		       event->leave_ns, &seen, err));
	if (seen != STEADY_ITERATION)
		return 0;
	start = (struct iteration_start){.iteration = iterations.steady.iteration,
					 .enter_ns = enter_ns,
					 .visit = event->visit,
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
		if (iterations.window_count == iterations.phases || !iterations.together)
			journals_stop_for_good();
		else
			journals_tell(JOURNALS_STOP, 0);
	}
	return 0;
}

int iteration_recorder_call(struct journal *journal, unsigned *stage, bool first_thread,
			    unsigned function, const struct mpi_call *call, struct error *err)
{
	const uint64_t collectives = world_collectives(call);

	bool follows;

	if (first_thread)
		TRY(lead(call, err));
	follows = journals_follow(journal, stage);
	if (collectives)
		__atomic_fetch_add(&iterations.collectives, collectives, __ATOMIC_RELAXED);
	if (!follows || journal_chunks_call(journal, function, call, err) == 0)
		return 0;
	if (err->status != STATUS_LIMIT)
		return -1;
	/* Ordinals are too many: the graphs go on. */
	iterations.full = iterations.stopped = true;
	journals_stop_for_good();
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
	if (iterations.window_count && iterations.windows[0].lost)
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

/* Iterations of a window that this rank has. */
static uint64_t own_iterations(unsigned number)
{
	const struct iteration_window *window = &iterations.windows[number];

	if (number >= iterations.window_count || window->lost)
		return 0;
	if (is_complete(window))
		return iterations.count;
	return iterations.full ? 0 : window->bounds.count - 1;
}

/* Note which iterations all ranks have of each window. */
static int keep_windows(const uint64_t *kept, struct error *err)
{
	for (unsigned w = 0; w < iterations.window_count; w++) {
		iterations.windows[w].kept = kept[w];
		TRY(iteration_window_end(&iterations.windows[w], iterations.journal, kept[w], err));
	}
	return 0;
}

enum iterations_kept iteration_recorder_end(node_function *name_of)
{
	const uint64_t size = (uint64_t)process.size;
	const unsigned phases = iterations.phases;
	uint64_t least[SETTINGS_MOST_PHASES + 2]; /* of each window, whether all calls, why */
	struct error err;
	const bool failed = end_consensus(&err) < 0 || process.state != PROCESS_ACTIVE;
	uint64_t own = 0, kept = 0;

	for (unsigned w = 0; w < phases; w++) {
		least[w] = failed ? 0 : own_iterations(w);
		own += least[w];
	}
	least[phases] = !failed && has_all();
	least[phases + 1] = own ? UINT64_MAX : find_why() * size + (uint64_t)process.rank;
	if (!together_least(least, (int)phases + 2))
		return ITERATIONS_NONE;
	for (unsigned w = 0; w < phases; w++)
		kept += least[w];
	if (!kept) {
		const enum iterations_kept rest = least[phases] ? ITERATIONS_ALL : ITERATIONS_NONE;

		explain(least[phases + 1], rest, name_of);
		return rest;
	}
	if (keep_windows(least, &err) < 0)
		process_fail(&err);
	return ITERATIONS_WINDOW;
}

int iteration_recorder_clock(const struct clock_point *end, struct error *err)
{
	return iterations.journal ? journal_clock(iterations.journal, end, err) : 0;
}

int iteration_recorder_windows(struct flow_rank *rank, struct error *err)
{
	for (unsigned w = 0; w < iterations.window_count; w++)
		if (iterations.windows[w].kept)
			TRY(array_push(&rank->recorded,
				       iteration_window_of_graph(&iterations.windows[w]), err));
	return 0;
}
