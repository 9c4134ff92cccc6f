#include "schedgen/convert/convert.h"

#include <string.h>

/* --------------------------------------------------------------- communicators */

const struct trace_comm *convert_find_comm(const struct converter *converter, uint32_t id,
					   struct error *err)
{
	if (id < converter->world->comm_count && converter->world->comms[id].defined)
		return &converter->world->comms[id];
	error_set(err, STATUS_DATA, "communicator %u is not defined", id);
	return NULL;
}

static bool find_rank(const uint32_t *ranks, uint32_t size, uint32_t wanted, uint32_t *found)
{
	for (uint32_t i = 0; i < size; i++) {
		if (ranks[i] == wanted) {
			*found = i;
			return true;
		}
	}
	return false;
}

struct convert_comm *convert_own_place(struct converter *converter, uint32_t id,
				       const struct trace_comm *comm)
{
	const uint32_t stamp = converter->world_offset + converter->rank + 1;
	struct convert_comm *own = &converter->comms[id];

	if (own->stamp == stamp)
		return own;
	*own = (struct convert_comm){.stamp = stamp, .member = true};
	if (comm->identity)
		own->rank = converter->rank;
	else if (!comm->self && !find_rank(comm->ranks, comm->size, converter->rank, &own->rank))
		own->member = own->in_remote_group =
			comm->inter && find_rank(comm->remote_ranks, comm->remote_size,
						 converter->rank, &own->rank);
	return own;
}

/* -------------------------------------------------------------------- messages */

/* The operation of a message, which waits for nothing yet. */
static int message_op(struct converter *converter, const struct mpi_event *event,
		      enum goal_kind kind, bool partitioned, struct goal_new_op *op,
		      struct error *err)
{
	const struct trace_comm *comm = converter->world->comms + event->comm;
	const struct tag tag = {.comm = event->comm,
				.use = partitioned ? TAG_PARTITIONED : TAG_MESSAGE,
				.number = event->tag};
	const uint32_t *ranks;
	uint32_t size;

	if (event->comm >= converter->world->comm_count || !comm->defined)
		return convert_find_comm(converter, event->comm, err) ? 0 : -1;
	ranks = comm->ranks;
	size = comm->size;
	if (comm->inter && !convert_own_place(converter, event->comm, comm)->in_remote_group) {
		ranks = comm->remote_ranks;
		size = comm->remote_size;
	}
	if (event->peer >= size)
		return error_set(err, STATUS_DATA, "rank %u is not among the %u of communicator %u",
				 event->peer, size, event->comm);
	*op = (struct goal_new_op){
		.kind = (uint8_t)kind, .size = event->bytes, .peer = converter->world_offset
	};
	op->peer += comm->self ? converter->rank : ranks[event->peer];
	return tags_number(&converter->tags, tag, &op->tag, err);
}

/* Add the operation of a message behind the frontier, which stays as it is. */
static int add_message(struct converter *converter, const struct mpi_event *event,
		       enum goal_kind kind, uint32_t *number, struct error *err)
{
	struct goal_new_op op;

	TRY(message_op(converter, event, kind, event->partitions, &op, err));
	TRY(goal_builder_add(&converter->builder, &op, number, err));
	return frontier_before(&converter->own->frontier, *number, &converter->builder, err);
}

/* A blocking send or receive, or one half of both: the call ends with it. */
static int blocking(struct converter *converter, const struct mpi_event *event,
		    enum goal_kind kind, struct error *err)
{
	uint32_t op;

	/* Lest n operations that leave the frontier as it is have n times as many dependencies. */
	if (converter->own->frontier.entries.count > 2)
		TRY(frontier_join(&converter->own->frontier, &converter->builder, err));
	TRY(add_message(converter, event, kind, &op, err));
	return frontier_add(&converter->next, op, false, err);
}

/* -------------------------------------------------------------------- requests */

static int add_request(struct converter *converter, uint64_t number,
		       struct convert_request request, struct error *err)
{
	uint32_t place;

