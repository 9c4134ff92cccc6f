#include "llamp/graph/traversal.h"

#include "common/progress.h"
#include "llamp/graph/traversal_messages.h"

#include <string.h>

enum {
	TURN_OPS = 64,	 /* operations that a rank reads before it is another one's turn */
	FIRST_AHEAD = 64 /* operations that ranks read beyond one that waits, see traversal.h */
};

/* Expressions of the costs of a message, which depend on its size and class. */
struct message_costs {
	uint64_t bytes;
	uint32_t class;
	uint32_t busy, message; /* from the start of the send to its successors, and to the match */
	uint32_t recv, send;	/* from the match to the end of the receive and of the send */
	bool is_set;
};

enum { MESSAGE_COSTS = 1024 };

struct traversal {
	const struct goal *goal;
	const struct loggps *loggps;
	const struct execution_graph *gaps; /* NULL: no gaps */
	uint8_t *gaps_before;		    /* [operation]: edges of gaps into its start */
	struct message_classes classes, own_classes;
	struct traversal_ranks ranks;
	struct traversal_messages messages;
	struct traversal_edges edges;
	uint32_t *partner;	     /* [operation]: as in struct goal_matching; NULL: not wanted */
	struct message_costs *costs; /* of sizes and classes that were used last */
	uint32_t ahead;
	uint32_t started; /* number of operations */
	bool any;	  /* a receive from any source or with any tag was read */
	struct error *err;
};

/* An operation that can start. */
struct starting {
	struct traversal_rank *rank;
	uint32_t index, message;
};

/* ------------------------------------------------------------------------ costs */

/* Class of the message of a send. */
static inline uint32_t class_of(const struct traversal *traversal, uint32_t number)
{
	return traversal->classes.of_op ? traversal->classes.of_op[number] : 0;
}

/* Find the expressions of the costs of a message, and remember them. */
static const struct message_costs *find_costs(struct traversal *traversal, uint64_t bytes,
					      uint32_t class)
{
	struct message_costs *known = &traversal->costs[(bytes * 61 + class) % MESSAGE_COSTS];
	struct cost_expressions *expressions = &traversal->edges.writer.expressions;
	const struct loggps *loggps = traversal->loggps;
	const struct goal_op send = {.kind = GOAL_SEND, .size = bytes};
	const struct cost busy = cost_busy(loggps, &send, class);
	const struct cost message = cost_message(loggps, bytes, class);
	const struct cost after_recv = cost_after_match(loggps, bytes, class, GOAL_RECV);
	const struct cost after_send = cost_after_match(loggps, bytes, class, GOAL_SEND);

	*known = (struct message_costs){
		.bytes = bytes,
		.class = class,
		.busy = cost_expressions_of(expressions, &busy),
		.message = cost_expressions_of(expressions, &message),
		.recv = cost_expressions_of(expressions, &after_recv),
		.send = cost_expressions_of(expressions, &after_send),
		.is_set = true,
	};
	return known;
}

/* Find the expressions of the costs of a message. */
static inline const struct message_costs *costs_of(struct traversal *traversal, uint64_t bytes,
						   uint32_t class)
{
	const struct message_costs *known = &traversal->costs[(bytes * 61 + class) % MESSAGE_COSTS];

	if (known->is_set && known->bytes == bytes && known->class == class)
		return known;
	return find_costs(traversal, bytes, class);
}

/* ---------------------------------------------------------- edges out of events */

/* Number of edges into the start of an operation. */
static inline uint32_t awaited(const struct traversal *traversal, const struct traversal_rank *rank,
			       uint32_t index)
{
	const uint32_t dependencies = goal_load32(rank->block->ops + (size_t)index * GOAL_OP_BYTES);

	return traversal->gaps_before
		       ? dependencies + traversal->gaps_before[rank->block->first_op + index]
		       : dependencies;
}

/* Note an edge into the start of an operation. */
static inline void note_arrival(struct traversal *traversal, struct traversal_rank *rank,
				uint32_t index, struct slot *slot)
{
	if (index >= rank->read || slot->in.arrived != awaited(traversal, rank, index))
		return;
	slot->next = rank->ready;
	rank->ready = index + 1;
	traversal_wake(&traversal->ranks, rank);
}

