#include "eventflow/graph/messages.h"

#include "trace/flow/recover/flow_times.h"

/* Sender whose calls are being delivered. */
struct message_sender {
	struct flow_messages *messages;
	const struct trace_world *world;
	uint32_t rank;
};

/* World rank of a peer of the sender, or NO_RANK. */
static uint32_t receiver_of(const struct message_sender *sender, const struct mpi_event *event)
{
	const struct trace_world *world = sender->world;
	const struct trace_comm *comm;

	if (event->comm >= world->comm_count || !world->comms[event->comm].defined)
		return NO_RANK;
	comm = &world->comms[event->comm];
	if (comm->self)
		return sender->rank;
	if (comm->inter && trace_rank_among(comm->ranks, comm->size, sender->rank) != NO_RANK)
		return event->peer < comm->remote_size ? comm->remote_ranks[event->peer] : NO_RANK;
	return event->peer < comm->size ? comm->ranks[event->peer] : NO_RANK;
}

static int add_messages(struct message_sender *sender, const struct mpi_event *event,
			uint64_t count, struct error *err)
{
	struct flow_messages *messages = sender->messages;
	const uint32_t to = receiver_of(sender, event);
	uint32_t number;

	if (to == NO_RANK)
		return 0;
	number = number_map_get(&messages->pair_of, sender->rank, to);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)messages->pairs.count;
		TRY(number_map_add(&messages->pair_of, sender->rank, to, number, err));
		TRY(array_push(&messages->pairs,
			       ((struct flow_pair){.from = sender->rank, .to = to}), err));
	}
	messages->pairs.items[number].messages += count;
	messages->pairs.items[number].bytes += event->bytes * count;
	messages->messages += count;
	messages->bytes += event->bytes * count;
	return 0;
}

static int take_sends(void *data, const struct mpi_call *call, uint64_t count, struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_SEND || call->events[i].kind == EVENT_ISEND)
			TRY(add_messages(data, &call->events[i], count, err));
	return 0;
}

int flow_messages_add(struct flow_messages *messages, const struct flow *flow, uint32_t rank,
		      struct error *err)
{
	struct message_sender sender = {messages, &flow->world, rank};

	for (size_t t = 0; t < flow->ranks[rank].threads.count; t++)
		TRY(flow_thread_calls(flow, rank, &flow->ranks[rank].threads.items[t], take_sends,
				      &sender, err));
	return 0;
}

void flow_messages_release(struct flow_messages *messages)
{
	array_release(&messages->pairs);
	number_map_release(&messages->pair_of);
}
