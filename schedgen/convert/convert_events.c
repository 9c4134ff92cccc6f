/* Operations of a call: messages, requests and collectives that its events name. */
#include "schedgen/convert/convert_internal.h"

#include <string.h>

/* -------------------------------------------------------------------- messages */

/* Make the operation of a message, without dependencies. */
static int message_op(struct convert *convert, const struct mpi_event *event,
		      enum goal_kind kind, bool partitioned, struct goal_new_op *op,
		      struct error *err)
{
	const struct tag tag = {.comm = event->comm,
				.use = partitioned ? TAG_PARTITIONED : TAG_MESSAGE,
				.number = event->tag};
	struct tracked_peers peers;

	TRY(call_tracker_peers(&convert->tracker, event->comm, &peers, err));
	if (event->peer >= peers.size)
		return error_set(err, STATUS_DATA, "rank %u is not among the %u of communicator %u",
				 event->peer, peers.size, event->comm);
	*op = (struct goal_new_op){
		.kind = (uint8_t)kind, .size = event->bytes, .peer = convert->world_offset
	};
	op->peer += call_tracker_world_rank(&convert->tracker, &peers, event->peer);
	return goal_tags_number(&convert->tags, tag, &op->tag, err);
}

/* Operations of a half of a message. */
struct added {
	uint32_t first, last;			/* last: that of the message */
	const struct deferred_message *message;	/* what defers it, or NULL */
};

/* Add the operations of a half after the frontier, which does not change. */
static int add_half(struct convert *convert, const struct mpi_event *event, enum goal_kind kind,
		    struct added *added, struct error *err)
{
	const int half = kind == GOAL_SEND ? HALF_SEND : HALF_RECEIVE;
	struct deferred_parts parts;
	struct goal_new_op op;

	TRY(message_op(convert, event, kind, event->partitions, &op, err));
	TRY(convert_next_half(convert, half, &added->message, err));
	if (!event->partitions)
		convert_know_half(convert, half, &op);
	TRY(convert_deferred_parts(convert, event, added->message, &op, &parts, err));
	for (uint32_t i = 0; i < parts.count; i++) {
		TRY(goal_builder_add(&convert->builder, &parts.ops[i], &added->last, err));
		TRY(frontier_before(&convert->own->frontier, added->last, &convert->builder, err));
		if (i == 0)
			added->first = added->last;
	}
	if (kind == GOAL_RECV && added->message && added->message->early_bytes)
		TRY(goal_builder_requires(&convert->builder, added->last, added->last - 1, err));
	convert->totals.deferred +=
		kind == GOAL_SEND && added->message && convert->stage == SLICE_INSIDE;
	return 0;
}

/* Add a blocking send or receive, or half of MPI_Sendrecv: the call ends with it. */
static int add_blocking(struct convert *convert, const struct mpi_event *event, enum goal_kind kind,
			struct error *err)
{
	struct added added;

	TRY(frontier_narrow(&convert->own->frontier, &convert->builder, err));
	TRY(add_half(convert, event, kind, &added, err));
	return frontier_add(&convert->next, added.last, false, err);
}

/* -------------------------------------------------------------------- requests */

/* Add a request, which becomes active, at *place. */
static int add_request(struct convert *convert, const struct mpi_event *event,
		       struct convert_request request, uint32_t *place, struct error *err)
{
	struct tracked_request tracked, before;
	const int twice = call_tracker_start(&convert->tracker, event, &tracked, &before, err);

	TRY(twice);
	if (twice)
		return error_set(err, STATUS_DATA, "request %llu is started twice",
				 (unsigned long long)event->request);
	request.cpu = convert->builder.cpu;
	*place = tracked.place;
	if (tracked.place == convert->requests.count)
		return array_push(&convert->requests, request, err);
	convert->requests.items[tracked.place] = request;
	return 0;
}

/* Remove the active request of a completion or cancellation; 1 if it is not active. */
static int take_request(struct convert *convert, const struct mpi_event *event,
			enum tracked_kind kind, struct tracked_request *tracked,
			struct convert_request *request, struct error *err)
{
	static const char *const names[] = {"send", "receive", "collective"};