	if (number_map_get(&converter->request_places, number, 0) != NUMBER_MAP_EMPTY)
		return error_set(err, STATUS_DATA, "request %llu is started twice",
				 (unsigned long long)number);
	if (converter->free_requests.count) {
		place = converter->free_requests.items[--converter->free_requests.count];
	} else {
		place = (uint32_t)converter->requests.count;
		TRY(array_push(&converter->requests, request, err));
	}
	request.cpu = converter->builder.cpu;
	converter->requests.items[place] = request;
	return number_map_add(&converter->request_places, number, 0, place, err);
}

/* Take an active request out; 1 if there is none of that number. */
static int take_request(struct converter *converter, uint64_t number, int kind,
			struct convert_request *request, struct error *err)
{
	static const char *const names[] = {"send", "receive", "collective"};
	uint32_t place = number_map_remove(&converter->request_places, number, 0);

	if (place == NUMBER_MAP_EMPTY) {
		converter->totals.unknown_completions++;
		return 1;
	}
	*request = converter->requests.items[place];
	if (kind >= 0 && (int)request->kind != kind)
		return error_set(err, STATUS_DATA, "request %llu completes as a %s but was a %s",
				 (unsigned long long)number, names[kind], names[request->kind]);
	return array_push(&converter->free_requests, place, err);
}

static int start_send(struct converter *converter, const struct mpi_event *event,
		      struct error *err)
{
	struct convert_request request = {.kind = REQUEST_SEND, .buffered = converter->buffered};

	TRY(add_message(converter, event, GOAL_SEND, &request.op, err));
	TRY(frontier_set(&converter->own->frontier, request.op, true, err));
	return add_request(converter, event->request, request, err);
}

/*
 * A receive has its place where it was posted, because messages match in that
 * order; what it receives is filled in when it completes.
 */
static int start_receive(struct converter *converter, const struct mpi_event *event,
			 struct error *err)
{
	struct convert_request request = {.kind = REQUEST_RECV,
					  .partitioned = event->partitions};
	struct goal_new_op op = {.kind = GOAL_RECV};

	/* As in blocking. */
	if (converter->own->frontier.entries.count > 2)
		TRY(frontier_join(&converter->own->frontier, &converter->builder, err));
	TRY(goal_builder_add(&converter->builder, &op, &request.op, err));
	TRY(frontier_before(&converter->own->frontier, request.op, &converter->builder, err));
	return add_request(converter, event->request, request, err);
}

/*
 * MPI_Bsend copies the message and returns: the program goes on as behind the
 * start of a non-blocking send, and nobody waits for the end.
 */
static int buffered_send(struct converter *converter, const struct mpi_event *event,
			 struct error *err)
{
	uint32_t op;

	TRY(add_message(converter, event, GOAL_SEND, &op, err));
	return frontier_set(&converter->own->frontier, op, true, err);
}

static int complete_send(struct converter *converter, const struct mpi_event *event, bool waits,
			 struct error *err)
{
	struct convert_request request;
	int missing = take_request(converter, event->request, REQUEST_SEND, &request, err);

	if (missing || !waits || request.buffered || request.outside)
		return missing < 0 ? -1 : 0;
	return frontier_add(&converter->own->frontier, request.op, false, err);
}

static int complete_receive(struct converter *converter, const struct mpi_event *event, bool waits,
			    struct error *err)
{
	struct convert_request request;
	struct goal_new_op op;
	int missing = take_request(converter, event->request, REQUEST_RECV, &request, err);

	if (missing < 0)
		return -1;
	if (missing)
		return blocking(converter, event, GOAL_RECV, err);
	TRY(message_op(converter, event, GOAL_RECV, request.partitioned, &op, err));
	if (request.outside)
		return cut_rank_count(&converter->cut, &op, false, err);
	op.cpu = request.cpu;
	TRY(goal_builder_replace(&converter->builder, request.op, &op, err));
	return waits ? frontier_add(&converter->own->frontier, request.op, false, err) : 0;
}

