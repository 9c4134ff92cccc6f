#include "test/unit/lib/make/random_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/random_graph.h"

static int64_t some(struct program *program, uint64_t below)
{
	return (int64_t)random_below(program->numbers, below);
}

/* --------------------------------------------------------------------- program */

/* Begin a call after some computation, often none. */
static struct op *begin(struct program *program, uint32_t rank, const char *function)
{
	struct op *op = &program->ops[rank][program->counts[rank]++];

	assert_in_range(program->counts[rank], 1, CALLS);
	*op = (struct op){.function = function, .sender = -1, .receiver = -1, .member = -1};
	op->enter = program->clock[rank];
	if (program->at_once)
		op->enter += 6 * some(program, 2);
	else if (some(program, 3))
		op->enter += some(program, 12);
	return op;
}

/* End a call, which could not end before some time. */
static void end(struct program *program, uint32_t rank, struct op *op, int64_t not_before)
{
	op->leave = later(op->enter, not_before) + (program->at_once ? 0 : some(program, 4));
	program->clock[rank] = op->leave;
}

static uint32_t last(const struct program *program, uint32_t rank)
{
	return program->counts[rank] - 1;
}

static void event(struct op *op, struct mpi_event added)
{
	assert_in_range(op->events_count, 0, EVENTS - 1);
	op->events[op->events_count++] = added;
}

static struct link *link_calls(struct program *program, uint32_t from_rank, uint32_t from,
			       uint32_t to_rank, uint32_t to)
{
	assert_in_range(program->link_count, 0, LINKS - 1);
	program->links[program->link_count] =
		(struct link){from_rank, from, to_rank, to, -1, false};
	return &program->links[program->link_count++];
}

/* Note that the last call of a rank takes part in a collective, which it completes if it waits. */
static uint32_t note_part(struct program *program, uint64_t collective, uint32_t rank)
{
	assert_in_range(program->part_count, 0, LINKS - 1);
	program->parts[program->part_count] = (struct taken_part){
		collective, rank, last(program, rank), last(program, rank)};
	return program->part_count++;
}

/*
 * Let a rank find the message of a send before it receives it, or look in vain.  The trace may tell what
 * was found: then it may be received later, otherwise by the next call that concerns other ranks.
 */
