#include "critpath/path/waits.h"

#include "common/parallel.h"
#include "trace/call/mpi_functions.h"

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = {
		[WAIT_NONE] = "none",
		[WAIT_LATE_SENDER] = "late sender",
		[WAIT_LATE_RECEIVER] = "late receiver",
		[WAIT_COLLECTIVE] = "collective",
		[WAIT_ROOT] = "root",
	};

	return names[kind];
}

static uint64_t enter_of(const struct measured_run *run, uint32_t rank, uint32_t call)
{
	return run->ranks[rank].calls.items[call].enter_ns;
}

uint64_t wait_ns(const struct waits *waits, uint32_t rank, uint32_t call)
{
	const struct wait *wait = &waits->of[rank][call];
	const struct measured_call *waiting = &waits->run->ranks[rank].calls.items[call];
	uint64_t until;

	if (wait->kind == WAIT_NONE)
		return 0;
	until = enter_of(waits->run, wait->rank, wait->call);
	return (until < waiting->leave_ns ? until : waiting->leave_ns) - waiting->enter_ns;
}

/* Let a call wait for another one if that began later than all that it waits for so far. */
static void wait_for(struct waits *waits, uint32_t rank, uint32_t call, const struct wait *wait)
{
	const struct measured_run *run = waits->run;
	struct wait *known = &waits->of[rank][call];
	const uint64_t began = enter_of(run, wait->rank, wait->call);
	const uint64_t since = known->kind == WAIT_NONE ? enter_of(run, rank, call)
							: enter_of(run, known->rank, known->call);

	/* Calls of the same thread have begun before. */
	if (began > since)
		*known = *wait;
}

/* ------------------------------------------------------------------- messages */

/* Whether a call frees the request of a message, which may end later. */
static bool is_freed(const struct measured_rank *rank, uint32_t call)
{
	return rank->calls.items[call].function == CALL_Request_free;
}

static bool is_probe(uint32_t function)
{
	return function == CALL_Probe || function == CALL_Mprobe || function == CALL_Iprobe ||
	       function == CALL_Improbe;
}

/* Find the probe of the same thread right before a blocking receive, or NO_CALL. */
static uint32_t probe_before(const struct measured_rank *rank, const struct measured_recv *recv)
{
	uint32_t call = recv->end;

	if (recv->begin != recv->end)
		return NO_CALL;
	while (call-- > 0)
		if (rank->calls.items[call].thread == rank->calls.items[recv->end].thread)
			return is_probe(rank->calls.items[call].function) ? call : NO_CALL;
	return NO_CALL;
}

/* Let a receive wait for its send, and a probe that has found the message. */
static void wait_for_send(struct waits *waits, uint32_t number, const struct measured_recv *recv,
			  uint32_t send_call)
{
	const struct measured_rank *rank = &waits->run->ranks[number];
	const struct wait wait = {recv->peer, send_call, recv->comm, WAIT_LATE_SENDER};
	const uint32_t probe = probe_before(rank, recv);

	wait_for(waits, number, recv->end, &wait);
	if (probe != NO_CALL &&
	    enter_of(waits->run, recv->peer, send_call) <= rank->calls.items[probe].leave_ns)
		wait_for(waits, number, probe, &wait);
}

static void wait_for_sends(struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];
		const uint32_t match = run->send_of[number][i];

		if (match != NO_MATCH && !is_freed(rank, recv->end))
			wait_for_send(waits, number, recv,
				      run->ranks[recv->peer].sends.items[match].begin);
	}
}

/* Whether a send may have waited for its receive, which began at `posted_ns`. */
static bool may_wait(const struct waits *waits, uint32_t rank, const struct measured_send *send,
		     uint64_t posted_ns)
{
	if (send->buffered)
		return false;
	if (send->synchronous)
		return true;
	return waits->of[rank][send->end].kind != WAIT_LATE_SENDER &&
	       waits->run->ranks[rank].calls.items[send->end].leave_ns >= posted_ns;
}

static void wait_for_receive(struct waits *waits, uint32_t rank, size_t index)
{
	const struct measured_run *run = waits->run;
	const struct measured_send *send = &run->ranks[rank].sends.items[index];
	const uint32_t match = run->recv_of[rank][index];
	uint32_t posted;

	if (match == NO_MATCH || send->end == NO_CALL || is_freed(&run->ranks[rank], send->end))
		return;
	posted = run->ranks[send->peer].recvs.items[match].begin;
	if (may_wait(waits, rank, send, enter_of(run, send->peer, posted)))
		wait_for(waits, rank, send->end,
			 &(struct wait){send->peer, posted, send->comm, WAIT_LATE_RECEIVER});
}

