#include "llamp/traversal/traversal_part.h"

#include <string.h>

enum { MESSAGE_COSTS = 1024 };

/* Number of the message of a send that starts when it is read, and whose receiver another part has. */
enum { MESSAGE_ELSEWHERE = 0 };

/* An operation that can start. */
struct starting {
	struct traversal_rank *rank;
	uint32_t index, message;
};

/* ------------------------------------------------------------------------ costs */

/* Class of the message of a send. */
static inline uint32_t class_of(const struct traversal_part *part, uint32_t number)
{
	return part->input->classes.of_op ? part->input->classes.of_op[number] : 0;
}

/* Find the expressions of the costs of a message, and remember them. */
static const struct message_costs *find_costs(struct traversal_part *part, uint64_t bytes,
					      uint32_t class)
{
	struct message_costs *known = &part->costs[(bytes * 61 + class) % MESSAGE_COSTS];
	struct cost_expressions *expressions = &part->edges.writer.expressions;
	const struct loggps *loggps = part->input->loggps;
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
static inline const struct message_costs *costs_of(struct traversal_part *part, uint64_t bytes,
						   uint32_t class)
{
	const struct message_costs *known = &part->costs[(bytes * 61 + class) % MESSAGE_COSTS];

	if (known->is_set && known->bytes == bytes && known->class == class)
		return known;
	return find_costs(part, bytes, class);
}

/* ---------------------------------------------------------- edges out of events */

/* Number of edges into the start of an operation. */
static inline uint32_t awaited(const struct traversal_part *part, const struct traversal_rank *rank,
			       uint32_t index)
{
	const uint32_t dependencies = goal_load32(rank->block->ops + (size_t)index * GOAL_OP_BYTES);

	return part->input->gaps_before
		       ? dependencies + part->input->gaps_before[rank->block->first_op + index]
		       : dependencies;
}

/* Note an edge into the start of an operation. */
static inline void note_arrival(struct traversal_part *part, struct traversal_rank *rank,
				uint32_t index, struct slot *slot)
{
	if (index < rank->read && slot->in.arrived == awaited(part, rank, index))
		traversal_make_ready(&part->ranks, rank, slot, index);
}

/* Lead the edges into the open event on to the start of an operation. */
static inline int lead_to(struct traversal_part *part, struct traversal_rank *rank, uint32_t index,
			  uint64_t ns, uint32_t expression)
{
	struct slot *slot;

	TRY(traversal_rank_reach(rank, index, &part->error));
	slot = traversal_slot(rank, index);
	TRY(traversal_lead(&part->edges, &slot->in, ns, expression));
	note_arrival(part, rank, index, slot);
	return 0;
}

/* Lead them to the successors from `first` on. */
static inline int lead_to_all(struct traversal_part *part, struct traversal_rank *rank,
			      uint32_t first, uint32_t count, uint64_t ns, uint32_t expression)
{
	struct way way;

	if (count == 1 || part->edges.count > 1) {
		for (uint32_t i = first; i < first + count; i++)
			TRY(lead_to(part, rank, goal_successor(rank->block, i), ns, expression));
		return 0;
	}
	TRY(traversal_extend(&part->edges, ns, expression, &way));
	for (uint32_t i = first; i < first + count; i++) {
		const uint32_t index = goal_successor(rank->block, i);
		struct slot *slot;

		TRY(traversal_rank_reach(rank, index, &part->error));
		slot = traversal_slot(rank, index);
		TRY(traversal_add(&part->edges, &slot->in, way));
		note_arrival(part, rank, index, slot);
	}
	return 0;
}

/* Lead the edges out of the end of an operation to those that require it, or to the end. */
static inline int lead_from_end(struct traversal_part *part, struct traversal_rank *rank,
				uint32_t first, uint32_t count, uint64_t ns, uint32_t expression)
{
	if (count)
		return lead_to_all(part, rank, first, count, ns, expression);
	return traversal_lead(&part->edges, &part->ranks.ends[rank - part->ranks.of], ns,
			      expression);
}

/* --------------------------------------------------------------------- messages */

/* Open the match of a message, with all edges into it. */
static inline int open_match(struct traversal_part *part, struct message *message, uint32_t number,
			     uint32_t uses)
{
	struct traversal_edges *edges = &part->edges;
	const uint32_t event = cost_event(number, EVENT_MATCH);

	if (message->has_sent && !message->in.others)
		return traversal_open_pair(edges, message->in.first, message->sent, event, uses);
	if (message->has_sent)
		TRY(traversal_add_(edges, &message->in, message->sent));
	return traversal_open(edges, &message->in, event, uses);
}

/* Add a crossing to the batch for the part of a rank. */
static int tell(struct traversal_part *part, uint32_t rank, const struct crossing *crossing)
{
	struct traversal_outbox *outbox = &part->outbox[part->input->part_of[rank]];

	return traversal_batch_add(&outbox->of[part->parity], crossing,
				   &part->edges.writer.expressions, &part->error);
}

/* As lead_to_sender, for a send of a rank of another part. */
static int tell_sender(struct traversal_part *part, uint32_t source, uint32_t send,
		       uint32_t expression)
{
	struct crossing crossing = {.from = source, .send = send, .kind = CROSSING_END};

	TRY(traversal_extend(&part->edges, 0, expression, &crossing.way));
	return tell(part, source, &crossing);
}

/* Lead the edges into the match of a message by rendezvous on to the end of its send. */
static int lead_to_sender(struct traversal_part *part, const struct message *message,
			  uint32_t expression)
{
	const uint32_t source = part->messages.channels.items[message->channel].source;
	struct traversal_rank *from;
	struct goal_op send;

	if (!traversal_has_rank(&part->ranks, source))
		return tell_sender(part, source, message->send, expression);
	from = &part->ranks.of[source - part->ranks.first];
	send = goal_op(from->block, message->send);
	return lead_from_end(part, from, send.requires_first, send.requires_count, 0, expression);
}

/* Note the two operations of a message. */
static void note_partners(const struct traversal_part *part, const struct message *message)
{
	const struct channel *channel = &part->messages.channels.items[message->channel];
	const struct goal_block *ranks = part->input->goal->ranks;
	const uint32_t send = ranks[channel->source].first_op + message->send;
	const uint32_t recv = ranks[channel_destination(channel)].first_op + message->recv;

	part->input->partner[send] = recv;
	part->input->partner[recv] = send;
}

/* Both halves of a message have started. */
static int match(struct traversal_part *part, struct message *message)
{
	const struct channel *channel = &part->messages.channels.items[message->channel];
	struct traversal_rank *to =
		&part->ranks.of[channel_destination(channel) - part->ranks.first];
	const struct message_costs *costs = costs_of(part, message->bytes, message->class);
	const bool rendezvous = message_is_rendezvous(part->input->loggps, message->bytes);
	const uint32_t count = message->requires_count;

	if (part->input->partner)
		note_partners(part, message);
	TRY(open_match(part, message, to->block->first_op + message->recv,
		       rendezvous ? 2
		       : count	  ? count
				  : 1));
	TRY(lead_from_end(part, to, message->requires_first, count, 0, costs->recv));
	return rendezvous ? lead_to_sender(part, message, costs->send) : 0;
}

/* Match a message if both halves have started. */
static inline int try_match(struct traversal_part *part, uint32_t number)
{
	struct message *message = &part->messages.list.items[number];

	if (message->in.arrived + message->has_sent < 2)
		return 0;
	TRY(match(part, message));
	traversal_message_free(&part->messages, number);
	return 0;
}

/* ------------------------------------------------------------------- operations */

/* Lead the edges into the start of a send on to those that the gap keeps apart from it. */
static int lead_to_gaps(struct traversal_part *part, const struct starting *at, uint32_t number,
			uint64_t bytes)
{
	const struct execution_graph *gaps = part->input->gaps;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER,
				      .bytes = bytes,
				      .class = class_of(part, number)};
	struct cost_expressions *expressions = &part->edges.writer.expressions;
	const uint32_t gap_expression = cost_expressions_of(expressions, &gap);
	const uint32_t transfer_expression = cost_expressions_of(expressions, &transfer);

	for (uint32_t k = gaps->gap_first[number]; k < gaps->gap_first[number + 1]; k++) {
		const uint32_t later = gaps->gap_later[k] - at->rank->block->first_op;

		TRY(lead_to(part, at->rank, later, 0, gap_expression));
		TRY(lead_to(part, at->rank, later, 0, transfer_expression));
	}
	return 0;
}