static void probe(struct program *program, uint32_t from, uint32_t s, uint32_t to, uint32_t tag,
		  bool matched)
{
	static const char *const names[] = {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"};
	const bool polls = some(program, 2);
	const bool fails = program->knows_probes && !matched && !some(program, 3);
	struct op *op;

	if (fails && !polls)
		end(program, to, begin(program, to, "MPI_Iprobe"), 0);
	op = begin(program, to, names[2 * matched + polls]);
	op->polls = fails && polls;
	op->sender = program->ops[from][s].enter;
	end(program, to, op, op->sender);
	link_calls(program, from, s, to, last(program, to));
	if (program->knows_probes)
		event(op, (struct mpi_event)PROBED(0, from, tag));
	if (some(program, 2))
		end(program, to, begin(program, to, "MPI_Get_count"), 0);
	if (program->knows_probes && !some(program, 3))
		end(program, to, begin(program, to, "MPI_Iprobe"), 0);
}

/* Let the last calls of two ranks be the halves that begin a message, one or both blocking. */
static void message(struct program *program)
{
	static const char *const sends[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend"};
	static const char *const isends[] = {"MPI_Isend", "MPI_Issend", "MPI_Ibsend"};
	const uint32_t from = (uint32_t)some(program, program->ranks);
	const uint32_t to = (from + 1 + (uint32_t)some(program, program->ranks - 1)) % program->ranks;
	const uint32_t tag = (uint32_t)some(program, 2);
	const uint32_t mode = (uint32_t)some(program, 3);
	const bool isend = program->open_counts[from] < EVENTS && some(program, 2);
	const bool irecv = program->open_counts[to] < EVENTS && some(program, 2);
	const bool probes = !some(program, 3), matched = probes && some(program, 2);
	static const char *const recvs[] = {"MPI_Recv", "MPI_Irecv", "MPI_Mrecv", "MPI_Imrecv"};
	struct op *send = begin(program, from, isend ? isends[mode] : sends[mode]), *recv;
	const uint32_t s = last(program, from);
	const uint64_t bytes = ++program->ids;
	uint32_t r;

	if (probes)
		probe(program, from, s, to, tag, matched);
	recv = begin(program, to, recvs[2 * matched + irecv]);
	r = last(program, to);

	if (isend) {
		event(send, (struct mpi_event)ISEND(0, to, tag, bytes, ++program->requests));
		program->open[from][program->open_counts[from]++] = (struct pending){
			.request = program->requests, .event = ISENT(program->requests), .begin = s,
			.send = true, .synchronous = mode == 1, .buffered = mode == 2,
			.peer = to, .peer_begin = r};
		end(program, from, send, 0);
	} else {
		const bool waits = mode == 1 || (mode == 0 && some(program, 2));

		event(send, (struct mpi_event)SEND(0, to, tag, bytes));
		end(program, from, send, waits ? recv->enter : 0);
		if (mode == 1 || (mode == 0 && recv->enter > send->enter && send->leave >= recv->enter)) {
			send->receiver = recv->enter;
			link_calls(program, to, r, from, s)->if_waited = true;
		}
	}
	if (irecv) {
		event(recv, (struct mpi_event)POST(++program->requests));
		program->open[to][program->open_counts[to]++] = (struct pending){
			.request = program->requests,
			.event = IRECV(0, from, tag, bytes, program->requests), .begin = r,
			.peer = from, .peer_begin = s};
		end(program, to, recv, 0);
	} else {
		event(recv, (struct mpi_event)RECV(0, from, tag, bytes));
		end(program, to, recv, send->enter);
		recv->sender = send->enter;
		link_calls(program, from, s, to, r);
	}
}

/* Computation between tests that are no wait. */
enum { LONG_GAP_NS = POLL_GAP_NS + 1 };

/*
 * Let the rank test requests in vain, and compute for long after each test.  These may be one call in
 * the trace: then it is as long as all tests are.
 */
static void test_in_vain(struct program *program, uint32_t rank, uint64_t request)
{
	const uint32_t tests = 1 + (uint32_t)some(program, 3);
	const bool joined = tests > 1 && some(program, 2);

	for (uint32_t i = 0; i < (joined ? 1 : tests); i++) {
		struct op *op = begin(program, rank, "MPI_Testall");

		event(op, (struct mpi_event)TESTED(request));
		end(program, rank, op, 0);
		op->vain = joined ? tests : 1;
		program->clock[rank] += op->vain * LONG_GAP_NS;
	}
}

/* Begin the call that completes requests: a wait, or a test after others that found nothing. */
static struct op *begin_completion(struct program *program, uint32_t rank, uint64_t request)
{
	struct op *op;

	if (!program->polls || some(program, 2))
		return begin(program, rank, "MPI_Waitall");
	if (some(program, 2) && program->counts[rank] < CALLS / 4)
		test_in_vain(program, rank, request);
	op = begin(program, rank, "MPI_Testall");
	op->polls = (uint32_t)some(program, 4);
	op->polls_joined = some(program, 2);
	return op;
}

/* Complete some of the rank's requests, in any order. */
static void complete(struct program *program, uint32_t rank, bool all)
{
	struct op *op;
	int64_t not_before = 0;
	struct pending done[EVENTS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < program->open_counts[rank];) {
		if (!all && some(program, 2)) {
			i++;
			continue;
		}
		done[count++] = program->open[rank][i];
		program->open[rank][i] = program->open[rank][--program->open_counts[rank]];
	}
	if (!count)
		return;
	op = begin_completion(program, rank, done[0].request);
	for (uint32_t i = 0; i < count; i++) {
		/* Of messages only. */
		const int64_t other = program->ops[done[i].peer][done[i].peer_begin].enter;

		event(op, done[i].event);
		if (done[i].event.kind == EVENT_IRECV) {
			op->sender = later(op->sender, other);
			not_before = later(not_before, other);
			link_calls(program, done[i].peer, done[i].peer_begin, rank, last(program, rank));
		} else if (done[i].event.kind == EVENT_COLLECTIVE_COMPLETE) {
			op->member = later(op->member, done[i].until);
			not_before = later(not_before, done[i].until);
			program->parts[done[i].part].end = last(program, rank);
			for (uint32_t l = 0; l < done[i].link_count; l++)
				program->links[done[i].links[l]].to = last(program, rank);
		} else if (done[i].synchronous || (!done[i].buffered && some(program, 2))) {
			not_before = later(not_before, other);
		}
	}
	end(program, rank, op, not_before);
	/* A call that has waited for a sender waits for a send only if that is synchronous. */
	for (uint32_t i = 0; i < count; i++) {
		int64_t other;

		if (!done[i].send || done[i].buffered)
			continue;
		other = program->ops[done[i].peer][done[i].peer_begin].enter;
		if (!done[i].synchronous && (op->sender > op->enter || other <= op->enter ||
					     op->leave < other))
			continue;
		op->receiver = later(op->receiver, other);
		link_calls(program, done[i].peer, done[i].peer_begin, rank, last(program, rank))
			->if_waited = true;
	}
}

/* Whether member `to` cannot end before member `from` has begun. */
static bool needs(uint32_t kind, uint32_t root, uint32_t from, uint32_t to)
{
	switch (kind) {
	case COLL_BCAST:
		return from == root;
	case COLL_REDUCE:
		return to == root;
	case COLL_SCAN:
		return from <= to;
	default:
		return true;
	}
}

/* An instance of a collective. */
struct instance {
	uint32_t kind, comm, root, persistent;
	uint64_t id;
};

static const struct {
	uint32_t kind;
	const char *name, *iname;
} kinds[] = {{COLL_BARRIER, "MPI_Barrier", "MPI_Ibarrier"},
	     {COLL_BCAST, "MPI_Bcast", "MPI_Ibcast"},
	     {COLL_REDUCE, "MPI_Reduce", "MPI_Ireduce"},
	     {COLL_SCAN, "MPI_Scan", "MPI_Iscan"}};

static struct instance some_instance(struct program *program)
{
	struct instance made = {(uint32_t)some(program, 4), (uint32_t)some(program, 3), 0, 0,
				++program->ids};

	made.root = (uint32_t)some(program, program->comm_sizes[made.comm]);
	return made;
}

static uint32_t size_of(const struct program *program, const struct instance *of)
{
	return program->comm_sizes[of->comm];
}

/* World rank of a member. */
static uint32_t rank_of(const struct program *program, const struct instance *of, uint32_t member)
{
	return program->comm_ranks[of->comm][member];
}

/* Whether all members can have so many open requests more. */
static bool have_room(const struct program *program, const struct instance *of, uint32_t more)
{
	for (uint32_t m = 0; m < size_of(program, of); m++)
		if (program->open_counts[rank_of(program, of, m)] + more > EVENTS)
			return false;
	return true;
}

/* Link a member's last call with those of the members that it needs; returns when the last began. */
static int64_t link_member(struct program *program, const struct instance *of, uint32_t member,
			   struct pending *pending)
{
	const uint32_t kind = kinds[of->kind].kind, to = rank_of(program, of, member);
	int64_t until = 0;

	for (uint32_t m = 0; m < size_of(program, of); m++) {
		const uint32_t from = rank_of(program, of, m);

		if (needs(kind, of->root, m, member))
			until = later(until, program->ops[from][last(program, from)].enter);
	}
	for (uint32_t m = 0; m < size_of(program, of); m++) {
		const uint32_t from = rank_of(program, of, m);
		struct link *link;

		/* Through the hub a member reaches its own end, too. */
		if (!needs(kind, of->root, m, member) || (m == member && kind == COLL_SCAN))
			continue;
		pending->links[pending->link_count++] = program->link_count;
		link = link_calls(program, from, last(program, from), to, last(program, to));
		link->hub = until;
		link->if_waited = kind == COLL_SCAN;
	}
	return until;
}

/* Let the last call of a member take part, and wait or have a request. */
static void take_part(struct program *program, const struct instance *of, uint32_t member,
		      bool waits)
{
	const uint32_t rank = rank_of(program, of, member);
	struct op *op = &program->ops[rank][last(program, rank)];
	struct mpi_event part = COLLECTIVE(kinds[of->kind].kind, program->comms[of->comm]);
	struct pending pending = {.begin = last(program, rank)};

	part.root = part.collective == COLL_BCAST || part.collective == COLL_REDUCE ? of->root
										    : NO_ROOT;
	part.bytes_sent = of->id;
	pending.until = link_member(program, of, member, &pending);
	pending.part = note_part(program, of->id, rank);
	if (waits) {
		op->member = pending.until;
		event(op, part);
		return;
	}
	part.kind = EVENT_COLLECTIVE_COMPLETE;
	part.persistent = of->persistent;
	part.request = pending.request = ++program->requests;
	pending.event = part;
	event(op, (struct mpi_event)ICOLL(pending.request));
	program->open[rank][program->open_counts[rank]++] = pending;
}

/* A collective, or a barrier of all ranks. */
static void collective(struct program *program, bool barrier)
{
	const struct instance of = barrier ? (struct instance){.id = ++program->ids}
					   : some_instance(program);
	const bool waits = barrier || some(program, 2);

	if (!waits && !have_room(program, &of, 1))
		return;
	for (uint32_t m = 0; m < size_of(program, &of); m++)
		begin(program, rank_of(program, &of, m),
		      waits ? kinds[of.kind].name : kinds[of.kind].iname);
	for (uint32_t m = 0; m < size_of(program, &of); m++)
		take_part(program, &of, m, waits);
	for (uint32_t m = 0; m < size_of(program, &of); m++) {
		const uint32_t rank = rank_of(program, &of, m);
		struct op *op = &program->ops[rank][last(program, rank)];

		end(program, rank, op, waits ? op->member : 0);
	}
}

enum { MOST_AT_ONCE = 3 };

/* Collectives that each rank begins in one call; persistent ones each rank in an order of its own. */
static void collectives_at_once(struct program *program)
{
	const uint32_t count = 2 + (uint32_t)some(program, MOST_AT_ONCE - 1);
	const bool persistent = some(program, 2);
	struct instance of[MOST_AT_ONCE];
	bool begun[RANKS] = {false};

	for (uint32_t i = 0; i < count; i++) {
		of[i] = some_instance(program);
		of[i].persistent = persistent ? ++program->persistent : 0;
		if (!have_room(program, &of[i], count))
			return;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t m = 0; m < size_of(program, &of[i]); m++)
			begun[rank_of(program, &of[i], m)] = true;
	for (uint32_t r = 0; r < program->ranks; r++)
		if (begun[r])
			begin(program, r, "MPI_Startall");
	for (uint32_t r = 0; r < program->ranks; r++) {
		const uint32_t first = persistent ? (uint32_t)some(program, count) : 0;

		for (uint32_t i = 0; i < count; i++) {
			const struct instance *part = &of[(first + i) % count];

			for (uint32_t m = 0; m < size_of(program, part); m++)
				if (rank_of(program, part, m) == r)
					take_part(program, part, m, false);
		}
		if (begun[r])
			end(program, r, &program->ops[r][last(program, r)], 0);
	}
}

/* A collective without data: members need nobody, but may wait for all others, as libraries do. */
static void collective_without_data(struct program *program)
{
	const uint32_t c = (uint32_t)some(program, 3);
	const uint32_t size = program->comm_sizes[c], *ranks = program->comm_ranks[c];
	const uint64_t id = ++program->ids;
	struct op *ops[RANKS];
	int64_t last_begin = 0;

	for (uint32_t m = 0; m < size; m++) {
		ops[m] = begin(program, ranks[m], "MPI_Allgather");
		last_begin = later(last_begin, ops[m]->enter);
	}
	for (uint32_t m = 0; m < size; m++) {
		struct mpi_event part = COLLECTIVE(COLL_ALLGATHER, program->comms[c]);

		part.bytes_sent = id;
		note_part(program, id, ranks[m]);
		event(ops[m], part);
		end(program, ranks[m], ops[m], some(program, 2) ? last_begin : 0);
		if (ops[m]->leave < last_begin)
			continue;
		ops[m]->member = last_begin;
		for (uint32_t i = 0; i < size; i++)
			if (i != m)
				link_calls(program, ranks[i], last(program, ranks[i]), ranks[m],
					   last(program, ranks[m]))
					->hub = last_begin;
	}
}

/* Communicators are made by their members alone, but recorded on the parent, as Score-P does. */
enum { PARENT = 0, MADE = 4 };

static void create_group(struct program *program)
{
	const uint32_t size = program->comm_sizes[2], *ranks = program->comm_ranks[2];
	const struct mpi_event made = {.kind = EVENT_COMM_CREATE, .comm = MADE};
	const uint64_t id = ++program->ids;
	struct op *ops[RANKS];
	int64_t last_begin = 0;

	for (uint32_t m = 0; m < size; m++) {
		ops[m] = begin(program, ranks[m], "MPI_Comm_create_group");
		last_begin = later(last_begin, ops[m]->enter);
	}
	for (uint32_t m = 0; m < size; m++) {
		note_part(program, id, ranks[m]);
		event(ops[m], made);
		event(ops[m], (struct mpi_event)COLLECTIVE(COLL_CREATE_HANDLE, PARENT));
		end(program, ranks[m], ops[m], last_begin);
		ops[m]->member = last_begin;
		for (uint32_t i = 0; i < size; i++)
			link_calls(program, ranks[i], last(program, ranks[i]), ranks[m],
				   last(program, ranks[m]))
				->hub = last_begin;
	}
}

static void synchronise(struct program *program)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		complete(program, r, true);
	collective(program, true);
}

void program_make(struct program *program, uint64_t *numbers, uint32_t steps)
{
	memset(program, 0, sizeof *program);
	program->numbers = numbers;
	program->ranks = 2 + (uint32_t)some(program, RANKS - 1);
	program->comms[0] = 0;
	program->comms[1] = 2;
	program->comms[2] = 3;
	for (uint32_t r = 0; r < program->ranks; r++) {
		program->clock[r] = 0;
		program->comm_ranks[0][program->comm_sizes[0]++] = r;
		program->comm_ranks[1][program->comm_sizes[1]++] = program->ranks - 1 - r;
		if (r != 1)
			program->comm_ranks[2][program->comm_sizes[2]++] = r;
	}
	program->at_once = !some(program, 3);
	program->knows_probes = some(program, 2);
	program->polls = some(program, 2);
	for (uint32_t i = 0; i < steps; i++) {
		const int64_t what = some(program, 10);

		if (what < 5 && program->at_once && some(program, 2))
			collectives_at_once(program);
		else if (what < 5)
			message(program);
		else if (what < 8)
			complete(program, (uint32_t)some(program, program->ranks), false);
		else if (some(program, 3))
			collective(program, false);
		else if (some(program, 2) && some(program, 2))
			collective_without_data(program);
		else if (!some(program, 4))
			create_group(program);
		else
			synchronise(program);
	}
	for (uint32_t r = 0; r < program->ranks; r++)
		complete(program, r, true);
}

bool program_is_empty(const struct program *program)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		if (program->counts[r])
			return false;
	return true;
}

