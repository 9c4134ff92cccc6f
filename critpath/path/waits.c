#include "critpath/path/waits.h"

#include "common/parallel/parallel.h"
#include "critpath/path/trace_quality.h"
#include "critpath/path/receipts.h"
#include "trace/call/mpi_functions.h"
#include "trace/measured/sync_edges.h"

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = {
		[WAIT_NONE] = "none",
		[WAIT_LATE_SENDER] = "late sender",
		[WAIT_LATE_RECEIVER] = "late receiver",
		[WAIT_COLLECTIVE] = "collective",
		[WAIT_ROOT] = "root",
		[WAIT_LOCK] = "lock",
	};

	return names[kind];
}

uint64_t wait_ns(const struct waits *waits, uint32_t rank, uint32_t call)
{
	const struct wait *wait = wait_at(waits, rank, call);
	const struct measured_call *waiting = &waits->run->ranks[rank].calls.items[call];

	if (wait->kind == WAIT_NONE)
		return 0;
	return (wait->until_ns < waiting->leave_ns ? wait->until_ns : waiting->leave_ns) -
	       waiting->enter_ns;
}

/*
 * Whether a wait goes before another one: by rank and number of the other call, and if that is the same,
 * as it begins several messages or collectives, by kind and communicator.
 */
static bool is_before(const struct wait *a, const struct wait *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->call != b->call)
		return a->call < b->call;
	return a->kind != b->kind ? a->kind < b->kind : a->comm < b->comm;
}

/* Find the wait of a call to change it.  There is room for one of each call. */
static struct wait *own_wait(struct waits *waits, uint32_t rank, uint32_t call)
{
	struct rank_waits *of = &waits->of[rank];
	uint32_t *number = &of->numbers[call];

	if (!*number) {
		*number = (uint32_t)of->list.count;
		of->list.items[of->list.count++] = (struct wait){0};
	}
	return &of->list.items[*number];
}

void wait_for(struct waits *waits, uint32_t rank, uint32_t call, const struct wait *wait)
{
	const struct wait *known = wait_at(waits, rank, call);
	const uint64_t since = known->kind == WAIT_NONE
				       ? waits->run->ranks[rank].calls.items[call].enter_ns
				       : known->until_ns;
	const uint32_t unknown = known->unknown;
	struct wait *added;

	/* Calls of the same thread have begun before. */
	if (wait->until_ns < since ||
	    (wait->until_ns == since && (known->kind == WAIT_NONE || !is_before(wait, known))))
		return;
	added = own_wait(waits, rank, call);
	*added = *wait;
	added->unknown = unknown & 1;
}

struct wait wait_on_call(const struct measured_start *begin, uint32_t rank, uint32_t comm,
			 enum wait_kind kind)
{
	return (struct wait){.until_ns = begin->begin_ns,
			     .rank = rank,
			     .call = begin->call,
			     .comm = comm,
			     .kind = kind & 0x7f,
			     .function = begin->function & 0xffffff};
}

/* ------------------------------------------------------------------- messages */

/* Let calls wait for the sends of messages that they receive or find, and for signals. */
static void wait_for_sends(struct waits *waits, uint32_t number)
{
	struct receipts receipts = receipts_of(waits->run, number);

	while (receipts_next(&receipts)) {
		const struct wait wait = wait_on_call(&receipts.send, receipts.recv->peer,
						      receipts.recv->comm,
						      is_signal(receipts.recv->tag)
							      ? WAIT_COLLECTIVE
							      : WAIT_LATE_SENDER);

		wait_for(waits, number, receipts.call, &wait);
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
	return wait_at(waits, rank, send->end)->kind != WAIT_LATE_SENDER &&
	       waits->run->ranks[rank].calls.items[send->end].leave_ns >= posted_ns;
}

static void wait_for_receive(struct waits *waits, uint32_t rank, size_t index)
{
	const struct measured_run *run = waits->run;
	const struct measured_send *send = &run->ranks[rank].sends.items[index];
	struct measured_start posted;
	struct wait wait;

	if (run->recv_of[rank][index] == NO_MATCH || send->end == NO_CALL ||
	    receipts_is_freed(&run->ranks[rank], send->end))
		return;
	posted = measured_recv_of(run, rank, index);
	/* A rank's own later call may begin at the time when the send ends. */
	if (send->peer == rank && posted.call > send->end)
		return;
	wait = wait_on_call(&posted, send->peer, send->comm, WAIT_LATE_RECEIVER);
	if (may_wait(waits, rank, send, posted.begin_ns))
		wait_for(waits, rank, send->end, &wait);
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
static enum wait_kind wait_kind_in(const struct participation *part, uint32_t rank)
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
		const struct participation *part = &rank->parts.items[i];
		const uint32_t index = run->instance_of[number][i];
		const enum wait_kind kind = wait_kind_in(part, number);
		const struct measured_instance *instance;
		struct wait wait = {0};

		if (index == NO_MATCH || kind == WAIT_NONE)
			continue;
		instance = &run->instances.items[index];
		if (kind == WAIT_COLLECTIVE)
			wait = wait_on_call(&instance->last, instance->last_rank, part->comm, kind);
		else if (instance->root.call != NO_CALL)
			wait = wait_on_call(&instance->root, instance->root_rank, part->comm, kind);
		if (!measured_left_before(rank, part, wait.until_ns))
			wait_for(waits, number, part->end, &wait);
	}
}

