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

struct walk {
	const struct execution *execution;
	uint32_t *waiting;		/* for how much an operation waits; WALK_STARTED */
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
	if (edge->target == TARGET_START && --walk->waiting[edge->to] == 0)
		walk_enqueue(walk, edge->to, edge->rank);
}

/* The operation that comes up soon: get it into the cache. */
static inline void walk_prefetch_(const struct walk *walk)
{
	enum { AHEAD = 6 };
	struct walk_entry entry;
	const struct goal_block *block;

	if (walk->tail - walk->head <= AHEAD)
		return;
	entry = walk->queue[(walk->head + AHEAD) & walk->queue_mask];
	block = &walk->execution->goal->ranks[entry.rank];
	__builtin_prefetch(block->ops + (size_t)(entry.number - block->first_op) * GOAL_OP_BYTES);
	__builtin_prefetch(&walk->waiting[entry.number]);
	__builtin_prefetch(&walk->execution->matching.partner[entry.number]);
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
	walk->waiting[at->number] = WALK_STARTED;
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

	if (walk->waiting[execution->matching.partner[half->number]] != WALK_STARTED)
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