/* Lead the edges into the open event on to the start of an operation. */
static inline int lead_to(struct traversal *traversal, struct traversal_rank *rank, uint32_t index,
			  uint64_t ns, uint32_t expression)
{
	struct slot *slot;

	TRY(traversal_rank_reach(rank, index, traversal->err));
	slot = traversal_slot(rank, index);
	TRY(traversal_lead(&traversal->edges, &slot->in, ns, expression));
	note_arrival(traversal, rank, index, slot);
	return 0;
}

/* Lead them to the successors from `first` on. */
static inline int lead_to_all(struct traversal *traversal, struct traversal_rank *rank,
			      uint32_t first, uint32_t count, uint64_t ns, uint32_t expression)
{
	struct way way;

	if (count == 1 || traversal->edges.count > 1) {
		for (uint32_t i = first; i < first + count; i++)
			TRY(lead_to(traversal, rank, goal_successor(rank->block, i), ns,
				    expression));
		return 0;
	}
	TRY(traversal_extend(&traversal->edges, ns, expression, &way));
	for (uint32_t i = first; i < first + count; i++) {
		const uint32_t index = goal_successor(rank->block, i);
		struct slot *slot;

		TRY(traversal_rank_reach(rank, index, traversal->err));
		slot = traversal_slot(rank, index);
		TRY(traversal_add(&traversal->edges, &slot->in, way));
		note_arrival(traversal, rank, index, slot);
	}
	return 0;
}

/* Lead the edges out of the end of an operation to those that require it, or to the end. */
static inline int lead_from_end(struct traversal *traversal, struct traversal_rank *rank,
				uint32_t first, uint32_t count, uint64_t ns, uint32_t expression)
{
	if (count)
		return lead_to_all(traversal, rank, first, count, ns, expression);
	return traversal_lead(&traversal->edges, &traversal->ranks.ends[rank - traversal->ranks.of],
			      ns, expression);
}

/* --------------------------------------------------------------------- messages */

/* Open the match of a message, with all edges into it. */
static inline int open_match(struct traversal *traversal, struct message *message, uint32_t number,
			     uint32_t uses)
{
	struct traversal_edges *edges = &traversal->edges;
	const uint32_t event = cost_event(number, EVENT_MATCH);

	if (message->has_sent && !message->in.others)
		return traversal_open_pair(edges, message->in.first, message->sent, event, uses);
	if (message->has_sent)
		TRY(traversal_add_(edges, &message->in, message->sent));
	return traversal_open(edges, &message->in, event, uses);
}

/* Lead the edges into the match of a message by rendezvous on to the end of its send. */
static int lead_to_sender(struct traversal *traversal, const struct message *message,
			  uint32_t expression)
{
	struct traversal_rank *from =
		&traversal->ranks.of[traversal->messages.channels.items[message->channel].source];
	const struct goal_op send = goal_op(from->block, message->send);

	return lead_from_end(traversal, from, send.requires_first, send.requires_count, 0,
			     expression);
}

/* Note the two operations of a message. */
static void note_partners(const struct traversal *traversal, const struct message *message)
{
	const struct channel *channel = &traversal->messages.channels.items[message->channel];
	const struct goal_block *ranks = traversal->goal->ranks;
	const uint32_t send = ranks[channel->source].first_op + message->send;
	const uint32_t recv = ranks[channel_destination(channel)].first_op + message->recv;

	traversal->partner[send] = recv;
	traversal->partner[recv] = send;
}

/* Both halves of a message have started. */
static int match(struct traversal *traversal, struct message *message)
{
	const struct channel *channel = &traversal->messages.channels.items[message->channel];
	struct traversal_rank *to = &traversal->ranks.of[channel_destination(channel)];
	const struct message_costs *costs = costs_of(traversal, message->bytes, message->class);
	const bool rendezvous = message_is_rendezvous(traversal->loggps, message->bytes);
	const uint32_t count = message->requires_count;

	if (traversal->partner)
		note_partners(traversal, message);
	TRY(open_match(traversal, message, to->block->first_op + message->recv,
		       rendezvous ? 2
		       : count	  ? count
				  : 1));
	TRY(lead_from_end(traversal, to, message->requires_first, count, 0, costs->recv));
	return rendezvous ? lead_to_sender(traversal, message, costs->send) : 0;
}