/* The operation of a request that never happened, but that others may wait for. */
static int drop_op(struct converter *converter, const struct convert_request *request,
		   struct error *err)
{
	const struct goal_new_op none = {.kind = GOAL_CALC, .cpu = request->cpu};

	return goal_builder_replace(&converter->builder, request->op, &none, err);
}

/*
 * All ranks start the non-blocking collectives of a communicator in the same order, but may
 * complete them in any.  Persistent ones they make in the same order, but may start in any.
 */
static int find_tag(struct converter *converter, const struct convert_nonblocking *done,
		    uint32_t *number, struct error *err)
{
	struct tag tag = {.comm = done->comm, .use = TAG_NONBLOCKING,
			  .persistent = done->persistent};

	if (done->persistent)
		TRY(number_map_increment(&converter->persistent_starts, done->comm,
					 done->persistent, &tag.number, err));
	else
		tag.number = converter->comms[done->comm].nonblocking++;
	return tags_nonblocking(&converter->tags, tag, number, err);
}

static int give_tag(struct converter *converter, const struct convert_nonblocking *done,
		    struct error *err)
{
	uint32_t tag;

	TRY(find_tag(converter, done, &tag, err));
	for (uint32_t op = done->first_op; op < done->end_op; op++) {
		struct goal_new_op message;

		TRY(goal_builder_get(&converter->builder, op, &message, err));
		if (message.kind == GOAL_CALC)
			continue;
		message.tag = tag;
		TRY(goal_builder_replace(&converter->builder, op, &message, err));
	}
	return 0;
}

/* A non-blocking collective is started; *ordinal is how many were before it. */
static int open_nonblocking(struct converter *converter, uint32_t *ordinal, struct error *err)
{
	const size_t count = converter->nonblocking.count;

	*ordinal = converter->first_nonblocking + (uint32_t)count;
	return array_push(&converter->nonblocking, (struct convert_nonblocking){0}, err);
}

static void forget_nonblocking(struct converter *converter)
{
	struct convert_nonblocking *list = converter->nonblocking.items;
	const uint32_t tagged = converter->tagged_nonblocking;

	/* So each is moved once on average. */
	if (2 * tagged < converter->nonblocking.count)
		return;
	converter->nonblocking.count -= tagged;
	memmove(list, list + tagged, converter->nonblocking.count * sizeof *list);
	converter->first_nonblocking += tagged;
	converter->tagged_nonblocking = 0;
}

/* A non-blocking collective is done or dropped: give the tags that are settled now. */
static int end_nonblocking(struct converter *converter, uint32_t ordinal,
			   const struct convert_nonblocking *done, struct error *err)
{
	struct convert_nonblocking *list = converter->nonblocking.items;

	list[ordinal - converter->first_nonblocking] = *done;
	for (; converter->tagged_nonblocking < converter->nonblocking.count;
	     converter->tagged_nonblocking++) {
		const struct convert_nonblocking *next = &list[converter->tagged_nonblocking];

		if (next->state == NONBLOCKING_OPEN)
			break;
		if (next->state == NONBLOCKING_DONE)
			TRY(give_tag(converter, next, err));
	}
	forget_nonblocking(converter);
	return 0;
}

static int drop_nonblocking(struct converter *converter, uint32_t ordinal, struct error *err)
{
	const struct convert_nonblocking dropped = {.state = NONBLOCKING_DROPPED};

	return end_nonblocking(converter, ordinal, &dropped, err);
}

static int cancel(struct converter *converter, const struct mpi_event *event, struct error *err)
{
	struct convert_request request;
	int missing = take_request(converter, event->request, -1, &request, err);

	if (missing)
		return missing < 0 ? -1 : 0;
	converter->totals.cancelled++;
	if (request.kind == REQUEST_COLLECTIVE)
		return drop_nonblocking(converter, request.ordinal, err);
	return request.outside ? 0 : drop_op(converter, &request, err);
}