/* Take the edges into the start of an operation, which then has no slot any more. */
static inline int open_start(struct traversal_part *part, const struct starting *at, uint32_t uses)
{
	TRY(traversal_open(&part->edges, &traversal_slot(at->rank, at->index)->in,
			   cost_event(at->rank->block->first_op + at->index, EVENT_START), uses));
	traversal_rank_start(at->rank, at->index);
	part->started++;
	return 0;
}

static inline int start_calc(struct traversal_part *part, const struct starting *at,
			     const struct goal_op *op)
{
	const uint32_t successors = op->requires_count + op->irequires_count;

	TRY(open_start(part, at, successors ? successors : 1));
	if (op->irequires_count)
		TRY(lead_to_all(part, at->rank, op->irequires_first, op->irequires_count, op->size,
				EXPRESSION_NONE));
	return op->requires_count || !op->irequires_count
		       ? lead_from_end(part, at->rank, op->requires_first, op->requires_count,
				       op->size, EXPRESSION_NONE)
		       : 0;
}

static inline int start_recv(struct traversal_part *part, const struct starting *at,
			     const struct goal_op *op)
{
	struct message *message = &part->messages.list.items[at->message];

	TRY(open_start(part, at, 1 + op->irequires_count));
	if (op->irequires_count)
		TRY(lead_to_all(part, at->rank, op->irequires_first, op->irequires_count, 0,
				EXPRESSION_NONE));
	message->requires_first = op->requires_first;
	message->requires_count = op->requires_count;
	TRY(traversal_lead(&part->edges, &message->in, 0, EXPRESSION_NONE));
	return try_match(part, at->message);
}