int64_t program_wait_of(const struct op *op)
{
	const int64_t until = later(later(op->sender, op->receiver), op->member);

	return later(0, (until < op->leave ? until : op->leave) - op->enter);
}

/* Take the polls in the time of a call, and return when the call itself is entered. */
static int64_t take_polls(struct made_run *made, uint32_t rank, const struct op *op)
{
	const int64_t length = op->leave - op->enter, count = op->polls;
	const struct mpi_event test = TESTED(op->events[0].request);
	struct mpi_call poll = {.function = op->function, .events = &test,
				.event_count = op->events[0].kind != EVENT_PROBE};
	int64_t at = op->enter;

	for (int64_t i = 0; i < count; i++) {
		/* The first gap shows that the rank waits. */
		at = i > 1 ? later(at, op->enter + length * i / (count + 1))
			   : op->enter + (length ? i : 0);
		poll.enter_ns = poll.leave_ns = (uint64_t)at;
		if (!op->polls_joined || count < 2)
			made_take(made, rank, &poll);
	}
	if (!op->polls_joined || count < 2)
		return count == 1 && length ? at + 1 : at;
	poll.enter_ns = (uint64_t)op->enter;
	poll.polls = op->polls;
	poll.poll_gaps_ns = poll.leave_ns - poll.enter_ns;
	poll.least_poll_gap_ns = length > 0;
	made_take(made, rank, &poll);
	return at;
}