/* ----------------------------------------------------------------- collectives */

static int blocking_collective(struct converter *converter, const struct mpi_event *event,
			       struct error *err)
{
	const struct tag tag = {.comm = event->comm, .use = TAG_COLLECTIVE};
	uint32_t number;

	if (!convert_models(converter, event))
		return 0;
	TRY(tags_number(&converter->tags, tag, &number, err));
	return convert_collective(converter, event, 0, number, &converter->own->frontier, err);
}

static int start_collective(struct converter *converter, const struct mpi_event *event,
			    struct error *err)
{
	struct convert_request request = {
		.kind = REQUEST_COLLECTIVE, .op = NO_OP, .call = converter->call
	};

	TRY(open_nonblocking(converter, &request.ordinal, err));
	request.call.before = false;
	TRY(frontier_join(&converter->own->frontier, &converter->builder, err));
	if (converter->own->frontier.entries.count) {
		request.op = converter->own->frontier.entries.items[0].op;
		request.irequires = converter->own->frontier.entries.items[0].irequires;
	}
	return add_request(converter, event->request, request, err);
}

static int find_own(struct converter *converter, uint32_t id, struct error *err)
{
	const struct trace_comm *comm = convert_find_comm(converter, id, err);

	if (!comm)
		return -1;
	convert_own_place(converter, id, comm);
	return 0;
}

/*
 * What a non-blocking collective was is known when it completes.  Its operations
 * are added then, but wait only for what came before its start; that they stand
 * further down in the graph does not matter, for its tag is its own.
 */
static int complete_collective(struct converter *converter, const struct mpi_event *event,
			       bool waits, struct error *err)
{
	struct convert_request request;
	struct convert_nonblocking done = {
		.state = NONBLOCKING_DONE, .comm = event->comm, .persistent = event->persistent,
		.first_op = goal_builder_op_count(&converter->builder)
	};
	struct frontier *side = &converter->side;
	uint8_t cpu = converter->builder.cpu;
	int missing = take_request(converter, event->request, REQUEST_COLLECTIVE, &request, err);

	if (missing < 0)
		return -1;
	/* One whose start is not known starts here and now. */
	if (missing)
		TRY(open_nonblocking(converter, &request.ordinal, err));
	if (!convert_models(converter, event)) {
		converter->totals.skipped_collectives++;
		return drop_nonblocking(converter, request.ordinal, err);
	}
	if (!missing && request.outside) {
		/* It counts among those of its communicator, for the tags of the next ones. */
		done.first_op = 0;
		return find_own(converter, event->comm, err) < 0 ? -1 :
		       end_nonblocking(converter, request.ordinal, &done, err);
	}
	side->entries.count = 0;
	if (missing)
		TRY(frontier_add_all(side, &converter->own->frontier, err));
	else if (request.op != NO_OP)
		TRY(frontier_add(side, request.op, request.irequires, err));
	/* Its operations are of the call, and of the thread, that started it. */
	TRY(convert_mark(converter, &converter->call, err));
	converter->call.before = false;
	converter->builder.cpu = missing ? cpu : request.cpu;
	TRY(convert_collective(converter, event, request.ordinal, 0, side, err));
	converter->builder.cpu = cpu;
	TRY(convert_mark(converter, missing ? &converter->call : &request.call, err));
	done.end_op = goal_builder_op_count(&converter->builder);
	TRY(end_nonblocking(converter, request.ordinal, &done, err));
	return waits ? frontier_add_all(&converter->own->frontier, side, err) : 0;
}

/* ---------------------------------------------------------------------- events */

/*
 * The record of the call has another communicator than that of all who call it:
 * Score-P's of MPI_Comm_create_group the parent, that of MPI_Intercomm_create the
 * caller's group.
 */
static int make_among_made(struct converter *converter, const struct mpi_call *call,
			   struct error *err)
{
	struct mpi_event made = {
		.kind = EVENT_COLLECTIVE, .collective = COLL_CREATE_HANDLE, .root = NO_ROOT
	};