	if (!call_tracker_complete(&convert->tracker, event, tracked)) {
		convert->totals.unknown_completions++;
		return 1;
	}
	*request = convert->requests.items[tracked->place];
	if (event->kind != EVENT_REQUEST_CANCELLED && tracked->kind != kind)
		return error_set(err, STATUS_DATA, "request %llu completes as a %s but was a %s",
				 (unsigned long long)event->request, names[kind],
				 names[tracked->kind]);
	return 0;
}

static int start_send(struct convert *convert, const struct mpi_event *event,
		      struct error *err)
{
	struct convert_request request = {.buffered = convert->buffered,
					  .partitioned = event->partitions};
	struct added added;
	uint32_t place;

	TRY(add_half(convert, event, GOAL_SEND, &added, err));
	request.op = added.last;
	request.posted.message = added.message;
	convert->own->has_ends = false;
	/* A send that waits for a later call is announced at once. */
	TRY(frontier_set(&convert->own->frontier,
			 added.message && added.message->waits[HALF_SEND] ? added.first : added.last,
			 true, err));
	convert_note_post(convert, HALF_SEND, &request);
	TRY(add_request(convert, event, request, &place, err));
	return convert_watch(convert, place, err);
}

/*
 * Add a receive where it is posted, because messages match in that order.  Its message is filled
 * in when it completes.
 */
static int start_receive(struct convert *convert, const struct mpi_event *event,
			 struct error *err)
{
	struct convert_request request = {.partitioned = event->partitions};
	uint32_t place;

	TRY(frontier_narrow(&convert->own->frontier, &convert->builder, err));
	TRY(convert_post_receive(convert, &request, err));
	convert_note_post(convert, HALF_RECEIVE, &request);
	TRY(add_request(convert, event, request, &place, err));
	return convert_watch(convert, place, err);
}

/*
 * Add a buffered send.  MPI_Bsend copies the message and returns: the program continues as after
 * the start of a non-blocking send, and does not wait for its end.
 */
static int buffered_send(struct convert *convert, const struct mpi_event *event,
			 struct error *err)
{
	struct added added;

	TRY(add_half(convert, event, GOAL_SEND, &added, err));
	convert->own->has_ends = false;
	return frontier_set(&convert->own->frontier, added.last, true, err);
}

/* Wait for the end of an operation that has started before. */
static int wait_for(struct convert *convert, uint32_t op, struct error *err)
{
	convert->own->has_ends = true;
	return frontier_add(&convert->own->frontier, op, false, err);
}

static int complete_send(struct convert *convert, const struct mpi_event *event, bool waits,
			 struct error *err)
{
	struct tracked_request tracked;
	struct convert_request request;
	int missing = take_request(convert, event, TRACKED_SEND, &tracked, &request, err);

	if (missing)
		return missing < 0 ? -1 : 0;
	if (!waits || request.buffered || request.outside)
		return 0;
	convert_complete_half(convert, tracked.place, NULL);
	return wait_for(convert, request.op, err);
}

/* Fill in the operations of a receive, or count them if they are before the slice. */
static int fill_receive(struct convert *convert, const struct mpi_event *event,
			const struct convert_request *request, const struct goal_new_op *op,
			struct error *err)
{
	struct deferred_parts parts;

	TRY(convert_deferred_parts(convert, event, request->posted.message, op, &parts, err));
	for (uint32_t i = 0; i < parts.count; i++) {
		parts.ops[i].cpu = request->cpu;
		if (request->outside)
			TRY(slice_rank_count(&convert->channels, &parts.ops[i], false, err));
		else
			TRY(goal_builder_replace(&convert->builder,
						 request->op - (parts.count - 1 - i), &parts.ops[i],
						 err));
	}
	return 0;
}

static int complete_receive(struct convert *convert, const struct mpi_event *event, bool waits,
			    struct error *err)
{
	struct tracked_request tracked;
	struct convert_request request;
	struct goal_new_op op;
	int missing = take_request(convert, event, TRACKED_RECV, &tracked, &request, err);

