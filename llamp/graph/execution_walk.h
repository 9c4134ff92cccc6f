/*
 * Visiting the instants of an execution in topological order, without storing it.
 *
 * First in, first out: instants that are ready at the same time are visited in the
 * order in which they became so, which takes all ranks forward together and keeps
 * what the visitor holds for instants to come small.  8 bytes per operation with
 * the matching, while it lasts.
 */
#ifndef LLAMP_EXECUTION_WALK_H
#define LLAMP_EXECUTION_WALK_H

#include "common/array.h"
#include "common/progress.h"
#include "llamp/graph/execution.h"

struct walk_visitor {
	/*
	 * All edges into the instant have been visited; those out of it follow.
	 * `sender` is the other half of the message of a meeting.
	 */
	void (*open)(void *context, struct instant at, uint32_t sender);
	edge_visitor *edge;
};

/* A start that nothing is left to wait for. */
struct walk_entry {
	uint32_t number, rank;
};

#define WALK_STARTED UINT32_MAX

struct walk {
	const struct execution *execution;
	uint32_t *waiting;		/* every operation for how many edges; WALK_STARTED */
	struct walk_entry *queue;	/* a ring of queue_mask + 1 entries */
	size_t queue_mask, head, tail;
	uint64_t opened;		/* instants that were visited */
	const struct walk_visitor *visitor;
	void *context;
	bool failed;			/* no memory for the queue: *err says so */
	struct error *err;
};

/* Find the operations that wait for none.  End with walk_release also on failure. */
int walk_init(struct walk *walk, const struct execution *execution, struct error *err);
void walk_release(struct walk *walk);

/* Init, and visit all instants for nothing but to know whether that can be done. */
int walk_all(struct walk *walk, const struct execution *execution, struct error *err);

/* Whether everything was visited: if not, there is a cycle. */
bool walk_complete(const struct walk *walk);

/* Name the operations on a cycle after a walk that is not complete; returns -1. */
int walk_cycle_error(const struct walk *walk, struct error *err);

int walk_grow_(struct walk *walk);

static inline void walk_enqueue(struct walk *walk, uint32_t number, uint32_t rank)
{
	if (walk->tail - walk->head > walk->queue_mask && walk_grow_(walk) < 0) {
		walk->failed = true;
		return;
	}
	walk->queue[walk->tail++ & walk->queue_mask] = (struct walk_entry){number, rank};
}

EXECUTION_INLINE void walk_edge_(void *context, const struct edge *edge)
{
	struct walk *walk = context;

	walk->visitor->edge(walk->context, edge);
	if (edge->target == TARGET_START && --walk->waiting[edge->to] == 0)
		walk_enqueue(walk, edge->to, edge->rank);
}

static inline const uint8_t *walk_record_(const struct walk *walk, uint32_t rank, uint32_t number)
{
	const struct goal_block *block = &walk->execution->goal->ranks[rank];

	return block->ops + (size_t)(number - block->first_op) * GOAL_OP_BYTES;
}

/* Where an operation lies, and what is known of it. */
static inline void walk_prefetch_op_(const struct walk *walk, uint32_t rank, uint32_t number)
{
	const uint8_t *record = walk_record_(walk, rank, number);

	__builtin_prefetch(record);
	__builtin_prefetch(record + GOAL_OP_BYTES - 1);
	__builtin_prefetch(&walk->waiting[number]);
}

/* Whom it leads to. */
static inline void walk_prefetch_successors_(const struct walk *walk, uint32_t rank,
					     uint32_t number)
{
	const uint8_t *record = walk_record_(walk, rank, number);

	__builtin_prefetch(walk->execution->goal->ranks[rank].successors +
			   4 * (size_t)goal_load32(record + 27));
}

/*
 * Ranks are many places in memory: get what comes up soon into the cache, one after
 * the other what leads to the next.
 */
static inline void walk_prefetch_(const struct walk *walk)
{
	enum { FAR = 16, MIDDLE = 6 };
	const uint32_t *partner = walk->execution->matching.partner;
	struct walk_entry entry;

	if (walk->tail - walk->head <= FAR)
		return;
	entry = walk->queue[(walk->head + FAR) & walk->queue_mask];
	walk_prefetch_op_(walk, entry.rank, entry.number);
	__builtin_prefetch(&partner[entry.number]);

	entry = walk->queue[(walk->head + MIDDLE) & walk->queue_mask];
	walk_prefetch_successors_(walk, entry.rank, entry.number);
	if (partner[entry.number] != GOAL_UNMATCHED)
		walk_prefetch_op_(walk,
				  goal_load32(walk_record_(walk, entry.rank, entry.number) + 5),
				  partner[entry.number]);

}

EXECUTION_INLINE void walk_start_(struct walk *walk, const struct located *at)
{
	walk->waiting[at->number] = WALK_STARTED;
	walk->opened++;
	walk->visitor->open(walk->context, (struct instant){at->number, false}, at->number);
	execution_edges_of_start(walk->execution, at, walk_edge_, walk);
}

/* Visit the meeting of a message if both of its operations have started. */
EXECUTION_INLINE void walk_meeting_(struct walk *walk, const struct located *half)
{
	const struct execution *execution = walk->execution;
	struct located send, recv;

	if (walk->waiting[execution->matching.partner[half->number]] != WALK_STARTED)
		return;
	execution_message(execution, half, &send, &recv);
	walk->opened++;
	walk->visitor->open(walk->context, (struct instant){recv.number, true}, send.number);
	execution_edges_of_meeting(execution, &send, &recv, walk_edge_, walk);
}

/* How many there are to visit. */
static inline uint64_t walk_instants_(const struct walk *walk)
{
	return (uint64_t)walk->execution->goal->op_count + walk->execution->matching.message_count;
}

/*
 * Visit all instants but the end of the program.  0 also if there is a cycle, see
 * walk_complete; -1 if memory is short.  Inline, so that the
 * visitor, which must be a constant, is.
 */
EXECUTION_INLINE int walk_run(struct walk *walk, const struct walk_visitor *visitor,
			      void *context)
{
	walk->visitor = visitor;
	walk->context = context;
	while (walk->head != walk->tail) {
		const struct walk_entry entry = walk->queue[walk->head & walk->queue_mask];
		struct located at;

		walk_prefetch_(walk);
		walk->head++;
		/* Now and then, wherever these operations come. */
		if ((entry.number & 0xffff) == 0)
			progress_show(walk->opened, walk_instants_(walk));
		at = execution_locate(walk->execution, entry.rank, entry.number);
		walk_start_(walk, &at);
		if (at.op.kind != GOAL_CALC)
			walk_meeting_(walk, &at);
		if (walk->failed)
			return -1;
	}
	return 0;
}

#endif
