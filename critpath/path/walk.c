#include "critpath/path/walk.h"

#include "critpath/path/trace_quality.h"
#include "trace/call/mpi_functions.h"

#include <string.h>

const char *const walk_category_names[WALK_CATEGORIES + 2] = {
	[WALK_COMPUTE] = "compute", [WALK_CALL] = "MPI",    [WALK_START] = "start",
	[WALK_UNKNOWN] = "unknown", [WALK_BLOCK] = "block",
};

enum walk_category walk_category_of(const struct waits *waits, uint32_t rank, uint32_t call,
				    enum unknown_reason *reason)
{
	const bool is_off = trace_quality_is_gap(
		waits->run, waits->run->ranks[rank].calls.items[call].function);

	*reason = is_off ? UNKNOWN_OFF : UNKNOWN_LACKING;
	return is_off || wait_at(waits, rank, call)->unknown ? WALK_UNKNOWN : WALK_CALL;
}

struct walker {
	const struct waits *waits;
	const struct measured_run *run;
	struct walk *walk;
	struct walk_place *at;
	struct error *err;
};

static const struct measured_call *call_at(const struct walker *walker, uint32_t call)
{
	return &walker->run->ranks[walker->at->rank].calls.items[call];
}

/* Add the segment from `from_ns` to the place of the walk, and go there. */
static int go_back_to(struct walker *walker, uint64_t from_ns, uint32_t call,
		      enum walk_category category)
{
	const uint64_t begin_ns = walker->run->begin_ns;
	const struct walk_segment segment = {
		.start_ns = (from_ns > begin_ns ? from_ns : begin_ns) - begin_ns,
		.end_ns = walker->at->at_ns - begin_ns,
		.rank = walker->at->rank,
		.call = call,
		.site = measured_site(&walker->run->ranks[walker->at->rank], call),
		.function = call == NO_CALL ? 0 : call_at(walker, call)->function,
		.category = category,
	};

	if (segment.start_ns >= segment.end_ns)
		return 0;
	walker->at->at_ns = segment.start_ns + begin_ns;
	walker->at->jumps_at_once = 0;
	return array_push(&walker->walk->segments, segment, walker->err);
}

bool walk_begins_run(const struct measured_call *call)
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
			return walk_begins_run(call_at(walker, call)) ? NO_CALL : call;
	return NO_CALL;
}

/* Add the time in a call from `from_ns` on, in which it did not wait. */
static int go_back_in_call(struct walker *walker, uint64_t from_ns, uint32_t call)
{
	const size_t count = walker->walk->segments.count;
	enum unknown_reason reason;
	const enum walk_category category = walk_category_of(walker->waits, walker->at->rank, call,
							     &reason);

	TRY(go_back_to(walker, from_ns, call, category));
	if (walker->walk->segments.count > count)
		walker->walk->segments.items[count].reason = (uint8_t)reason;
	return 0;
}

/* Follow a call from its end to its begin, or to the start of the call that it waited for. */
static int follow_call(struct walker *walker, uint32_t call)
{
	struct walk_place *at = walker->at;
	const struct wait *wait = wait_at(walker->waits, at->rank, call);

	at->next = call;
	if (wait->kind == WAIT_NONE)
		return go_back_in_call(walker, call_at(walker, call)->enter_ns, call);
	/* Clocks that contradict each other could lead in a circle. */
	if (at->jumps_at_once >= walker->run->rank_count)
		return go_back_to(walker, call_at(walker, call)->enter_ns, call, WALK_UNKNOWN);
	TRY(go_back_in_call(walker, wait->until_ns, call));
	at->jumps_at_once++;
	at->rank = wait->rank;
	at->next = wait->call;
	return 0;
}

/* Follow the first computation of a rank, and the time before it. */
static int follow_start(struct walker *walker, uint32_t call)
{
	walker->at->arrived = true;
	TRY(go_back_to(walker, walker->run->ranks[walker->at->rank].begin_ns, call, WALK_COMPUTE));
	return go_back_to(walker, walker->run->begin_ns, NO_CALL, WALK_START);
}

static bool ends_run(const struct measured_call *call)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == MPI_CLASS_FINALIZE &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

/*
 * Find the last call of the rank that ends last: that before MPI_Finalize, which becomes the next
 * one, or the call that ends last.
 */
static uint32_t last_call(struct walker *walker)
{
	const uint64_t end_ns = walker->run->end_ns;
	uint32_t call;

	for (call = (uint32_t)walker->run->ranks[walker->at->rank].calls.count; call-- > 0;) {
		if (ends_run(call_at(walker, call)) && call_at(walker, call)->enter_ns == end_ns) {
			walker->at->next = call;
			return call_before(walker, call);
		}
		if (call_at(walker, call)->leave_ns == end_ns &&
		    !walk_begins_run(call_at(walker, call)))
			return call;
	}
	return NO_CALL;
}

void walk_reverse(struct walk *walk)
{
	for (size_t i = 0, k = walk->segments.count; i + 1 < k; i++, k--) {
		const struct walk_segment segment = walk->segments.items[i];

		walk->segments.items[i] = walk->segments.items[k - 1];
		walk->segments.items[k - 1] = segment;
	}
}

void walk_mark_rank_switches(struct walk *walk)
{
	walk->rank_switches = 0;
	for (size_t i = 0; i < walk->segments.count; i++) {
		struct walk_segment *segment = &walk->segments.items[i];

		segment->switches_rank = i && segment[-1].rank != segment->rank;
		walk->rank_switches += segment->switches_rank;
	}
}

void walk_add_up(struct walk *walk)
{
	memset(walk->category_ns, 0, sizeof walk->category_ns);
	memset(walk->unknown_ns, 0, sizeof walk->unknown_ns);
	walk_mark_rank_switches(walk);
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];

		walk->category_ns[segment->category] += segment->end_ns - segment->start_ns;
		if (segment->category == WALK_UNKNOWN)
			walk->unknown_ns[segment->reason] += segment->end_ns - segment->start_ns;
	}
}

struct walk_place walk_end_of(const struct measured_run *run)
{
	return (struct walk_place){.rank = run->last_rank, .next = NO_CALL, .at_ns = run->end_ns};
}

int walk_back(struct walk *walk, const struct waits *waits, struct walk_place *place,
	      struct error *err)
{
	struct walker walker = {waits, waits->run, walk, place, err};

	while (!place->arrived && measured_owns(waits->run, place->rank)) {
		const uint32_t call = place->next == NO_CALL ? last_call(&walker)
							     : call_before(&walker, place->next);

		if (call == NO_CALL) {
			TRY(follow_start(&walker, place->next));
			continue;
		}
		/* The computation between this call and the next one. */
		TRY(go_back_to(&walker, call_at(&walker, call)->leave_ns, place->next,
			       WALK_COMPUTE));
		TRY(follow_call(&walker, call));
	}
	return 0;
}

void walk_release(struct walk *walk)
{
	array_release(&walk->segments);
}