/* Lead the edges into the start of a send on to the match of its message. */
static inline int send_message(struct traversal_part *part, uint32_t number, uint64_t bytes,
			       const struct message_costs *costs)
{
	struct message *message = &part->messages.list.items[number];

	message->bytes = bytes;
	message->class = costs->class;
	if (part->edges.count > 1)
		return traversal_lead(&part->edges, &message->in, 0, costs->message);
	message->has_sent = true;
	return traversal_extend(&part->edges, 0, costs->message, &message->sent);
}

/* The same for a message to another part.  One edge leads into the start of the send. */
static int send_elsewhere(struct traversal_part *part, const struct starting *at,
			  const struct goal_op *op, const struct message_costs *costs)
{
	struct crossing crossing = {
		.bytes = op->size,
		.class = costs->class,
		.from = traversal_rank_number(&part->ranks, at->rank),
		.to = op->peer,
		.tag = op->tag,
		.send = at->index,
		.kind = CROSSING_WHOLE,
	};

	TRY(traversal_extend(&part->edges, 0, costs->message, &crossing.way));
	if (at->message != MESSAGE_ELSEWHERE) {
		crossing.kind = CROSSING_START;
		crossing.handle = at->message;
		TRY(array_push(&part->unused_handles, at->message, &part->error));
	}
	return tell(part, op->peer, &crossing);
}

/* Number of edges out of the start of a send. */
static inline uint32_t uses_of_send(const struct traversal_part *part, uint32_t number,
				    const struct goal_op *op, bool eager, bool elsewhere)
{
	const uint32_t *gap_first = part->input->gaps ? part->input->gaps->gap_first : NULL;
	uint32_t uses = 1 + op->irequires_count + (eager ? op->requires_count : 0);

	if (gap_first)
		uses += 2 * (gap_first[number + 1] - gap_first[number]);
	/* What leads to another part is one edge. */
	return elsewhere && uses == 1 ? 2 : uses;
}

static inline int start_send(struct traversal_part *part, const struct starting *at,
			     const struct goal_op *op)
{
	const uint32_t number = at->rank->block->first_op + at->index;
	const struct message_costs *costs = costs_of(part, op->size, class_of(part, number));
	const bool eager = !message_is_rendezvous(part->input->loggps, op->size);
	const bool elsewhere = !traversal_has_rank(&part->ranks, op->peer);

	TRY(open_start(part, at, uses_of_send(part, number, op, eager, elsewhere)));
	if (op->irequires_count)
		TRY(lead_to_all(part, at->rank, op->irequires_first, op->irequires_count, 0,
				costs->busy));
	if (eager && op->requires_count)
		TRY(lead_to_all(part, at->rank, op->requires_first, op->requires_count, 0,
				costs->busy));
	if (part->input->gaps)
		TRY(lead_to_gaps(part, at, number, op->size));
	if (elsewhere)
		return send_elsewhere(part, at, op, costs);
	TRY(send_message(part, at->message, op->size, costs));
	return try_match(part, at->message);
}

/* Start an operation, all edges into which are there. */
static inline int start(struct traversal_part *part, const struct starting *at)
{
	const struct goal_op op = goal_op(at->rank->block, at->index);

	switch (op.kind) {
	case GOAL_SEND:
		return start_send(part, at, &op);
	case GOAL_RECV:
		return start_recv(part, at, &op);
	default:
		return start_calc(part, at, &op);
	}
}