/* Match a message if both halves have started. */
static inline int try_match(struct traversal *traversal, uint32_t number)
{
	struct message *message = &traversal->messages.list.items[number];

	if (message->in.arrived + message->has_sent < 2)
		return 0;
	TRY(match(traversal, message));
	traversal_message_free(&traversal->messages, number);
	return 0;
}

/* ------------------------------------------------------------------- operations */

/* Lead the edges into the start of a send on to those that the gap keeps apart from it. */
static int lead_to_gaps(struct traversal *traversal, const struct starting *at, uint32_t number,
			uint64_t bytes)
{
	const struct execution_graph *gaps = traversal->gaps;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER,
				      .bytes = bytes,
				      .class = class_of(traversal, number)};
	struct cost_expressions *expressions = &traversal->edges.writer.expressions;
	const uint32_t gap_expression = cost_expressions_of(expressions, &gap);
	const uint32_t transfer_expression = cost_expressions_of(expressions, &transfer);

	for (uint32_t k = gaps->gap_first[number]; k < gaps->gap_first[number + 1]; k++) {
		const uint32_t later = gaps->gap_later[k] - at->rank->block->first_op;

		TRY(lead_to(traversal, at->rank, later, 0, gap_expression));
		TRY(lead_to(traversal, at->rank, later, 0, transfer_expression));
	}
	return 0;
}

/* Take the edges into the start of an operation, which then has no slot any more. */
static inline int open_start(struct traversal *traversal, const struct starting *at, uint32_t uses)
{
	TRY(traversal_open(&traversal->edges, &traversal_slot(at->rank, at->index)->in,
			   cost_event(at->rank->block->first_op + at->index, EVENT_START), uses));
	traversal_rank_start(at->rank, at->index);
	traversal->started++;
	return 0;
}

static inline int start_calc(struct traversal *traversal, const struct starting *at,
			     const struct goal_op *op)
{
	const uint32_t successors = op->requires_count + op->irequires_count;

	TRY(open_start(traversal, at, successors ? successors : 1));
	if (op->irequires_count)
		TRY(lead_to_all(traversal, at->rank, op->irequires_first, op->irequires_count,
				op->size, EXPRESSION_NONE));
	return op->requires_count || !op->irequires_count
		       ? lead_from_end(traversal, at->rank, op->requires_first, op->requires_count,
				       op->size, EXPRESSION_NONE)
		       : 0;
}

static inline int start_recv(struct traversal *traversal, const struct starting *at,
			     const struct goal_op *op)
{
	struct message *message = &traversal->messages.list.items[at->message];

	TRY(open_start(traversal, at, 1 + op->irequires_count));
	if (op->irequires_count)
		TRY(lead_to_all(traversal, at->rank, op->irequires_first, op->irequires_count, 0,
				EXPRESSION_NONE));
	message->requires_first = op->requires_first;
	message->requires_count = op->requires_count;
	TRY(traversal_lead(&traversal->edges, &message->in, 0, EXPRESSION_NONE));
	return try_match(traversal, at->message);
}

/* Lead the edges into the start of a send on to the match of its message. */
static inline int send_message(struct traversal *traversal, uint32_t number, uint64_t bytes,
			       const struct message_costs *costs)
{
	struct message *message = &traversal->messages.list.items[number];

	message->bytes = bytes;
	message->class = costs->class;
	if (traversal->edges.count > 1)
		return traversal_lead(&traversal->edges, &message->in, 0, costs->message);
	message->has_sent = true;
	return traversal_extend(&traversal->edges, 0, costs->message, &message->sent);
}

static inline int start_send(struct traversal *traversal, const struct starting *at,
			     const struct goal_op *op)
{
	const uint32_t number = at->rank->block->first_op + at->index;
	const struct message_costs *costs = costs_of(traversal, op->size,
						     class_of(traversal, number));
	const uint32_t *gap_first = traversal->gaps ? traversal->gaps->gap_first : NULL;
	const bool eager = !message_is_rendezvous(traversal->loggps, op->size);
	uint32_t uses = 1 + op->irequires_count + (eager ? op->requires_count : 0);

	if (gap_first)
		uses += 2 * (gap_first[number + 1] - gap_first[number]);
	TRY(open_start(traversal, at, uses));
	if (op->irequires_count)
		TRY(lead_to_all(traversal, at->rank, op->irequires_first, op->irequires_count, 0,
				costs->busy));
	if (eager && op->requires_count)
		TRY(lead_to_all(traversal, at->rank, op->requires_first, op->requires_count, 0,
				costs->busy));
	if (gap_first)
		TRY(lead_to_gaps(traversal, at, number, op->size));
	TRY(send_message(traversal, at->message, op->size, costs));
	return try_match(traversal, at->message);
}

