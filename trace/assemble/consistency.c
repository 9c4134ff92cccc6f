#include "trace/assemble/agree.h"

#include "common/hash.h"

#include <string.h>

void agree_release(struct agree *agree)
{
	array_release(&agree->comms);
	number_map_release(&agree->comm_by_key);
	array_release(&agree->windows);
	number_map_release(&agree->window_by_key);
	array_release(&agree->own_windows);
	array_release(&agree->channels);
	number_map_release(&agree->channel_by_key);
	number_map_release(&agree->cancelled);
	array_release(&agree->own);
	number_map_release(&agree->open);
	array_release(&agree->open_collectives);
	number_map_release(&agree->dropped);
}

/* ------------------------------------------------------------- communicators */

int agree_comm(struct agree *agree, const struct mpi_comm *comm, struct error *err)
{
	struct agree_comm known = {.size = comm->size, .remote_size = comm->remote_size,
				   .members = comm->members, .remote = comm->remote,
				   .kept = UINT64_MAX};

	if (number_map_get(&agree->comm_by_key, comm->key, 0) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(&agree->comm_by_key, comm->key, 0, (uint32_t)agree->comms.count, err));
	return array_push(&agree->comms, known, err);
}

static bool has_member(const uint64_t *members, uint32_t size, uint32_t place, uint32_t rank)
{
	return place < size && (members ? members[place] == rank : place == rank);
}

static bool in_first_group(const struct agree_comm *known, uint32_t rank,
			   const struct mpi_comm *comm)
{
	return known->size == comm->size && known->remote_size == comm->remote_size &&
	       has_member(known->members, known->size, comm->rank, rank);
}

static bool in_second_group(const struct agree_comm *known, uint32_t rank,
			    const struct mpi_comm *comm)
{
	return known->remote_size && known->remote_size == comm->size &&
	       known->size == comm->remote_size &&
	       has_member(known->remote, known->remote_size, comm->rank, rank);
}

static const struct agree_comm *find_comm(const struct agree *agree, uint64_t key, uint32_t *index)
{
	*index = number_map_get(&agree->comm_by_key, key, 0);
	return *index == NUMBER_MAP_EMPTY ? NULL : &agree->comms.items[*index];
}

bool agree_knows(const struct agree *agree, uint32_t rank, const struct mpi_comm *comm)
{
	uint32_t index;
	const struct agree_comm *known = find_comm(agree, comm->key, &index);

	return known && (in_first_group(known, rank, comm) || in_second_group(known, rank, comm));
}

/* The windows of the rank; those of a key are one. */
static int find_windows(struct agree *agree, const struct facts *facts, struct error *err)
{
	agree->own_windows.count = 0;
	for (size_t i = 0; i < facts->windows.count; i++) {
		const struct mpi_window *window = &facts->windows.items[i].window;
		struct agree_window new = {.comm = agree->own.items[window->comm].index,
					   .kept = UINT64_MAX};
		struct agree_own_window own = {0};

		own.index = number_map_get(&agree->window_by_key, window->key, 0);
		if (own.index == NUMBER_MAP_EMPTY) {
			own.index = (uint32_t)agree->windows.count;
			TRY(number_map_add(&agree->window_by_key, window->key, 0, own.index, err));
			TRY(array_push(&agree->windows, new, err));
		}
		TRY(array_push(&agree->own_windows, own, err));
	}
	return 0;
}

int agree_rank(struct agree *agree, const struct facts *facts, struct error *err)
{
	agree->facts = facts;
	agree->own.count = 0;
	agree->open_collectives.count = 0;
	number_map_clear(&agree->open);
	number_map_clear(&agree->dropped);
	for (size_t i = 0; i < facts->comms.count; i++) {
		const struct mpi_comm *comm = &facts->comms.items[i].comm;
		struct agree_own own = {.least_open = UINT64_MAX};
		const struct agree_comm *known = find_comm(agree, comm->key, &own.index);

		own.first_group = known && in_first_group(known, facts->rank, comm);
		TRY(array_push(&agree->own, own, err));
	}
	return find_windows(agree, facts, err);
}

/* ------------------------------------------------------------------ messages */

/*
 * The channel of a message that this rank has sent or received; NUMBER_MAP_EMPTY
 * if the communicator has no such rank.
 */