static void take_op(struct made_run *made, uint32_t rank, const struct op *op)
{
	struct mpi_call call = {.function = op->function, .enter_ns = (uint64_t)op->enter,
				.leave_ns = (uint64_t)op->leave, .events = op->events,
				.event_count = op->events_count};

	if (op->polls)
		call.enter_ns = (uint64_t)take_polls(made, rank, op);
	if (op->vain > 1) {
		call.polls = op->vain;
		call.poll_gaps_ns = (op->vain - 1) * LONG_GAP_NS;
		call.least_poll_gap_ns = LONG_GAP_NS;
		call.leave_ns += call.poll_gaps_ns;
	}
	made_take(made, rank, &call);
}

/* ------------------------------------------------------------------------ gap */

bool program_add_gap(struct program *program)
{
	const uint32_t rank = (uint32_t)some(program, program->ranks);
	const uint32_t count = program->counts[rank];

	/* Polls of a request that the gap hides would be other calls. */
	if (!count || program->polls)
		return false;
	program->has_gap = true;
	program->gap_rank = rank;
	program->gap_from = (uint32_t)some(program, count);
	program->gap_to = program->gap_from + 1 +
			  (uint32_t)some(program, count - program->gap_from);
	return true;
}

uint32_t program_call_in_run(const struct program *program, uint32_t rank, uint32_t call)
{
	/* Call 0 is MPI_Init, and the gap is one call. */
	if (!program->has_gap || rank != program->gap_rank || call < program->gap_from)
		return call + 1;
	return call < program->gap_to ? NO_CALL
				      : call + 2 - (program->gap_to - program->gap_from);
}

