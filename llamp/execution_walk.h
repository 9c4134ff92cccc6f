/*
 * Visiting the instants of an execution in topological order, without storing it.
 *
 * First in, first out: instants that are ready at the same time are visited in the
 * order in which they became so, which takes all ranks forward together and keeps
 * what the visitor holds for instants to come small.  12 bytes per operation with
 * the matching, while it lasts.
 */
#ifndef LLAMP_EXECUTION_WALK_H
#define LLAMP_EXECUTION_WALK_H

#include "common/array.h"
#include "common/progress.h"
#include "llamp/execution.h"

struct walk_visitor {
	/*
	 * All edges into the instant have been visited; those out of it follow,
	 * `edges` of them.  `sender` is the other half of the message of a meeting.
	 * 0, or -1 to stop.
	 */
	int (*open)(void *context, struct instant at, uint32_t sender, uint32_t edges);
	edge_visitor *edge;
};

/* A start that nothing is left to wait for. */
struct walk_entry {
	uint32_t number, rank;
};

#define WALK_STARTED UINT32_MAX

/* What is known of an operation, in one place for it is needed together. */
struct walk_op {
	uint32_t waiting;	/* for how many edges; WALK_STARTED */
	uint32_t note;		/* the visitor's: 0 at first */
};

struct walk {
	const struct execution *execution;
	struct walk_op *ops;
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
	if (edge->target == TARGET_START && --walk->ops[edge->to].waiting == 0)
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
	__builtin_prefetch(&walk->ops[number]);
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
		walk_prefetch_op_(walk, goal_load32(walk_record_(walk, entry.rank, entry.number) + 5),
				  partner[entry.number]);

}

/* How many edges lead out of the start of an operation. */
static inline uint32_t walk_start_edges_(const struct execution *execution,
					 const struct located *at)
{
	uint32_t edges = at->op.irequires_count + (at->op.kind != GOAL_CALC);

	if (ends_by_itself(execution, &at->op))
		edges += at->op.requires_count;
	if (at->op.kind == GOAL_SEND && execution->gap_first)
		edges += 2 * (execution->gap_first[at->number + 1] -
			      execution->gap_first[at->number]);
	return edges ? edges : 1;
}

EXECUTION_INLINE int walk_start_(struct walk *walk, const struct located *at)
{
	walk->ops[at->number].waiting = WALK_STARTED;
	walk->opened++;
	if (walk->visitor->open(walk->context, (struct instant){at->number, false}, at->number,
				walk_start_edges_(walk->execution, at)) < 0)
		return -1;
	execution_edges_of_start(walk->execution, at, walk_edge_, walk);
	return 0;
}

/* Visit the meeting of a message if both of its operations have started. */
EXECUTION_INLINE int walk_meeting_(struct walk *walk, const struct located *half)
{
	const struct execution *execution = walk->execution;
	struct located send, recv;
	uint32_t edges;

	if (walk->ops[execution->matching.partner[half->number]].waiting != WALK_STARTED)
		return 0;
	execution_message(execution, half, &send, &recv);
	edges = recv.op.requires_count ? recv.op.requires_count : 1;
	if (message_is_rendezvous(execution->loggps, send.op.size))
		edges += send.op.requires_count ? send.op.requires_count : 1;
	walk->opened++;
	if (walk->visitor->open(walk->context, (struct instant){recv.number, true}, send.number,
				edges) < 0)
		return -1;
	execution_edges_of_meeting(execution, &send, &recv, walk_edge_, walk);
	return 0;
}

/* How many there are to visit. */
static inline uint64_t walk_instants_(const struct walk *walk)
{
	return (uint64_t)walk->execution->goal->op_count + walk->execution->matching.message_count;
}

/*
 * Visit all instants but the end of the program.  0 also if there is a cycle, see
 * walk_complete; -1 if the visitor stops or memory is short.  Inline, so that the
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
		if (walk_start_(walk, &at) < 0)
			return -1;
		if (at.op.kind != GOAL_CALC && walk_meeting_(walk, &at) < 0)
			return -1;
		if (walk->failed)
			return -1;
	}
	return 0;
}

#endif
