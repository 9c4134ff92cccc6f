/* The rank's own numbers of communicators and windows, and its place in them. */
#include "eventflow/generate/rank_calls.h"

static bool has_number(const struct number_list *list, uint32_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == id)
			return true;
	return false;
}

int own_comms(const struct flow *flow, uint32_t number, struct number_list *list, struct error *err)
{
	const struct flow_rank *rank = &flow->ranks[number];

	/* Calls do not name communicator 0. */
	TRY(array_push(list, 0, err));
	for (size_t i = 0; i < rank->comms.count; i++)
		if (rank->comms.items[i])
			TRY(array_push(list, rank->comms.items[i], err));
	for (size_t i = 0; i < rank->windows.count; i++) {
		const uint32_t comm = flow->world.windows[rank->windows.items[i]].comm;

		if (!has_number(list, comm))
			TRY(array_push(list, comm, err));
	}
	return 0;
}

int64_t own_comm(const struct rank_calls *calls, uint32_t id)
{
	const uint32_t number = number_map_get(&calls->comm_numbers, id, 0);

	return number == NUMBER_MAP_EMPTY ? -1 : (int64_t)number;
}

int64_t own_window(const struct rank_calls *calls, uint32_t id)
{
	const uint32_t number = number_map_get(&calls->window_numbers, id, 0);

	return number == NUMBER_MAP_EMPTY ? -1 : (int64_t)number;
}

uint32_t own_place(const struct rank_calls *calls, uint32_t id, uint32_t *size)
{
	const struct trace_comm *comm = &calls->flow->world.comms[id];
	uint32_t place;

	*size = comm->self ? 1 : comm->size;
	if (comm->self)
		return 0;
	if (comm->identity)
		return calls->rank;
	place = trace_rank_among(comm->ranks, comm->size, calls->rank);
	if (!comm->inter)
		return place;
	*size = place == NO_RANK ? comm->size : comm->remote_size;
	return place != NO_RANK
		       ? place
		       : trace_rank_among(comm->remote_ranks, comm->remote_size, calls->rank);
}

void say_peer(struct rank_calls *calls, uint32_t id, uint32_t peer, struct action *text)
{
	uint32_t size;
	const uint32_t place = own_place(calls, id, &size);

	if (calls->flow->world.comms[id].inter || place == NO_RANK || !size)
		action_say(text, "$", (int64_t)peer);
	else
		action_say(text, "peer($, $)", own_comm(calls, id),
			   (int64_t)(((uint64_t)peer + size - place) % size));
}

void need_bytes(struct rank_calls *calls, uint64_t bytes)
{
	if (bytes > calls->program->needs.bytes)
		calls->program->needs.bytes = bytes;
}

int note_open(struct rank_calls *calls, uint64_t number, uint64_t other, struct error *err)
{
	const uint32_t completer = number_map_get(&calls->completers, number, 0);

	if (calls->open.count + 1 > calls->program->needs.open)
		calls->program->needs.open = calls->open.count + 1;
	return array_push(&calls->open,
			  ((struct replay_open){.number = number,
						.other = other,
						.from = calls->thread,
						.to = completer == NUMBER_MAP_EMPTY ? calls->thread
										    : completer}),
			  err);
}
