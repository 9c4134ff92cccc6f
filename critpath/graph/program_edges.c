#include "critpath/graph/program_edges.h"

#include "critpath/path/receipts.h"
#include "trace/call/mpi_functions.h"

static uint64_t begin_of(const struct program_edges *edges, uint32_t rank, uint32_t call)
{
	return edges->first_call[rank] + 2 * (uint64_t)call;
}

static uint64_t end_of(const struct program_edges *edges, uint32_t rank, uint32_t call)
{
	return begin_of(edges, rank, call) + 1;
}

static uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static int emit(struct program_edges *edges, uint64_t from, uint64_t to, uint64_t wait_ns)
{
	return edges->take(edges->data, from, to, 0, wait_ns, edges->err);
}

/* Emit an edge to a hub, from another one or from the call that begins a collective at `place`. */
static int emit_to_hub(struct program_edges *edges, uint64_t from, uint64_t hub, uint32_t place,
		       uint64_t wait_ns)
{
	return edges->take(edges->data, from, hub, 1 + place, wait_ns, edges->err);
}

/* Emit an edge from the time `from_ns` to the end of an own call, which waits for it from its begin. */
static int emit_to_end(struct program_edges *edges, uint64_t from, uint64_t from_ns, uint32_t rank,
		       uint32_t call)
{
	const struct measured_call *to = &edges->waits->run->ranks[rank].calls.items[call];

	if (to->leave_ns < from_ns) {
		edges->left_out++;
		return 0;
	}
	return emit(edges, from, end_of(edges, rank, call), time_between(from_ns, to->enter_ns));
}

/* Emit an edge from the call that an own call waits for. */
static int emit_cause(struct program_edges *edges, uint32_t rank, uint32_t call)
{
	const struct wait *wait = wait_at(edges->waits, rank, call);

	return emit_to_end(edges, begin_of(edges, wait->rank, wait->call), wait->until_ns, rank,
			   call);
}

/* -------------------------------------------------------------------- programs */

static bool is_boundary(const struct measured_call *call, enum mpi_class class)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == class &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

struct thread_calls thread_calls_of(const struct measured_rank *rank, uint32_t thread)
{
	return (struct thread_calls){.rank = rank, .thread = thread, .last_ns = rank->begin_ns};
}

bool thread_calls_next(struct thread_calls *calls)
{
	const struct measured_rank *rank = calls->rank;

	while (calls->next < rank->calls.count) {
		const struct measured_call *call = &rank->calls.items[calls->next];

		calls->call = calls->next++;
		if (call->thread != calls->thread || is_boundary(call, MPI_CLASS_INIT))
			continue;
		if (call->enter_ns >= rank->end_ns && is_boundary(call, MPI_CLASS_FINALIZE)) {
			calls->last_ns = rank->end_ns;
			return false;
		}
		calls->last_ns = call->leave_ns;
		return true;
	}
	return false;
}

/* Emit the edges of a thread: from the source, from call to call, to the sink. */
static int emit_thread(struct program_edges *edges, uint32_t rank, uint32_t thread)
{
	struct thread_calls calls = thread_calls_of(&edges->waits->run->ranks[rank], thread);
	uint64_t before = PROGRAM_SOURCE;

	while (thread_calls_next(&calls)) {
		const uint64_t begin = begin_of(edges, rank, calls.call);

		TRY(emit(edges, before, begin, 0));
		before = end_of(edges, rank, calls.call);
		TRY(emit(edges, begin, before, wait_ns(edges->waits, rank, calls.call)));
	}
	return emit(edges, before, PROGRAM_SINK,
		    time_between(calls.last_ns, edges->waits->run->end_ns));
}

/* -------------------------------------------------------------------- messages */

static int emit_messages(struct program_edges *edges, uint32_t rank)
{
	struct receipts receipts = receipts_of(edges->waits->run, rank);

	while (receipts_next(&receipts))
		TRY(emit_to_end(edges, begin_of(edges, receipts.recv->peer, receipts.send.call),
				receipts.send.begin_ns, rank, receipts.call));
	return 0;
}

/* Emit an edge for each call that waited for its receiver, or for a lock. */
static int emit_observed_waits(struct program_edges *edges, uint32_t rank)
{
	for (uint32_t c = 0; c < edges->waits->run->ranks[rank].calls.count; c++) {
		const uint32_t kind = wait_at(edges->waits, rank, c)->kind;

		if (kind == WAIT_LATE_RECEIVER || kind == WAIT_LOCK)
			TRY(emit_cause(edges, rank, c));
	}
	return 0;
}