static int find_channel(struct agree *agree, const struct mpi_event *event, bool sent,
			uint32_t *channel, struct error *err)
{
	static const struct agree_channel none;
	const struct agree_own *own = &agree->own.items[event->comm];
	const struct agree_comm *comm = &agree->comms.items[own->index];
	bool remote = comm->remote_size && own->first_group;
	const uint64_t *members = remote ? comm->remote : comm->members;
	uint64_t rank = agree->facts->rank, peer, key;

	*channel = NUMBER_MAP_EMPTY;
	if (event->peer >= (remote ? comm->remote_size : comm->size))
		return 0;
	peer = members ? members[event->peer] : event->peer;
	key = mix64_add(agree->facts->comms.items[event->comm].comm.key, sent ? rank : peer);
	key = mix64_add(key, sent ? peer : rank);
	*channel = number_map_get(&agree->channel_by_key, key, event->tag);
	if (*channel != NUMBER_MAP_EMPTY)
		return 0;
	*channel = (uint32_t)agree->channels.count;
	TRY(number_map_add(&agree->channel_by_key, key, event->tag, *channel, err));
	return array_push(&agree->channels, none, err);
}

static bool is_send(enum mpi_event_kind kind)
{
	return kind == EVENT_SEND || kind == EVENT_ISEND;
}

static bool is_receive(enum mpi_event_kind kind)
{
	return kind == EVENT_RECV || kind == EVENT_IRECV;
}

/* ------------------------------------------------------------------ counting */

static int count_message(struct agree *agree, const struct mpi_event *event, struct error *err)
{
	uint32_t channel;

	TRY(find_channel(agree, event, is_send(event->kind), &channel, err));
	if (channel == NUMBER_MAP_EMPTY)
		return 0;
	if (!is_send(event->kind)) {
		agree->channels.items[channel].receives++;
		return 0;
	}
	agree->channels.items[channel].sends++;
	if (event->kind == EVENT_SEND)
		return 0;
	number_map_remove(&agree->open, event->request, EVENT_ISEND);
	return number_map_add(&agree->open, event->request, EVENT_ISEND, channel, err);
}

/* A send that was cancelled has never been one. */
static int count_cancelled(struct agree *agree, const struct mpi_event *event, struct error *err)
{
	uint32_t channel = number_map_remove(&agree->open, event->request, EVENT_ISEND);

	if (channel == NUMBER_MAP_EMPTY)
		return 0;
	agree->channels.items[channel].sends--;
	number_map_remove(&agree->cancelled, event->request, agree->facts->rank);
	return number_map_add(&agree->cancelled, event->request, agree->facts->rank, 0, err);
}

static int count_event(struct agree *agree, const struct mpi_event *event, struct error *err)
{
	struct agree_open open = {.comm = event->comm};

	if (is_send(event->kind) || is_receive(event->kind))
		return count_message(agree, event, err);
	switch (event->kind) {
	case EVENT_ISEND_COMPLETE:
		number_map_remove(&agree->open, event->request, EVENT_ISEND);
		return 0;
	case EVENT_REQUEST_CANCELLED:
		return count_cancelled(agree, event, err);
	case EVENT_COLLECTIVE:
		agree->own.items[event->comm].seen++;
		return 0;
	case EVENT_RMA_COLLECTIVE:
		agree->own_windows.items[event->window].seen++;
		return 0;
	case EVENT_COLLECTIVE_REQUEST:
		open.number = agree->own.items[event->comm].seen++;
		number_map_remove(&agree->open, event->request, event->kind);
		TRY(number_map_add(&agree->open, event->request, event->kind,
				   (uint32_t)agree->open_collectives.count, err));
		return array_push(&agree->open_collectives, open, err);
	case EVENT_COLLECTIVE_COMPLETE:
		number_map_remove(&agree->open, event->request, EVENT_COLLECTIVE_REQUEST);
		return 0;
	default:
		return 0;
	}
}

int agree_count(struct agree *agree, const struct mpi_call *call, struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(count_event(agree, &call->events[i], err));
	return 0;
}

int agree_rank_end(struct agree *agree, struct error *err)
{
	(void)err;
	for (size_t i = 0; agree->open.count && i < agree->open.capacity; i++) {
		const struct number_map_entry *entry = &agree->open.entries[i];
		const struct agree_open *open;
		struct agree_own *own;

		if (entry->value == NUMBER_MAP_EMPTY || entry->second != EVENT_COLLECTIVE_REQUEST)
			continue;
		open = &agree->open_collectives.items[entry->value];
		own = &agree->own.items[open->comm];
		if (open->number < own->least_open)
			own->least_open = open->number;
	}
	for (size_t i = 0; i < agree->own.count; i++) {
		const struct agree_own *own = &agree->own.items[i];
		struct agree_comm *comm;
		uint64_t whole = own->seen < own->least_open ? own->seen : own->least_open;

		if (own->index == NUMBER_MAP_EMPTY)
			continue;
		comm = &agree->comms.items[own->index];
		comm->reports++;
		if (whole < comm->kept)
			comm->kept = whole;
	}
	for (size_t i = 0; i < agree->own_windows.count; i++) {
		const struct agree_own_window *own = &agree->own_windows.items[i];
		struct agree_window *window = &agree->windows.items[own->index];

		window->reports++;
		if (own->seen < window->kept)
			window->kept = own->seen;
	}
	return 0;
}