/* Start the operation of a list of those that were read. */
static int start_ready(struct traversal_part *part, struct traversal_rank *rank)
{
	const uint32_t index = traversal_take_ready(rank);
	const struct starting at = {rank, index, traversal_slot(rank, index)->message};

	return start(part, &at);
}

/* A send to another part was read and cannot start yet: tell the other part of it. */
static int announce(struct traversal_part *part, const struct starting *at,
		    const struct goal_op *op, uint32_t *handle)
{
	if (part->unused_handles.count)
		*handle = part->unused_handles.items[--part->unused_handles.count];
	else
		*handle = ++part->handles;
	return tell(part, op->peer,
		    &(struct crossing){.from = traversal_rank_number(&part->ranks, at->rank),
				       .to = op->peer,
				       .tag = op->tag,
				       .send = at->index,
				       .handle = *handle,
				       .kind = CROSSING_READ});
}

/* Find the message of an operation that was read, and set at->message. */
static inline int read_message(struct traversal_part *part, struct starting *at,
			       const struct goal_op *op)
{
	const uint32_t own = traversal_rank_number(&part->ranks, at->rank);
	const bool sends = op->kind == GOAL_SEND;

	at->message = traversal_message_of(&part->messages, &at->rank->last_channel[sends],
					   at->index, sends, sends ? own : op->peer,
					   destination_tag(sends ? op->peer : own, op->tag));
	return at->message ? 0 : -1;
}

/* Read the next operation of a rank, and start it if it waits for nothing. */
static int read_next(struct traversal_part *part, struct traversal_rank *rank)
{
	const uint32_t index = rank->read;
	const struct goal_op op = goal_op(rank->block, index);
	struct starting at = {rank, index, 0};
	struct slot *slot;
	bool starts;

	TRY(traversal_rank_reach(rank, index, &part->error));
	slot = traversal_slot(rank, index);
	rank->read++;
	starts = slot->in.arrived == awaited(part, rank, index);
	if (op.kind != GOAL_CALC) {
		part->any |= op.peer == GOAL_ANY || op.tag == GOAL_ANY;
		if (part->any)
			return 0;
		if (op.kind == GOAL_RECV || traversal_has_rank(&part->ranks, op.peer))
			TRY(read_message(part, &at, &op));
		else if (!starts)
			TRY(announce(part, &at, &op, &at.message));
		slot->message = at.message;
	}
	return starts ? start(part, &at) : 0;
}

/* ------------------------------------------------------------------------ turns */

/* Let a rank go on until it has to wait, or for some operations. */
static int take_turn(struct traversal_part *part, struct traversal_rank *rank)
{
	traversal_prefetch(&part->ranks);
	for (int ops = 0; ops < TURN_OPS && !part->any; ops++) {
		if (rank->ready) {
			TRY(start_ready(part, rank));
		} else if (traversal_may_read(rank, part->ahead)) {
			TRY(read_next(part, rank));
		} else {
			rank->awake = false;
			return 0;
		}
	}
	rank->awake = false;
	traversal_wake(&part->ranks, rank);
	return 0;
}

void traversal_part_read_further(struct traversal_part *part, uint32_t ahead)
{
	part->ahead = ahead;
	traversal_read_further(&part->ranks);
}

/* --------------------------------------------------------------- other parts */

/* A send of another part was read.  Set *number to that of its message. */
static int take_send(struct traversal_part *part, const struct crossing *crossing, uint32_t *number)
{
	*number = traversal_message_of(&part->messages, &part->last_channel[crossing->from][1],
				       crossing->send, true, crossing->from,
				       destination_tag(crossing->to, crossing->tag));
	return *number ? 0 : -1;
}

/* A send of another part starts. */
static int take_start(struct traversal_part *part, const struct crossing *crossing, uint32_t number)
{
	struct message *message = &part->messages.list.items[number];

	message->bytes = crossing->bytes;
	message->class = crossing->class;
	message->has_sent = true;
	message->sent = crossing->way;
	return try_match(part, number);
}

/* The message of a send by rendezvous, whose receiver another part has, was matched. */
static int take_end(struct traversal_part *part, const struct crossing *crossing)
{
	struct traversal_rank *rank = &part->ranks.of[crossing->from - part->ranks.first];
	const struct goal_op send = goal_op(rank->block, crossing->send);

	part->edges.event = cost_event(rank->block->first_op + crossing->send, EVENT_MATCH);
	part->edges.count = 1;
	part->edges.one[0] = crossing->way;
	return lead_from_end(part, rank, send.requires_first, send.requires_count, 0,
			     EXPRESSION_NONE);
}