/* ----------------------------------------------------- collectives, as defined */

/* Which members of a collective the others wait for. */
enum reach { REACH_NOBODY, REACH_ALL, REACH_FROM_ROOT, REACH_TO_ROOT, REACH_UPWARDS };

static enum reach reach_of(uint8_t kind)
{
	switch (kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return REACH_FROM_ROOT;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return REACH_TO_ROOT;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return REACH_UPWARDS;
	case MEASURED_NEIGHBOURS:
		return REACH_NOBODY;
	default:
		return REACH_ALL;
	}
}

uint64_t program_hub_ns(const struct measured_instance *instance)
{
	return reach_of(instance->kind) == REACH_FROM_ROOT && instance->root.call != NO_CALL
		       ? instance->root.begin_ns
		       : instance->last.begin_ns;
}

bool program_joins_all(const struct waits *waits, const struct measured_instance *instance)
{
	return instance->members == waits->run->rank_count && !instance->split &&
	       instance->first_end_ns >= instance->last.begin_ns &&
	       (waits->observed ? instance->kind != MEASURED_NEIGHBOURS
				: reach_of(instance->kind) == REACH_ALL);
}

/* Emit what an own member of a collective gives to its hub, and gets from it. */
static int emit_part(struct program_edges *edges, uint32_t rank, const struct participation *part,
		     const struct measured_instance *instance)
{
	const enum reach reach = reach_of(instance->kind);
	const uint64_t hub = edges->first_hub[instance->owner] + instance->index_at_owner;
	const uint64_t hub_ns = program_hub_ns(instance);
	const bool is_root = part->root == rank, rooted = reach != REACH_ALL;
	const uint64_t enter_ns = edges->waits->run->ranks[rank].calls.items[part->begin].enter_ns;

	if (rooted &&
	    (part->root == NO_ROOT || (reach == REACH_FROM_ROOT && instance->root.call == NO_CALL)))
		return 0;
	if (reach != REACH_FROM_ROOT || is_root)
		TRY(emit_to_hub(edges, begin_of(edges, rank, part->begin), hub, part->place,
				time_between(enter_ns, hub_ns)));
	if ((reach != REACH_TO_ROOT || is_root) &&
	    !measured_left_before(&edges->waits->run->ranks[rank], part, hub_ns))
		TRY(emit_to_end(edges, hub, hub_ns, rank, part->end));
	return 0;
}

static int emit_parts(struct program_edges *edges, uint32_t rank)
{
	const struct measured_run *run = edges->waits->run;

	for (size_t i = 0; i < run->ranks[rank].parts.count; i++) {
		const struct participation *part = &run->ranks[rank].parts.items[i];
		const struct measured_instance *instance;

		if (run->instance_of[rank][i] == NO_MATCH)
			continue;
		instance = &run->instances.items[run->instance_of[rank][i]];
		switch (reach_of(instance->kind)) {
		case REACH_NOBODY:
			break;
		case REACH_UPWARDS:
			/* The last of those before it; the others are no later. */
			if (wait_at(edges->waits, rank, part->end)->kind == WAIT_COLLECTIVE)
				TRY(emit_cause(edges, rank, part->end));
			break;
		default:
			TRY(emit_part(edges, rank, part, instance));
		}
	}
	return 0;
}

int program_edges_of_rank(struct program_edges *edges, uint32_t rank)
{
	TRY(emit_messages(edges, rank));
	TRY(emit_observed_waits(edges, rank));
	return edges->waits->observed ? 0 : emit_parts(edges, rank);
}

int program_edges_of_ranks(struct program_edges *edges)
{
	const struct measured_run *run = edges->waits->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		for (uint32_t thread = 0; thread < run->ranks[r].thread_count; thread++)
			TRY(emit_thread(edges, r, thread));
		TRY(program_edges_of_rank(edges, r));
	}
	return 0;
}

/* ---------------------------------------------------- collectives, as observed */

#define NO_HUB UINT64_MAX
#define HUB_OF_INSTANCE (UINT64_MAX - 1)