static bool has_request(const struct op *op, uint64_t request)
{
	for (uint32_t i = 0; i < op->events_count; i++)
		if (op->events[i].request == request)
			return true;
	return false;
}

/* Whether an event after the gap completes a request that was begun in it: it leaves no record. */
static bool is_silent(const struct program *program, const struct mpi_event *event)
{
	const struct op *ops = program->ops[program->gap_rank];

	for (uint32_t c = program->gap_from; event->request && c < program->gap_to; c++)
		if (has_request(&ops[c], event->request))
			return true;
	return false;
}

/* Let the toolchain see what the gap leaves of a call. */
static void take_beside_gap(struct made_run *made, const struct program *program, uint32_t call)
{
	const uint32_t rank = program->gap_rank;
	const struct op *op = &program->ops[rank][call];
	struct op left = *op;

	if (call == program->gap_from)
		made_plain(made, rank, RECORDING_OFF, (uint64_t)op->enter,
			   (uint64_t)program->ops[rank][program->gap_to - 1].leave);
	if (program_call_in_run(program, rank, call) == NO_CALL)
		return;
	left.events_count = 0;
	for (uint32_t i = 0; i < op->events_count; i++)
		if (call < program->gap_from || !is_silent(program, &op->events[i]))
			left.events[left.events_count++] = op->events[i];
	take_op(made, rank, &left);
}

void program_run(struct made_run *made, const struct program *program, int64_t apart)
{
	made_begin(made, program->ranks);
	made->world.has_probes = program->knows_probes;
	for (int c = 1; c < 3; c++)
		assert_int_equal(made_comm(made, program->comm_sizes[c], program->comm_ranks[c]),
				 program->comms[c]);
	assert_int_equal(made_comm(made, program->comm_sizes[2], program->comm_ranks[2]), MADE);
	for (uint32_t r = 0; r < program->ranks; r++) {
		made->clocks_ns[r] = apart * r;
		for (uint32_t c = 0; c < program->counts[r]; c++)
			if (program->has_gap && r == program->gap_rank)
				take_beside_gap(made, program, c);
			else
				take_op(made, r, &program->ops[r][c]);
		if (program->has_gap)
			made_plain(made, r, "MPI_Finalize", (uint64_t)program->clock[r],
				   (uint64_t)program->clock[r]);
	}
	made_end(made);
}