/* Start an operation, all edges into which are there. */
static inline int start(struct traversal *traversal, const struct starting *at)
{
	const struct goal_op op = goal_op(at->rank->block, at->index);

	switch (op.kind) {
	case GOAL_SEND:
		return start_send(traversal, at, &op);
	case GOAL_RECV:
		return start_recv(traversal, at, &op);
	default:
		return start_calc(traversal, at, &op);
	}
}

/* Start the operation of a list of those that were read. */
static int start_ready(struct traversal *traversal, struct traversal_rank *rank)
{
	const uint32_t index = rank->ready - 1;
	const struct slot *slot = traversal_slot(rank, index);
	const struct starting at = {rank, index, slot->message};

	rank->ready = slot->next;
	return start(traversal, &at);
}

/* Read the next operation of a rank, and start it if it waits for nothing. */
static int read_next(struct traversal *traversal, struct traversal_rank *rank)
{
	const uint32_t index = rank->read;
	const struct goal_op op = goal_op(rank->block, index);
	struct starting at = {rank, index, 0};
	struct slot *slot;

	TRY(traversal_rank_reach(rank, index, traversal->err));
	slot = traversal_slot(rank, index);
	rank->read++;
	if (op.kind != GOAL_CALC) {
		traversal->any |= op.peer == GOAL_ANY || op.tag == GOAL_ANY;
		if (traversal->any)
			return 0;
		at.message = traversal_message_of(&traversal->messages, rank,
						  (uint32_t)(rank - traversal->ranks.of), index,
						  op.kind == GOAL_SEND, op.peer, op.tag);
		if (!at.message)
			return -1;
		slot->message = at.message;
	}
	return slot->in.arrived == awaited(traversal, rank, index) ? start(traversal, &at) : 0;
}

/* ------------------------------------------------------------------------ turns */

/* Whether a rank may read another operation. */
static inline bool may_read(const struct traversal *traversal, const struct traversal_rank *rank)
{
	return rank->read < rank->block->op_count && rank->read - rank->first <= traversal->ahead;
}

/*
 * Prefetch what the rank after the next one reads first.  Processors do not foresee that many
 * streams.
 */
static inline void prefetch_turn(const struct traversal_ranks *ranks)
{
	enum { LINES = 6, LINE_BYTES = 64 };
	const struct traversal_rank *later = traversal_later(ranks, 2);
	const struct traversal_rank *next = traversal_later(ranks, 1);
	const uint8_t *record = next->block->ops + (size_t)next->read * GOAL_OP_BYTES;

	__builtin_prefetch(later);
	__builtin_prefetch(later->block);
	for (int i = 0; i < LINES; i++)
		__builtin_prefetch(record + i * LINE_BYTES);
	__builtin_prefetch(traversal_slot(next, next->read), 1);
}

/* Let a rank go on until it has to wait, or for some operations. */
static int take_turn(struct traversal *traversal, struct traversal_rank *rank)
{
	if (traversal->ranks.queued > 2)
		prefetch_turn(&traversal->ranks);
	for (int ops = 0; ops < TURN_OPS; ops++) {
		if (rank->ready) {
			TRY(start_ready(traversal, rank));
		} else if (may_read(traversal, rank)) {
			TRY(read_next(traversal, rank));
		} else {
			rank->awake = false;
			return 0;
		}
	}
	rank->awake = false;
	traversal_wake(&traversal->ranks, rank);
	return 0;
}