/* -------------------------------------------------------------------- unknown */

static void mark_messages(struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];

		if (run->send_of[number][i] == NO_MATCH && !is_signal(recv->tag) &&
		    !receipts_is_freed(rank, recv->end))
			own_wait(waits, number, recv->end)->unknown = 1;
	}
	for (size_t i = 0; i < rank->probes.count; i++) {
		const struct measured_probe *probe = &rank->probes.items[i];

		if (probe->recv == NO_MATCH || run->send_of[number][probe->recv] == NO_MATCH)
			own_wait(waits, number, probe->call)->unknown = 1;
	}
	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		if (run->recv_of[number][i] == NO_MATCH && !is_signal(send->tag) &&
		    send->end != NO_CALL && !send->buffered && !receipts_is_freed(rank, send->end))
			own_wait(waits, number, send->end)->unknown = 1;
	}
}

/* Whether a rank waits in a collective for a member that the trace lacks. */
static bool may_lack(const struct measured_run *run, uint32_t number,
		     const struct participation *part, const struct measured_instance *instance)
{
	switch (wait_kind_in(part, number)) {
	case WAIT_ROOT:
		return instance->root.call == NO_CALL;
	case WAIT_COLLECTIVE:
		return measured_lacks_members(run, instance);
	default:
		return (part->kind == COLL_SCAN || part->kind == COLL_EXSCAN) &&
		       measured_lacks_members(run, instance);
	}
}

static void mark_members(struct waits *waits, uint32_t number)
{
	const struct measured_run *run = waits->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct participation *part = &rank->parts.items[i];
		const uint32_t index = run->instance_of[number][i];

		if (index == NO_MATCH ? measured_has_instances(run, part->comm)
				      : may_lack(run, number, part, &run->instances.items[index]))
			own_wait(waits, number, part->end)->unknown = 1;
	}
}

/* ---------------------------------------------------------------------- waits */

/* Make room for a wait of each call; what is not used is never touched. */
static int waits_make_room(struct rank_waits *of, size_t calls, struct error *err)
{
	TRY(allocate(&of->numbers, calls, sizeof *of->numbers, err));
	TRY(array_reserve(&of->list, calls + 1, err));
	return array_push(&of->list, (struct wait){0}, err);
}

static int find_of_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct waits *waits = shared;
	const uint32_t rank = waits->run->own_first + item;

	(void)state;
	TRY(waits_make_room(&waits->of[rank], waits->run->ranks[rank].calls.count, err));
	wait_for_sends(waits, rank);
	wait_for_receives(waits, rank);
	wait_for_members(waits, rank);
	mark_messages(waits, rank);
	mark_members(waits, rank);
	return 0;
}

int waits_find_own(struct waits *waits, const struct measured_run *run, struct error *err)
{
	const struct parallel_work work = {.make = find_of_rank, .shared = waits};

	*waits = (struct waits){.run = run};
	if (allocate(&waits->of, run->rank_count, sizeof *waits->of, err) == 0 &&
	    parallel_run(&work, run->own_end - run->own_first, measured_threads(run), err) == 0)
		return 0;
	waits_release(waits);
	return -1;
}

void waits_release(struct waits *waits)
{
	for (uint32_t rank = 0; waits->of && rank < waits->run->rank_count; rank++) {
		free(waits->of[rank].numbers);
		array_release(&waits->of[rank].list);
	}
	free(waits->of);
	waits->of = NULL;
}
