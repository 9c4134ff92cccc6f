#include "critpath/path/walk.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

const char *walk_category_name(enum walk_category category)
{
	static const char *const names[WALK_CATEGORIES] = {
		[WALK_COMPUTE] = "compute",
		[WALK_CALL] = "MPI",
		[WALK_START] = "start",
		[WALK_UNKNOWN] = "unknown",
	};

	return names[category];
}

/* Place of the walk: a rank and a time; before it, a call that ends, or the begin of a call. */
struct walker {
	const struct waits *waits;
	const struct measured_run *run;
	struct walk *walk;
	uint32_t rank;
	uint64_t at_ns;		/* on the clock of the run */
	uint32_t jumps_at_once; /* to other ranks since the time was last earlier */
	struct error *err;
};

/* Add the segment from `from_ns` to the place of the walk, and go there. */
static int go_back_to(struct walker *walker, uint64_t from_ns, uint32_t call,
		      enum walk_category category)
{
	struct walk *walk = walker->walk;
	const uint64_t begin_ns = walker->run->begin_ns;
	const struct walk_segment segment = {
		.start_ns = (from_ns > begin_ns ? from_ns : begin_ns) - begin_ns,
		.end_ns = walker->at_ns - begin_ns,
		.rank = walker->rank,
		.call = call,
		.category = (uint8_t)category,
	};

	if (segment.start_ns >= segment.end_ns)
		return 0;
	walker->at_ns = segment.start_ns + begin_ns;
	walker->jumps_at_once = 0;
	walk->category_ns[category] += segment.end_ns - segment.start_ns;
	return array_push(&walk->segments, segment, walker->err);
}

static const struct measured_call *call_at(const struct walker *walker, uint32_t call)
{
	return &walker->run->ranks[walker->rank].calls.items[call];
}

static bool begins_run(const struct measured_call *call)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == MPI_CLASS_INIT &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

/* Find the call of the same thread before a call, or NO_CALL. */
static uint32_t call_before(const struct walker *walker, uint32_t call)
{
	const uint32_t thread = call_at(walker, call)->thread;

	while (call-- > 0)
		if (call_at(walker, call)->thread == thread)
			return begins_run(call_at(walker, call)) ? NO_CALL : call;
	return NO_CALL;
}

static bool is_gap(const struct walker *walker, uint32_t call)
{
	return call_at(walker, call)->function >= MPI_FUNCTION_COUNT &&
	       !strcmp(measured_function(&walker->run->names, call_at(walker, call)->function),
		       "(recording off)");
}

/*
 * Follow a call from its end to its begin, or to the begin of the call that it waited for.  *call
 * becomes the call at whose begin the walk is.
 */
static int follow_call(struct walker *walker, uint32_t *call)
{
	const struct wait *wait = &walker->waits->of[walker->rank][*call];
	uint64_t until;

	if (is_gap(walker, *call))
		return go_back_to(walker, call_at(walker, *call)->enter_ns, *call, WALK_UNKNOWN);
	/* Clocks that contradict each other could lead in a circle. */
	if (wait->kind == WAIT_NONE || walker->jumps_at_once >= walker->run->rank_count)
		return go_back_to(walker, call_at(walker, *call)->enter_ns, *call,
				  wait->kind == WAIT_NONE ? WALK_CALL : WALK_UNKNOWN);
	until = walker->run->ranks[wait->rank].calls.items[wait->call].enter_ns;
	TRY(go_back_to(walker, until, *call, WALK_CALL));
	walker->jumps_at_once++;
	walker->rank = wait->rank;
	*call = wait->call;
	return 0;
}

/* Follow the first computation of a rank, and the time before it. */
static int follow_start(struct walker *walker, uint32_t call)
{
	TRY(go_back_to(walker, walker->run->ranks[walker->rank].begin_ns, call, WALK_COMPUTE));
	return go_back_to(walker, walker->run->begin_ns, NO_CALL, WALK_START);
}

static bool ends_run(const struct measured_call *call)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == MPI_CLASS_FINALIZE &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

/*
 * Go to the end of the rank that ends last: to MPI_Finalize, which becomes *next, or to the end of
 * the call that ends last, with *next NO_CALL.  Returns the call before that place.
 */
static uint32_t go_to_end(struct walker *walker, uint32_t *next)
{
	const struct measured_run *run = walker->run;
	uint32_t call;

	for (uint32_t r = 0; r < run->rank_count; r++)
		if (run->ranks[r].end_ns > run->ranks[walker->rank].end_ns)
			walker->rank = r;
	walker->at_ns = run->end_ns;
	*next = NO_CALL;
	for (call = (uint32_t)run->ranks[walker->rank].calls.count; call-- > 0;) {
		if (ends_run(call_at(walker, call)) &&
		    call_at(walker, call)->enter_ns == run->end_ns) {
			*next = call;
			return call_before(walker, call);
		}
		if (call_at(walker, call)->leave_ns == run->end_ns &&
		    !begins_run(call_at(walker, call)))
			return call;
	}
	return NO_CALL;
}

static void reverse(struct walk *walk)
{
	for (size_t i = 0, k = walk->segments.count; i + 1 < k; i++, k--) {
		const struct walk_segment segment = walk->segments.items[i];

		walk->segments.items[i] = walk->segments.items[k - 1];
		walk->segments.items[k - 1] = segment;
	}
}

static void note_hand_overs(struct walk *walk)
{
	for (size_t i = 1; i < walk->segments.count; i++) {
		struct walk_segment *segment = &walk->segments.items[i];

		segment->handed_over = segment[-1].rank != segment->rank;
		walk->hand_overs += segment->handed_over;
	}
}

static int walk_back(struct walker *walker)
{
	uint32_t next, call = go_to_end(walker, &next);

	while (call != NO_CALL) {
		/* The computation between this call and the next one. */
		TRY(go_back_to(walker, call_at(walker, call)->leave_ns, next, WALK_COMPUTE));
		TRY(follow_call(walker, &call));
		next = call;
		call = call_before(walker, call);
	}
	return follow_start(walker, next);
}

int walk_find(struct walk *walk, const struct waits *waits, struct error *err)
{
	struct walker walker = {.waits = waits, .run = waits->run, .walk = walk, .err = err};

	*walk = (struct walk){.length_ns = waits->run->end_ns - waits->run->begin_ns};
	if (walk_back(&walker) < 0) {
		walk_release(walk);
		return -1;
	}
	reverse(walk);
	note_hand_overs(walk);
	return 0;
}

void walk_release(struct walk *walk)
{
	array_release(&walk->segments);
}