void agree_end(struct agree *agree)
{
	for (size_t i = 0; i < agree->comms.count; i++) {
		struct agree_comm *comm = &agree->comms.items[i];

		if (comm->reports < (uint64_t)comm->size + comm->remote_size)
			comm->kept = 0;
	}
	for (size_t i = 0; i < agree->windows.count; i++) {
		struct agree_window *window = &agree->windows.items[i];

		if (window->comm == NUMBER_MAP_EMPTY ||
		    window->reports < agree->comms.items[window->comm].size)
			window->kept = 0;
	}
}

/* ------------------------------------------------------------------- editing */

static int drop_request(struct agree *agree, uint64_t request, struct error *err)
{
	number_map_remove(&agree->dropped, request, 0);
	return number_map_add(&agree->dropped, request, 0, 0, err);
}

/* Whether a message is kept: 1 or 0, or -1 on failure. */
static int keep_message(struct agree *agree, struct mpi_event *event, struct error *err)
{
	struct agree_channel *channel;
	bool sent = is_send(event->kind);
	uint32_t index;
	uint64_t kept;

	if (event->kind == EVENT_ISEND &&
	    number_map_get(&agree->cancelled, event->request, agree->facts->rank) !=
		    NUMBER_MAP_EMPTY)
		return 1;
	TRY(find_channel(agree, event, sent, &index, err));
	if (index != NUMBER_MAP_EMPTY) {
		channel = &agree->channels.items[index];
		kept = channel->sends < channel->receives ? channel->sends : channel->receives;
		if ((sent ? channel->seen_sends++ : channel->seen_receives++) < kept)
			return 1;
	}
	if (sent)
		agree->sends++;
	else
		agree->receives++;
	if (event->kind == EVENT_ISEND)
		TRY(drop_request(agree, event->request, err));
	if (event->kind != EVENT_IRECV)
		return 0;
	event->kind = EVENT_REQUEST_CANCELLED;
	return 1;
}

static int keep_collective(struct agree *agree, const struct mpi_event *event, struct error *err)
{
	struct agree_own *own = &agree->own.items[event->comm];

	if (own->seen++ < agree->comms.items[own->index].kept)
		return 1;
	agree->collectives++;
	if (event->kind == EVENT_COLLECTIVE_REQUEST)
		TRY(drop_request(agree, event->request, err));
	return 0;
}

static int keep_rma_collective(struct agree *agree, const struct mpi_event *event)
{
	struct agree_own_window *own = &agree->own_windows.items[event->window];

	if (own->seen++ < agree->windows.items[own->index].kept)
		return 1;
	agree->collectives++;
	return 0;
}

static int keep(struct agree *agree, struct mpi_event *event, struct error *err)
{
	if (is_send(event->kind) || is_receive(event->kind))
		return keep_message(agree, event, err);
	switch (event->kind) {
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_REQUEST:
		return keep_collective(agree, event, err);
	case EVENT_RMA_COLLECTIVE:
		return keep_rma_collective(agree, event);
	case EVENT_ISEND_COMPLETE:
	case EVENT_COLLECTIVE_COMPLETE:
	case EVENT_REQUEST_TEST:
	case EVENT_REQUEST_CANCELLED:
		return number_map_get(&agree->dropped, event->request, 0) == NUMBER_MAP_EMPTY;
	default:
		return 1;
	}
}

int agree_edit(void *data, struct mpi_call *call, struct mpi_event *events, struct error *err)
{
	struct agree *agree = data;
	uint32_t count = 0;
	bool creation = true;	/* or end of a handle is kept, if this is one */

	for (uint32_t i = 0; i < call->event_count; i++) {
		int kept = keep(agree, &events[i], err);

		TRY(kept);
		if (kept)
			events[count++] = events[i];
		else if (events[i].kind == EVENT_RMA_COLLECTIVE ||
			 (events[i].kind == EVENT_COLLECTIVE &&
			  events[i].collective == COLL_CREATE_HANDLE))
			creation = false;
	}
	call->event_count = count;
	for (uint32_t i = count = 0; !creation && i < call->event_count; i++)
		if (events[i].kind != EVENT_COMM_CREATE && events[i].kind != EVENT_WIN_CREATE &&
		    events[i].kind != EVENT_WIN_DESTROY)
			events[count++] = events[i];
	if (!creation)
		call->event_count = count;
	return 0;
}