/* Synchronous sends come last: they hide that a call has waited for a sender. */
static void wait_for_receives(struct waits *waits, uint32_t number)
{
	const struct measured_rank *rank = &waits->run->ranks[number];

	for (size_t i = 0; i < rank->sends.count; i++)
		if (!rank->sends.items[i].synchronous)
			wait_for_receive(waits, number, i);
	for (size_t i = 0; i < rank->sends.count; i++)
		if (rank->sends.items[i].synchronous)
			wait_for_receive(waits, number, i);
}

/* ---------------------------------------------------------------- collectives */

/* Find for whom a rank waits in a collective: for nobody, the root, or the other members. */
static enum wait_kind waits_for(const struct measured_part *part, uint32_t rank)
{
	switch (part->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return part->root == NO_ROOT ? WAIT_NONE : WAIT_ROOT;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return part->root == rank ? WAIT_COLLECTIVE : WAIT_NONE;
	case COLL_SCAN:
	case COLL_EXSCAN:
	case MEASURED_NEIGHBOURS:
		return WAIT_NONE;
	default:
		return WAIT_COLLECTIVE;
	}
}

static void wait_for_members(struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct measured_part *part = &rank->parts.items[i];
		const uint32_t index = run->instance_of[number][i];
		const enum wait_kind kind = waits_for(part, number);
		const struct measured_instance *instance;

		if (index == NO_MATCH || kind == WAIT_NONE)
			continue;
		instance = &run->instances.items[index];
		if (kind == WAIT_COLLECTIVE)
			wait_for(waits, number, part->end,
				 &(struct wait){instance->last_rank, instance->last_call,
						part->comm, WAIT_COLLECTIVE});
		else if (instance->root_call != NO_CALL)
			wait_for(waits, number, part->end,
				 &(struct wait){instance->root_rank, instance->root_call,
						part->comm, WAIT_ROOT});
	}
}

/* A member of a scan, to be sorted by instance and rank of the communicator. */
struct scan_member {
	uint32_t instance, place;
	uint32_t rank, begin, end;
};

static int compare_members(const void *a, const void *b)
{
	const struct scan_member *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static uint32_t rank_in(const struct trace_comm *comm, uint32_t rank)
{
	if (comm->identity)
		return rank;
	for (uint32_t i = 0; i < comm->size; i++)
		if (comm->ranks[i] == rank)
			return i;
	return comm->size;
}

struct scan_members {
	ARRAY(struct scan_member) list;
};

static int list_scans(struct scan_members *members, const struct measured_run *run,
		      struct error *err)
{
	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++) {
			const struct measured_part *part = &run->ranks[r].parts.items[i];

			if ((part->kind != COLL_SCAN && part->kind != COLL_EXSCAN) ||
			    run->instance_of[r][i] == NO_MATCH)
				continue;
			TRY(array_push(&members->list,
				       ((struct scan_member){run->instance_of[r][i],
							     rank_in(&run->world->comms[part->comm],
								     r),
							     r, part->begin, part->end}),
				       err));
		}
	return 0;
}

/* Each member of a scan waits for the last of those before it. */
static int wait_in_scans(struct waits *waits, struct error *err)
{
	const struct measured_run *run = waits->run;
	struct scan_members members = {0};
	const struct scan_member *last = NULL;
	const int result = list_scans(&members, run, err);

	if (members.list.count)
		qsort(members.list.items, members.list.count, sizeof *members.list.items,
		      compare_members);
	for (size_t i = 0; i < members.list.count; i++) {
		const struct scan_member *member = &members.list.items[i];

		if (last && last->instance == member->instance)
			wait_for(waits, member->rank, member->end,
				 &(struct wait){last->rank, last->begin,
						run->instances.items[member->instance].comm,
						WAIT_COLLECTIVE});
		if (!last || last->instance != member->instance ||
		    enter_of(run, member->rank, member->begin) >
			    enter_of(run, last->rank, last->begin))
			last = member;
	}
	array_release(&members.list);
	return result;
}

/* ---------------------------------------------------------------------- waits */

static int find_of_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct waits *waits = shared;

	(void)state;
	TRY(allocate(&waits->of[rank], waits->run->ranks[rank].calls.count, sizeof **waits->of,
		     err));
	wait_for_sends(waits, rank);
	wait_for_receives(waits, rank);
	wait_for_members(waits, rank);
	return 0;
}

int waits_find(struct waits *waits, const struct measured_run *run, struct error *err)
{
	const struct parallel_work work = {.make = find_of_rank, .shared = waits};

	*waits = (struct waits){.run = run};
	if (allocate(&waits->of, run->rank_count, sizeof *waits->of, err) == 0 &&
	    parallel_run(&work, run->rank_count, processor_count(), err) == 0 &&
	    wait_in_scans(waits, err) == 0)
		return 0;
	waits_release(waits);
	return -1;
}

void waits_release(struct waits *waits)
{
	for (uint32_t rank = 0; waits->of && rank < waits->run->rank_count; rank++)
		free(waits->of[rank]);
	free(waits->of);
	waits->of = NULL;
}