	for (uint32_t i = 0; i < call->event_count; i++) {
		if (call->events[i].kind != EVENT_COMM_CREATE)
			continue;
		made.comm = call->events[i].comm;
		return blocking_collective(converter, &made, err);
	}
	return 0;
}

/* The operations that end with the call follow it. */
static int take_next(struct converter *converter, bool completes, struct error *err)
{
	struct frontier frontier = converter->own->frontier;

	/* Of receives whose start is not known: the other completions are waited for too. */
	if (completes)
		TRY(frontier_add_all(&converter->own->frontier, &converter->next, err));
	else {
		converter->own->frontier = converter->next;
		converter->next = frontier;
	}
	converter->next.entries.count = 0;
	return 0;
}

int convert_events(struct converter *converter, const struct mpi_function *function,
		   const struct mpi_call *call, struct error *err)
{
	const bool waits = function->class != MPI_CLASS_REQUEST;
	bool completes = false;

	converter->buffered = function->traits & MPI_BUFFERS;
	if (function->traits & MPI_BY_MEMBERS)
		return make_among_made(converter, call, err);
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		switch (event->kind) {
		case EVENT_SEND:
			TRY(converter->buffered ? buffered_send(converter, event, err)
						: blocking(converter, event, GOAL_SEND, err));
			break;
		case EVENT_RECV:
			TRY(blocking(converter, event, GOAL_RECV, err));
			break;
		case EVENT_ISEND:
			TRY(start_send(converter, event, err));
			break;
		case EVENT_ISEND_COMPLETE:
			TRY(complete_send(converter, event, waits, err));
			break;
		case EVENT_IRECV_REQUEST:
			TRY(start_receive(converter, event, err));
			break;
		case EVENT_IRECV:
			TRY(complete_receive(converter, event, waits, err));
			completes = true;
			break;
		case EVENT_REQUEST_CANCELLED:
			TRY(cancel(converter, event, err));
			break;
		case EVENT_COLLECTIVE:
			TRY(blocking_collective(converter, event, err));
			break;
		case EVENT_COLLECTIVE_REQUEST:
			TRY(start_collective(converter, event, err));
			break;
		case EVENT_COLLECTIVE_COMPLETE:
			TRY(complete_collective(converter, event, waits, err));
			break;
		case EVENT_REQUEST_TEST:
		case EVENT_COMM_CREATE:
		case EVENT_COMM_DESTROY:
		case EVENT_TRANSFER:
		case EVENT_PROBE:
			break;
		default:
			TRY(convert_rma_event(converter, call, event, err));
		}
	}
	return converter->next.entries.count ? take_next(converter, completes, err) : 0;
}

/* ------------------------------------------------------------- end of the rank */

static int drop_unfinished(struct converter *converter, struct error *err)
{
	const struct number_map *places = &converter->request_places;

	for (size_t i = 0; places->count && i < places->capacity; i++) {
		const struct convert_request *request;

		if (places->entries[i].value == NUMBER_MAP_EMPTY)
			continue;
		request = &converter->requests.items[places->entries[i].value];
		if (request->kind == REQUEST_RECV) {
			converter->totals.unfinished_receives++;
			if (!request->outside)
				TRY(drop_op(converter, request, err));
		} else if (request->kind == REQUEST_COLLECTIVE) {
			converter->totals.unfinished_collectives++;
		}
	}
	return 0;
}

/* Those that have completed after one that never does. */
static int give_tags(struct converter *converter, struct error *err)
{
	struct convert_nonblocking *list = converter->nonblocking.items;

	for (size_t i = converter->tagged_nonblocking; i < converter->nonblocking.count; i++)
		if (list[i].state == NONBLOCKING_DONE)
			TRY(give_tag(converter, &list[i], err));
	return 0;
}

int convert_finish(struct converter *converter, struct error *err)
{
	TRY(drop_unfinished(converter, err));
	TRY(convert_rma_finish(converter, err));
	return give_tags(converter, err);
}
