#include "goal/traversal/computation.h"

#include "common/progress.h"
#include "goal/traversal/traversal_messages.h"

enum {
	FIRST_AHEAD = 64, /* operations that ranks read beyond one that waits */
	TURN_OPS = 64	  /* operations that a rank reads before it is another one's turn */
};

struct run {
	const struct goal *goal;
	struct traversal_ranks ranks;
	struct traversal_messages messages;
	uint32_t ahead, started;
	bool any;      /* a receive from any source or with any tag was read */
	bool too_long; /* an end is at 2^64 ns or later */
	uint64_t last_ns;
	struct error *err;
};

/* End of a calc.  One that is too late for 64 bits is noted. */
static uint64_t end_of_calc(struct run *run, uint64_t start_ns, uint64_t cost_ns)
{
	uint64_t end_ns;

	if (!__builtin_add_overflow(start_ns, cost_ns, &end_ns))
		return end_ns;
	run->too_long = true;
	return UINT64_MAX;
}

static void end_at(struct run *run, uint64_t ns)
{
	run->last_ns = ns > run->last_ns ? ns : run->last_ns;
}

/* Let operations of a rank start at `ns` at the earliest, those of its successors from `first` on. */
static int release_successors(struct run *run, struct traversal_rank *rank, uint32_t first,
			      uint32_t count, uint64_t ns)
{
	for (uint32_t i = first; i < first + count; i++) {
		const uint32_t index = goal_successor(rank->block, i);
		const uint8_t *record = rank->block->ops + (size_t)index * GOAL_OP_BYTES;
		struct slot *slot;

		TRY(traversal_rank_reach(rank, index, run->err));
		slot = traversal_slot(rank, index);
		slot->in.first.ns = ns > slot->in.first.ns ? ns : slot->in.first.ns;
		/* A record begins with the number of dependencies. */
		if (++slot->in.arrived != goal_load32(record) || index >= rank->read)
			continue;
		traversal_make_ready(&run->ranks, rank, slot, index);
	}
	return 0;
}

/* End a receive, if its send and it have started. */
static int try_receive(struct run *run, uint32_t number)
{
	struct message *message = &run->messages.list.items[number];
	const struct channel *channel = &run->messages.channels.items[message->channel];
	struct traversal_rank *to = &run->ranks.of[channel_destination(channel)];
	const uint64_t post_ns = message->in.first.ns, sent_ns = message->sent.ns;
	const uint64_t ns = post_ns > sent_ns ? post_ns : sent_ns;

	if (message->in.arrived + message->has_sent < 2)
		return 0;
	end_at(run, ns);
	TRY(release_successors(run, to, message->requires_first, message->requires_count, ns));
	traversal_message_free(&run->messages, number);
	return 0;
}

/* Let an operation start at `ns`: note that in its message, or let it end. */
static int begin(struct run *run, struct traversal_rank *rank, const struct goal_op *op,
		 uint32_t number, uint64_t ns)
{
	const uint64_t end_ns = op->kind == GOAL_CALC ? end_of_calc(run, ns, op->size) : ns;
	struct message *message = &run->messages.list.items[number];

	TRY(release_successors(run, rank, op->irequires_first, op->irequires_count, end_ns));
	if (op->kind == GOAL_RECV) {
		message->requires_first = op->requires_first;
		message->requires_count = op->requires_count;
		message->in.first.ns = ns;
		message->in.arrived = 1;
		return try_receive(run, number);
	}
	end_at(run, end_ns);
	TRY(release_successors(run, rank, op->requires_first, op->requires_count, end_ns));
	if (op->kind == GOAL_CALC)
		return 0;
	message->has_sent = true;
	message->sent.ns = ns;
	return try_receive(run, number);
}

/* Start an operation, all edges into which are there. */
static int start(struct run *run, struct traversal_rank *rank, uint32_t index)
{
	const struct slot *slot = traversal_slot(rank, index);
	const struct goal_op op = goal_op(rank->block, index);
	const uint64_t ns = slot->in.first.ns;
	const uint32_t message = slot->message;

	traversal_rank_start(rank, index);
	run->started++;
	return begin(run, rank, &op, message, ns);
}

/* Find the message of an operation that was read. */
static int read_message(struct run *run, struct traversal_rank *rank, uint32_t index,
			const struct goal_op *op, uint32_t *number)
{
	const uint32_t own = traversal_rank_number(&run->ranks, rank);
	const bool sends = op->kind == GOAL_SEND;

	*number = traversal_message_of(&run->messages, &rank->last_channel[sends], index, sends,
				       sends ? own : op->peer,
				       destination_tag(sends ? op->peer : own, op->tag));
	return *number ? 0 : -1;
}

/* Read the next operation of a rank, and start it if it waits for nothing. */
static int read_next(struct run *run, struct traversal_rank *rank)
{
	const uint32_t index = rank->read++;
	const struct goal_op op = goal_op(rank->block, index);
	struct slot *slot;

	TRY(traversal_rank_reach(rank, index, run->err));
	slot = traversal_slot(rank, index);
	if (op.kind != GOAL_CALC) {
		run->any |= op.peer == GOAL_ANY || op.tag == GOAL_ANY;
		if (run->any)
			return 0;
		TRY(read_message(run, rank, index, &op, &slot->message));
	}
	return slot->in.arrived == op.dependencies ? start(run, rank, index) : 0;
}

/* Let a rank go on until it has to wait, or for some operations. */
static int take_turn(struct run *run, struct traversal_rank *rank)
{
	traversal_prefetch(&run->ranks);
	for (int ops = 0; ops < TURN_OPS && !run->any; ops++) {
		if (rank->ready) {
			TRY(start(run, rank, traversal_take_ready(rank)));
		} else if (traversal_may_read(rank, run->ahead)) {
			TRY(read_next(run, rank));
		} else {
			rank->awake = false;
			return 0;
		}
	}
	rank->awake = false;
	traversal_wake(&run->ranks, rank);
	return 0;
}

static int run_all(struct run *run)
{
	TRY(traversal_ranks_init(&run->ranks, run->goal, 0, run->goal->rank_count, run->err));
	TRY(traversal_messages_init(&run->messages, run->err));
	for (uint32_t i = 0; i < run->ranks.count; i++)
		traversal_wake(&run->ranks, &run->ranks.of[i]);
	while (run->ranks.queued && !run->any) {
		TRY(take_turn(run, traversal_next(&run->ranks)));
		progress_show(run->started, run->goal->op_count);
		if (run->ranks.queued)
			continue;
		run->ahead = run->ahead ? 2 * run->ahead : FIRST_AHEAD;
		traversal_read_further(&run->ranks);
	}
	return run->any || run->messages.halves || run->started < run->goal->op_count;
}

int computation_find(struct computation *computation, const struct goal *goal, struct error *err)
{
	struct run run = {.goal = goal, .err = err};
	int result;

	progress_phase("traversing the program");
	result = run_all(&run);
	*computation = (struct computation){run.last_ns, run.messages.count, run.too_long};
	traversal_ranks_release(&run.ranks);
	traversal_messages_release(&run.messages);
	return result;
}