/* All ranks wait: let them read on.  False if they have read everything. */
static bool read_further(struct traversal *traversal)
{
	traversal->ahead = traversal->ahead ? 2 * traversal->ahead : FIRST_AHEAD;
	for (uint32_t i = 0; i < traversal->ranks.count; i++)
		if (traversal->ranks.of[i].read < traversal->ranks.of[i].block->op_count)
			traversal_wake(&traversal->ranks, &traversal->ranks.of[i]);
	return traversal->ranks.queued > 0;
}

static int traversal_all(struct traversal *traversal)
{
	const uint32_t op_count = traversal->goal->op_count;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < traversal->ranks.count; i++)
		traversal_wake(&traversal->ranks, &traversal->ranks.of[i]);
	while (traversal->ranks.queued || read_further(traversal)) {
		TRY(take_turn(traversal, traversal_next(&traversal->ranks)));
		if (traversal->any)
			return 1;
		if (traversal->started - shown < 1 << 16)
			continue;
		shown = traversal->started;
		progress_show(shown, op_count);
	}
	return traversal->started < op_count || traversal->messages.halves ? 1 : 0;
}

/* ------------------------------------------------------------------------- whole */

static int init_gaps(struct traversal *traversal)
{
	const struct execution_graph *gaps = traversal->gaps;
	const uint32_t op_count = traversal->goal->op_count;

	if (!gaps)
		return 0;
	TRY(allocate(&traversal->gaps_before, op_count, sizeof *traversal->gaps_before,
		     traversal->err));
	for (uint32_t i = 0; i < gaps->gap_first[op_count]; i++)
		traversal->gaps_before[gaps->gap_later[i]] += 2;
	return 0;
}

/* Calcs are GOAL_UNMATCHED. */
static int init_partners(struct traversal *traversal)
{
	const size_t count = traversal->goal->op_count;

	TRY(allocate(&traversal->partner, count, sizeof *traversal->partner, traversal->err));
	memset(traversal->partner, 0xff, count * sizeof *traversal->partner);
	return 0;
}

static int traversal_init(struct traversal *traversal, const struct execution_graph *execution,
			  bool wants_matching)
{
	struct error *err = traversal->err;

	TRY(init_gaps(traversal));
	if (wants_matching)
		TRY(init_partners(traversal));
	if (execution && execution->classes.list) {
		traversal->classes = execution->classes;
	} else {
		TRY(message_classes_find(&traversal->own_classes, traversal->goal, NULL,
					 traversal->loggps, err));
		traversal->classes = traversal->own_classes;
	}
	TRY(traversal_ranks_init(&traversal->ranks, traversal->goal, err));
	TRY(traversal_messages_init(&traversal->messages, err));
	TRY(traversal_edges_init(&traversal->edges, err));
	edge_merge_limit(&traversal->edges.merge, traversal->goal->rank_count);
	TRY(allocate(&traversal->costs, MESSAGE_COSTS, sizeof *traversal->costs, err));
	return cost_expressions_use(&traversal->edges.writer.expressions, traversal->classes.list,
				    traversal->classes.count, err);
}

static void traversal_release(struct traversal *traversal)
{
	free(traversal->gaps_before);
	free(traversal->partner);
	free(traversal->costs);
	message_classes_release(&traversal->own_classes);
	traversal_ranks_release(&traversal->ranks);
	traversal_messages_release(&traversal->messages);
	traversal_edges_release(&traversal->edges);
}

int traversal_run(struct cost_graph *graph, struct goal_matching *matching, const struct goal *goal,
		  const struct loggps *loggps, const struct execution_graph *execution,
		  struct error *err)
{
	struct traversal traversal = {.goal = goal,
				      .loggps = loggps,
				      .gaps = execution && execution->gap_first ? execution : NULL,
				      .err = err};
	int result = traversal_init(&traversal, execution, matching != NULL);

	if (result == 0)
		result = traversal_all(&traversal);
	if (result == 0)
		result = traversal_write_end(&traversal.edges, traversal.ranks.ends,
					     goal->rank_count);
	if (result == 0)
		result = cost_writer_finish(&traversal.edges.writer, graph, err);
	if (result == 0) {
		graph->op_count = goal->op_count;
		graph->message_count = traversal.messages.count;
	}
	if (result == 0 && matching) {
		*matching = (struct goal_matching){traversal.partner, traversal.messages.count};
		traversal.partner = NULL;
	}
	traversal_release(&traversal);
	return result;
}