	if (missing < 0)
		return -1;
	if (missing)
		return add_blocking(convert, event, GOAL_RECV, err);
	TRY(message_op(convert, event, GOAL_RECV, request.partitioned, &op, err));
	convert_complete_half(convert, tracked.place, &op);
	TRY(fill_receive(convert, event, &request, &op, err));
	return waits && !request.outside ? wait_for(convert, request.op, err) : 0;
}

/* Replace the operation of a request that never completes.  Other operations may wait for it. */
static int drop_op(struct convert *convert, const struct convert_request *request,
		   struct error *err)
{
	const struct goal_new_op none = {.kind = GOAL_CALC, .cpu = request->cpu};

	return goal_builder_replace(&convert->builder, request->op, &none, err);
}

/*
 * Find the tag of a non-blocking collective.  All ranks start the non-blocking collectives of a
 * communicator in the same order, but may complete them in any order.  They make persistent ones
 * in the same order, but may start them in any order.
 */
static int find_tag(struct convert *convert, const struct convert_nonblocking *done,
		    uint32_t *number, struct error *err)
{
	struct tag tag = {.comm = done->comm, .use = TAG_NONBLOCKING,
			  .persistent = done->persistent};

	if (done->persistent > TAG_MOST_PERSISTENT)
		return error_set(err, STATUS_LIMIT,
				 "a communicator has 2^29 persistent collectives or more");
	TRY(call_tracker_ordinal(&convert->tracker, done->comm, ORDINAL_NONBLOCKING,
				 done->persistent, &tag.number, err));
	tag.number += done->persistent != 0;
	return goal_tags_nonblocking(&convert->tags, tag, number, err);
}

static int give_tag(struct convert *convert, const struct convert_nonblocking *done,
		    struct error *err)
{
	uint32_t tag;

	TRY(find_tag(convert, done, &tag, err));
	for (uint32_t op = done->first_op; op < done->end_op; op++) {
		struct goal_new_op message;

		TRY(goal_builder_get(&convert->builder, op, &message, err));
		if (message.kind == GOAL_CALC)
			continue;
		message.tag = tag;
		TRY(goal_builder_replace(&convert->builder, op, &message, err));
	}
	return 0;
}

/* Add a non-blocking collective, which has just started. */
static int open_nonblocking(struct convert *convert, struct error *err)
{
	return array_push(&convert->nonblocking, (struct convert_nonblocking){0}, err);
}

static void forget_nonblocking(struct convert *convert)
{
	struct convert_nonblocking *list = convert->nonblocking.items;
	const uint32_t tagged = convert->tagged_nonblocking;

	/* An item is moved once on average. */
	if (2 * tagged < convert->nonblocking.count)
		return;
	convert->nonblocking.count -= tagged;
	memmove(list, list + tagged, convert->nonblocking.count * sizeof *list);
	convert->first_nonblocking += tagged;
	convert->tagged_nonblocking = 0;
}

/* End a non-blocking collective that is done or dropped, and give the tags known now. */
static int end_nonblocking(struct convert *convert, uint32_t ordinal,
			   const struct convert_nonblocking *done, struct error *err)
{
	struct convert_nonblocking *list = convert->nonblocking.items;

	list[ordinal - convert->first_nonblocking] = *done;
	for (; convert->tagged_nonblocking < convert->nonblocking.count;
	     convert->tagged_nonblocking++) {
		const struct convert_nonblocking *next = &list[convert->tagged_nonblocking];

		if (next->state == NONBLOCKING_OPEN)
			break;
		if (next->state == NONBLOCKING_DONE)
			TRY(give_tag(convert, next, err));
	}
	forget_nonblocking(convert);
	return 0;
}

static int drop_nonblocking(struct convert *convert, uint32_t ordinal, struct error *err)
{
	const struct convert_nonblocking dropped = {.state = NONBLOCKING_DROPPED};

	return end_nonblocking(convert, ordinal, &dropped, err);
}