/* Number the hubs of an instance, whose members are first ... end - 1. */
static void number_hubs(struct member_hubs *hubs, size_t first, size_t end)
{
	const struct member *list = hubs->members->list.items;
	size_t last_of_all = first;

	for (size_t i = first; i < end; i++) {
		hubs->last[i] = members_last(hubs->members, first, end, &list[i]);
		hubs->numbers[hubs->last[i]] = 0;
		if (hubs->last[i] > last_of_all)
			last_of_all = hubs->last[i];
	}
	for (size_t i = first; i < last_of_all; i++)
		if (hubs->numbers[i] != NO_HUB)
			hubs->numbers[i] = hubs->more++;
	hubs->numbers[last_of_all] = HUB_OF_INSTANCE;
}

int member_hubs_find(struct member_hubs *hubs, const struct members *members, struct error *err)
{
	const size_t count = members->list.count;

	*hubs = (struct member_hubs){.members = members};
	if (allocate(&hubs->last, count, sizeof *hubs->last, err) < 0 ||
	    allocate(&hubs->numbers, count, sizeof *hubs->numbers, err) < 0) {
		member_hubs_release(hubs);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		hubs->numbers[i] = NO_HUB;
	for (size_t first = 0, end; first < count; first = end) {
		end = members_end(members, first);
		number_hubs(hubs, first, end);
	}
	return 0;
}

void member_hubs_release(struct member_hubs *hubs)
{
	free(hubs->last);
	free(hubs->numbers);
}

/* The members first ... end - 1 of an instance. */
struct observation {
	const struct member_hubs *hubs;
	size_t first, end;
	uint64_t of_instance, more; /* vertices: the hub of the instance, the first of the others */
};

static const struct member *member_at(const struct observation *of, size_t member)
{
	return &of->hubs->members->list.items[member];
}

static uint64_t began(const struct observation *of, size_t member)
{
	return member_at(of, member)->begin.begin_ns;
}

/* Vertex of the hub at the start of a member, or NO_HUB. */
static uint64_t hub_at(const struct observation *of, size_t member)
{
	const uint64_t number = of->hubs->numbers[member];

	if (number == HUB_OF_INSTANCE)
		return of->of_instance;
	return number == NO_HUB ? NO_HUB : of->more + number;
}

static int emit_between_hubs(struct program_edges *edges, const struct observation *of)
{
	size_t before = of->end;

	for (size_t i = of->first; i < of->end; i++) {
		if (hub_at(of, i) == NO_HUB)
			continue;
		if (before < of->end)
			TRY(emit_to_hub(edges, hub_at(of, before), hub_at(of, i), 0,
					began(of, i) - began(of, before)));
		before = i;
	}
	return 0;
}

/* Find the first of the members that began at the same time. */
static size_t first_at_once(const struct observation *of, size_t member)
{
	while (member > of->first && began(of, member - 1) == began(of, member))
		member--;
	return member;
}

/* Emit an edge from each member to the first hub that is no earlier, if there is one. */
static int emit_to_hubs(struct program_edges *edges, const struct observation *of)
{
	size_t next = of->end, i = of->end;

	while (i > of->first) {
		const size_t first = first_at_once(of, i - 1);

		next = hub_at(of, first) == NO_HUB ? next : first;
		for (; i > first && next < of->end; i--) {
			const struct member *member = member_at(of, i - 1);

			TRY(emit_to_hub(edges, begin_of(edges, member->rank, member->begin.call),
					hub_at(of, next), member->place,
					began(of, next) - began(of, i - 1)));
		}
		i = first;
	}
	return 0;
}

/* Emit an edge to the end of each member from the hub of the last that it waits for. */
static int emit_from_hubs(struct program_edges *edges, const struct observation *of)
{
	for (size_t i = of->first; i < of->end; i++) {
		const struct member *member = member_at(of, i);
		const size_t last = of->hubs->last[i];

		TRY(emit(edges, hub_at(of, last), end_of(edges, member->rank, member->end),
			 time_between(began(of, last), member->end_enter_ns)));
	}
	return 0;
}

int program_edges_of_members(struct program_edges *edges, const struct member_hubs *hubs,
			     uint32_t owner, uint64_t next_hub)
{
	struct observation of = {.hubs = hubs, .more = next_hub};

	for (; of.first < hubs->members->list.count; of.first = of.end) {
		of.end = members_end(hubs->members, of.first);
		of.of_instance = edges->first_hub[owner] + member_at(&of, of.first)->instance;
		TRY(emit_between_hubs(edges, &of));
		TRY(emit_to_hubs(edges, &of));
		TRY(emit_from_hubs(edges, &of));
	}
	return 0;
}