/* Note which message a handle of another part is. */
static int set_handle(struct traversal_part *part, struct traversal_inbox *inbox, uint32_t handle,
		      uint32_t number)
{
	while (inbox->messages.count <= handle)
		TRY(array_push(&inbox->messages, 0, &part->error));
	inbox->messages.items[handle] = number;
	return 0;
}

static int take_crossing(struct traversal_part *part, struct traversal_inbox *inbox,
			 const struct crossing *crossing)
{
	uint32_t number;

	switch (crossing->kind) {
	case CROSSING_READ:
		TRY(take_send(part, crossing, &number));
		return set_handle(part, inbox, crossing->handle, number);
	case CROSSING_START:
		return take_start(part, crossing, inbox->messages.items[crossing->handle]);
	case CROSSING_WHOLE:
		TRY(take_send(part, crossing, &number));
		return take_start(part, crossing, number);
	default:
		return take_end(part, crossing);
	}
}

/* Read what another part sent in the round before. */
static int take_batch(struct traversal_part *part, uint32_t other)
{
	const struct traversal_batch *batch =
		&part->parts[other].outbox[part->number].of[!part->parity];

	TRY(traversal_batch_import(&part->imported, batch, &part->edges.writer.expressions,
				   &part->error));
	for (size_t i = 0; i < batch->list.count; i++) {
		struct crossing crossing = batch->list.items[i];

		crossing.way.expression = part->imported.of.items[crossing.way.expression];
		TRY(take_crossing(part, &part->inbox[other], &crossing));
	}
	return 0;
}

uint32_t traversal_part_sent_to(const struct traversal_part *part, uint32_t other)
{
	return (uint32_t)part->outbox[other].of[part->parity].list.count;
}

/* ----------------------------------------------------------------------- whole */

int traversal_part_go(struct traversal_part *part)
{
	const uint32_t begin = part->started;
	const struct edge_merge *merge = &part->edges.merge;

	for (uint32_t i = 0; i < part->part_count; i++)
		traversal_batch_clear(&part->outbox[i].of[part->parity]);
	for (uint32_t i = 0; i < part->part_count; i++)
		if (i != part->number)
			TRY(take_batch(part, i));
	while (part->ranks.queued && !part->any) {
		if (part->started - begin >= ROUND_OPS ||
		    part->last_number - merge->next_source < OP_VERTICES * TURN_OPS)
			break;
		TRY(take_turn(part, traversal_next(&part->ranks)));
	}
	return 0;
}

bool traversal_part_is_awake(const struct traversal_part *part)
{
	return part->ranks.queued > 0;
}

int traversal_part_init(struct traversal_part *part, const struct traversal_input *input,
			uint32_t first, uint32_t count)
{
	struct error *err = &part->error;

	*part = (struct traversal_part){.input = input, .last_number = UINT32_MAX};
	TRY(traversal_ranks_init(&part->ranks, input->goal, first, count, err));
	TRY(traversal_messages_init(&part->messages, err));
	TRY(traversal_edges_init(&part->edges, err));
	part->edges.writer.without_events = !input->events;
	TRY(edge_merge_limit(&part->edges.merge, count, input->part_count));
	TRY(allocate(&part->costs, MESSAGE_COSTS, sizeof *part->costs, err));
	TRY(cost_expressions_use(&part->edges.writer.expressions, input->classes.list,
				 input->classes.count, err));
	for (uint32_t i = 0; i < count; i++)
		traversal_wake(&part->ranks, &part->ranks.of[i]);
	return 0;
}

int traversal_part_connect(struct traversal_part *part, const struct traversal_part *parts,
			   uint32_t number, uint32_t part_count)
{
	part->parts = parts;
	part->number = number;
	TRY(allocate(&part->outbox, part_count, sizeof *part->outbox, &part->error));
	TRY(allocate(&part->inbox, part_count, sizeof *part->inbox, &part->error));
	part->part_count = part_count;
	return allocate(&part->last_channel, part->input->goal->rank_count,
			sizeof *part->last_channel, &part->error);
}

void traversal_part_release(struct traversal_part *part)
{
	for (uint32_t i = 0; i < part->part_count; i++) {
		traversal_batch_release(&part->outbox[i].of[0]);
		traversal_batch_release(&part->outbox[i].of[1]);
		array_release(&part->inbox[i].messages);
	}
	free(part->outbox);
	free(part->inbox);
	array_release(&part->imported.of);
	free(part->last_channel);
	array_release(&part->unused_handles);
	free(part->costs);
	traversal_ranks_release(&part->ranks);
	traversal_messages_release(&part->messages);
	traversal_edges_release(&part->edges);
}