static int cancel(struct convert *convert, const struct mpi_event *event, struct error *err)
{
	struct tracked_request tracked;
	struct convert_request request;
	int missing = take_request(convert, event, TRACKED_SEND, &tracked, &request, err);

	if (missing)
		return missing < 0 ? -1 : 0;
	convert->totals.cancelled++;
	if (tracked.kind == TRACKED_SEND)
		convert_forget_send(convert, &request);
	if (tracked.kind == TRACKED_COLLECTIVE)
		return drop_nonblocking(convert, tracked.ordinal, err);
	return request.outside ? 0 : drop_op(convert, &request, err);
}

/* ----------------------------------------------------------------- collectives */

static int blocking_collective(struct convert *convert, const struct mpi_event *event,
			       struct error *err)
{
	const struct tag tag = {.comm = event->comm, .use = TAG_COLLECTIVE};
	uint32_t number;

	if (!convert_models(convert, event))
		return 0;
	TRY(goal_tags_number(&convert->tags, tag, &number, err));
	convert->own->has_ends = true;
	return convert_collective(convert, event, &convert->call, 0, number,
				  &convert->own->frontier, err);
}

static int start_collective(struct convert *convert, const struct mpi_event *event,
			    struct error *err)
{
	struct convert_request request = {.op = NO_OP, .call = convert->call};

	TRY(open_nonblocking(convert, err));
	request.call.before = false;
	if (convert->own->frontier.entries.count > 1)
		convert->own->has_ends = false; /* there will be one calc */
	TRY(frontier_join(&convert->own->frontier, &convert->builder, err));
	if (convert->own->frontier.entries.count) {
		request.op = convert->own->frontier.entries.items[0].op;
		request.irequires = convert->own->frontier.entries.items[0].irequires;
	}
	return add_request(convert, event, request, &(uint32_t){0}, err);
}

/*
 * Complete a non-blocking collective, whose kind is known only now.  Its operations are added
 * now, but wait only for operations before its start.  Their later place in the graph does not
 * matter, because the collective has a tag of its own.
 */
static int complete_collective(struct convert *convert, const struct mpi_event *event,
			       bool waits, struct error *err)
{
	struct tracked_request tracked;
	struct convert_request request;
	struct convert_nonblocking done = {
		.state = NONBLOCKING_DONE, .comm = event->comm, .persistent = event->persistent,
		.first_op = goal_builder_op_count(&convert->builder)
	};
	struct frontier *side = &convert->side;
	const struct tracked_comm *own;
	struct goal_call *call;
	uint8_t cpu = convert->builder.cpu;
	int missing = take_request(convert, event, TRACKED_COLLECTIVE, &tracked, &request, err);

	if (missing < 0)
		return -1;
	/* A collective without recorded start starts now. */
	if (missing)
		TRY(open_nonblocking(convert, err));
	if (!convert_models(convert, event)) {
		convert->totals.skipped_collectives++;
		return drop_nonblocking(convert, tracked.ordinal, err);
	}
	if (!missing && request.outside) {
		/* Count it in its communicator, for the tags of the next ones. */
		done.first_op = 0;
		TRY(call_tracker_comm(&convert->tracker, event->comm, &own, err));
		return end_nonblocking(convert, tracked.ordinal, &done, err);
	}
	call = missing ? &convert->call : &request.call;
	side->entries.count = 0;
	if (missing)
		TRY(frontier_add_all(side, &convert->own->frontier, err));
	else if (request.op != NO_OP)
		TRY(frontier_add(side, request.op, request.irequires, err));
	/* Its operations belong to the call and thread that started it. */
	TRY(goal_builder_call(&convert->builder, &convert->call, err));
	convert->call.before = false;
	TRY(convert_comm_name(convert, event->comm, &call->communicator, err));
	convert->builder.cpu = missing ? cpu : request.cpu;
	TRY(convert_collective(convert, event, call, tracked.ordinal, 0, side, err));
	convert->builder.cpu = cpu;
	TRY(goal_builder_call(&convert->builder, call, err));
	done.end_op = goal_builder_op_count(&convert->builder);
	TRY(end_nonblocking(convert, tracked.ordinal, &done, err));
	if (!waits)
		return 0;
	convert->own->has_ends = true;
	return frontier_add_all(&convert->own->frontier, side, err);
}

/* ---------------------------------------------------------------------- events */

/* Let operations after the call wait for the operations that end with it. */
static int take_next(struct convert *convert, bool completes, struct error *err)
{
	struct frontier frontier = convert->own->frontier;

	convert->own->has_ends = true;
	/* Receives without recorded start: wait for the other completions too. */
	if (completes)
		return frontier_move(&convert->own->frontier, &convert->next, err);
	convert->own->frontier = convert->next;
	convert->next = frontier;
	convert->next.entries.count = 0;
	return 0;
}

int convert_events(struct convert *convert, const struct mpi_function *function,
		   const struct mpi_call *call, struct error *err)
{
	const bool waits = function->class != MPI_CLASS_REQUEST;
	const struct mpi_event *events;
	struct mpi_event made;
	const uint32_t count = mpi_call_events(call, function->traits, &made, &events);
	bool completes = false;

	convert->buffered = function->traits & MPI_BUFFERS;
	for (uint32_t i = 0; i < count; i++) {
		const struct mpi_event *event = &events[i];

		switch (event->kind) {
		case EVENT_SEND:
			TRY(convert->buffered ? buffered_send(convert, event, err)
					      : add_blocking(convert, event, GOAL_SEND, err));
			break;
		case EVENT_RECV:
			TRY(add_blocking(convert, event, GOAL_RECV, err));
			break;
		case EVENT_ISEND:
			TRY(start_send(convert, event, err));
			break;
		case EVENT_ISEND_COMPLETE:
			TRY(complete_send(convert, event, waits, err));
			break;
		case EVENT_IRECV_REQUEST:
			TRY(start_receive(convert, event, err));
			break;
		case EVENT_IRECV:
			TRY(complete_receive(convert, event, waits, err));
			completes = true;
			break;
		case EVENT_REQUEST_CANCELLED:
			TRY(cancel(convert, event, err));
			break;
		case EVENT_COLLECTIVE:
			TRY(blocking_collective(convert, event, err));
			break;
		case EVENT_COLLECTIVE_REQUEST:
			TRY(start_collective(convert, event, err));
			break;
		case EVENT_COLLECTIVE_COMPLETE:
			TRY(complete_collective(convert, event, waits, err));
			break;
		case EVENT_REQUEST_TEST:
		case EVENT_COMM_CREATE:
		case EVENT_COMM_DESTROY:
		case EVENT_TRANSFER:
		case EVENT_PROBE:
			break;
		default:
			convert->own->has_ends = true;
			TRY(convert_rma_event(convert, call, event, err));
		}
	}
	return convert->next.entries.count ? take_next(convert, completes, err) : 0;
}

/* ------------------------------------------------------------- end of the rank */

static int drop_unfinished(struct convert *convert, struct error *err)
{
	struct tracked_request tracked;
	size_t next = 0;

	while (call_tracker_next(&convert->tracker, &next, &tracked)) {
		const struct convert_request *request = &convert->requests.items[tracked.place];

		convert->totals.unfinished_receives += tracked.kind == TRACKED_RECV;
		convert->totals.unfinished_collectives += tracked.kind == TRACKED_COLLECTIVE;
		if (tracked.kind == TRACKED_RECV && !request->outside)
			TRY(drop_op(convert, request, err));
	}
	return 0;
}

/* Give tags to collectives that have completed after one that never does. */
static int give_tags(struct convert *convert, struct error *err)
{
	struct convert_nonblocking *list = convert->nonblocking.items;

	for (size_t i = convert->tagged_nonblocking; i < convert->nonblocking.count; i++)
		if (list[i].state == NONBLOCKING_DONE)
			TRY(give_tag(convert, &list[i], err));
	return 0;
}

int convert_finish(struct convert *convert, struct error *err)
{
	TRY(drop_unfinished(convert, err));
	TRY(convert_rma_finish(convert, err));
	return give_tags(convert, err);
}
