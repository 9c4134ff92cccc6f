#include "trace/assemble/consistency.h"

#include "common/hash.h"

#include <string.h>

static const struct consistency_span all = {0, UINT64_MAX};

/* Add an item; items after a missing one are not kept. */
static void span_add(struct consistency_span *span, uint64_t ordinal)
{
	if (span->end == 0)
		*span = (struct consistency_span){ordinal, ordinal};
	if (span->end == ordinal)
		span->end++;
}

static void span_intersect(struct consistency_span *span, struct consistency_span other)
{
	if (other.first > span->first)
		span->first = other.first;
	if (other.end < span->end)
		span->end = other.end;
}

static bool span_has(struct consistency_span span, uint64_t ordinal)
{
	return ordinal >= span.first && ordinal < span.end;
}

/* Ordinal of an event: as told, or the next one. */
static uint64_t take_ordinal(const uint64_t *told, uint64_t *next)
{
	return told ? *told : (*next)++;
}

void consistency_release(struct consistency *consistency)
{
	array_release(&consistency->comms);
	number_map_release(&consistency->comm_by_key);
	array_release(&consistency->windows);
	number_map_release(&consistency->window_by_key);
	array_release(&consistency->own_windows);
	array_release(&consistency->channels);
	number_map_release(&consistency->channel_by_key);
	number_map_release(&consistency->cancelled);
	array_release(&consistency->own);
	call_tracker_release(&consistency->tracker);
	array_release(&consistency->open);
	number_map_release(&consistency->dropped);
}

/* ------------------------------------------------------------- communicators */

int consistency_comm(struct consistency *consistency, const struct mpi_comm *comm,
		     struct error *err)
{
	struct consistency_comm known = {.size = comm->size, .remote_size = comm->remote_size,
					 .members = comm->members, .remote = comm->remote,
					 .kept = all};

	if (number_map_get(&consistency->comm_by_key, comm->key, 0) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(&consistency->comm_by_key, comm->key, 0,
			   (uint32_t)consistency->comms.count, err));
	return array_push(&consistency->comms, known, err);
}

static bool has_member(const uint64_t *members, uint32_t size, uint32_t place, uint32_t rank)
{
	return place < size && (members ? members[place] == rank : place == rank);
}

static bool in_first_group(const struct consistency_comm *known, uint32_t rank,
			   const struct mpi_comm *comm)
{
	return known->size == comm->size && known->remote_size == comm->remote_size &&
	       has_member(known->members, known->size, comm->rank, rank);
}

static bool in_second_group(const struct consistency_comm *known, uint32_t rank,
			    const struct mpi_comm *comm)
{
	return known->remote_size && known->remote_size == comm->size &&
	       known->size == comm->remote_size &&
	       has_member(known->remote, known->remote_size, comm->rank, rank);
}

static const struct consistency_comm *find_comm(const struct consistency *consistency, uint64_t key,
						uint32_t *index)
{
	*index = number_map_get(&consistency->comm_by_key, key, 0);
	return *index == NUMBER_MAP_EMPTY ? NULL : &consistency->comms.items[*index];
}

bool consistency_knows(const struct consistency *consistency, uint32_t rank,
		       const struct mpi_comm *comm)
{
	uint32_t index;
	const struct consistency_comm *known = find_comm(consistency, comm->key, &index);

	return known && (in_first_group(known, rank, comm) || in_second_group(known, rank, comm));
}

/* Add the rank's windows.  Windows of all ranks with the same key are one window. */
static int find_windows(struct consistency *consistency, const struct rank_summary *summary,
			struct error *err)
{
	consistency->own_windows.count = 0;
	for (size_t i = 0; i < summary->windows.count; i++) {
		const struct mpi_window *window = &summary->windows.items[i].window;
		struct consistency_window new = {.comm = consistency->own.items[window->comm].index,
						 .kept = all};
		struct consistency_own_window own = {0};

		own.index = number_map_get(&consistency->window_by_key, window->key, 0);
		if (own.index == NUMBER_MAP_EMPTY) {
			own.index = (uint32_t)consistency->windows.count;
			TRY(number_map_add(&consistency->window_by_key, window->key, 0, own.index,
					   err));
			TRY(array_push(&consistency->windows, new, err));
		}
		TRY(array_push(&consistency->own_windows, own, err));
	}
	return 0;
}

int consistency_rank(struct consistency *consistency, const struct rank_summary *summary,
		     struct error *err)
{
	consistency->summary = summary;
	consistency->own.count = 0;
	consistency->open.count = 0;
	call_tracker_begin(&consistency->tracker, NULL, summary->rank);
	number_map_clear(&consistency->dropped);
	for (size_t i = 0; i < summary->comms.count; i++) {
		const struct mpi_comm *comm = &summary->comms.items[i].comm;
		struct consistency_own own = {.least_open = UINT64_MAX};
		const struct consistency_comm *known = find_comm(consistency, comm->key,
								 &own.index);

		own.first_group = known && in_first_group(known, summary->rank, comm);
		TRY(array_push(&consistency->own, own, err));
	}
	return find_windows(consistency, summary, err);
}

/* ------------------------------------------------------------------ messages */

/*
 * Find the channel of a message that this rank has sent or received; NUMBER_MAP_EMPTY
 * if the communicator lacks the peer.
 */
static int find_channel(struct consistency *consistency, const struct mpi_event *event, bool sent,
			uint32_t *channel, struct error *err)
{
	static const struct consistency_channel none;
	const struct consistency_own *own = &consistency->own.items[event->comm];
	const struct consistency_comm *comm = &consistency->comms.items[own->index];
	bool remote = comm->remote_size && own->first_group;
	const uint64_t *members = remote ? comm->remote : comm->members;
	uint64_t rank = consistency->summary->rank, peer, key;

	*channel = NUMBER_MAP_EMPTY;
	if (event->peer >= (remote ? comm->remote_size : comm->size))
		return 0;
	peer = members ? members[event->peer] : event->peer;
	key = mix64_add(consistency->summary->comms.items[event->comm].comm.key,
			sent ? rank : peer);
	key = mix64_add(key, sent ? peer : rank);
	*channel = number_map_get(&consistency->channel_by_key, key, event->tag);
	if (*channel != NUMBER_MAP_EMPTY)
		return 0;
	*channel = (uint32_t)consistency->channels.count;
	TRY(number_map_add(&consistency->channel_by_key, key, event->tag, *channel, err));
	return array_push(&consistency->channels, none, err);
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

/* Note a send or collective that has begun. */
static int start_request(struct consistency *consistency, const struct mpi_event *event,
			 struct consistency_open open, struct error *err)
{
	struct tracked_request request, before;

	TRY(call_tracker_start(&consistency->tracker, event, &request, &before, err));
	if (request.place == consistency->open.count)
		return array_push(&consistency->open, open, err);
	consistency->open.items[request.place] = open;
	return 0;
}

static int count_message(struct consistency *consistency, const struct mpi_event *event,
			 const uint64_t *told, struct error *err)
{
	struct consistency_channel *of;
	uint32_t channel;

	TRY(find_channel(consistency, event, is_send(event->kind), &channel, err));
	if (channel == NUMBER_MAP_EMPTY)
		return 0;
	of = &consistency->channels.items[channel];
	if (!is_send(event->kind)) {
		span_add(&of->receives, told ? *told : of->receives.end);
		return 0;
	}
	span_add(&of->sends, told ? *told : of->sends.end);
	if (event->kind == EVENT_SEND)
		return 0;
	return start_request(consistency, event, (struct consistency_open){.of = channel}, err);
}

/* Subtract a cancelled send, unless ordinals are told. */
static int count_cancelled(struct consistency *consistency, const struct mpi_event *event,
			   bool told, struct error *err)
{
	struct tracked_request request;
	uint32_t before;

	if (!call_tracker_complete(&consistency->tracker, event, &request) ||
	    request.kind != TRACKED_SEND)
		return 0;
	if (!told)
		consistency->channels.items[consistency->open.items[request.place].of].sends.end--;
	return number_map_set(&consistency->cancelled, event->request, consistency->summary->rank,
			      0, &before, err);
}

static int count_event(struct consistency *consistency, const struct mpi_event *event,
		       const uint64_t *told, struct error *err)
{
	struct consistency_own_window *window;
	struct consistency_own *own;
	struct consistency_open open = {.of = event->comm};
	struct tracked_request request;

	if (is_send(event->kind) || is_receive(event->kind))
		return count_message(consistency, event, told, err);
	switch (event->kind) {
	case EVENT_ISEND_COMPLETE:
	case EVENT_COLLECTIVE_COMPLETE:
		call_tracker_complete(&consistency->tracker, event, &request);
		return 0;
	case EVENT_REQUEST_CANCELLED:
		return count_cancelled(consistency, event, told, err);
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_REQUEST:
		own = &consistency->own.items[event->comm];
		open.number = take_ordinal(told, &own->seen);
		span_add(&own->span, open.number);
		return event->kind == EVENT_COLLECTIVE
			       ? 0 : start_request(consistency, event, open, err);
	case EVENT_RMA_COLLECTIVE:
		window = &consistency->own_windows.items[event->window];
		span_add(&window->span, take_ordinal(told, &window->seen));
		return 0;
	default:
		return 0;
	}
}

int consistency_count(struct consistency *consistency, const struct mpi_call *call,
		      const uint64_t *ordinals, struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(count_event(consistency, &call->events[i], ordinals ? &ordinals[i] : NULL,
				err));
	return 0;
}

int consistency_rank_end(struct consistency *consistency, struct error *err)
{
	struct tracked_request request;
	size_t next = 0;

	(void)err;
	while (call_tracker_next(&consistency->tracker, &next, &request)) {
		const struct consistency_open *open = &consistency->open.items[request.place];
		struct consistency_own *own;

		if (request.kind != TRACKED_COLLECTIVE)
			continue;
		own = &consistency->own.items[open->of];
		if (open->number < own->least_open)
			own->least_open = open->number;
	}
	for (size_t i = 0; i < consistency->own.count; i++) {
		struct consistency_own *own = &consistency->own.items[i];
		struct consistency_comm *comm;

		if (own->index == NUMBER_MAP_EMPTY)
			continue;
		comm = &consistency->comms.items[own->index];
		comm->reports++;
		span_intersect(&comm->kept, own->span);
		span_intersect(&comm->kept, (struct consistency_span){0, own->least_open});
	}
	for (size_t i = 0; i < consistency->own_windows.count; i++) {
		const struct consistency_own_window *own = &consistency->own_windows.items[i];
		struct consistency_window *window = &consistency->windows.items[own->index];

		window->reports++;
		span_intersect(&window->kept, own->span);
	}
	return 0;
}

void consistency_end(struct consistency *consistency)
{
	for (size_t i = 0; i < consistency->comms.count; i++) {
		struct consistency_comm *comm = &consistency->comms.items[i];

		if (comm->reports < (uint64_t)comm->size + comm->remote_size)
			comm->kept.end = 0;
	}
	for (size_t i = 0; i < consistency->windows.count; i++) {
		struct consistency_window *window = &consistency->windows.items[i];

		if (window->comm == NUMBER_MAP_EMPTY ||
		    window->reports < consistency->comms.items[window->comm].size)
			window->kept.end = 0;
	}
}

/* ------------------------------------------------------------------- editing */

static int drop_request(struct consistency *consistency, uint64_t request, struct error *err)
{
	uint32_t before;

	return number_map_set(&consistency->dropped, request, 0, 0, &before, err);
}

/* Check whether a message is kept: 1 or 0, or -1 on failure. */
static int keep_message(struct consistency *consistency, struct mpi_event *event,
			const uint64_t *told, struct error *err)
{
	struct consistency_channel *channel;
	bool sent = is_send(event->kind);
	uint64_t ordinal;
	uint32_t index;

	if (event->kind == EVENT_ISEND &&
	    number_map_get(&consistency->cancelled, event->request, consistency->summary->rank) !=
		    NUMBER_MAP_EMPTY)
		return 1;
	TRY(find_channel(consistency, event, sent, &index, err));
	if (index != NUMBER_MAP_EMPTY) {
		channel = &consistency->channels.items[index];
		ordinal = take_ordinal(told, sent ? &channel->seen_sends : &channel->seen_receives);
		if (span_has(channel->sends, ordinal) && span_has(channel->receives, ordinal))
			return 1;
	}
	if (sent)
		consistency->sends++;
	else
		consistency->receives++;
	if (event->kind == EVENT_ISEND)
		TRY(drop_request(consistency, event->request, err));
	if (event->kind != EVENT_IRECV)
		return 0;
	event->kind = EVENT_REQUEST_CANCELLED;
	return 1;
}

static int keep_collective(struct consistency *consistency, const struct mpi_event *event,
			   const uint64_t *told, struct error *err)
{
	struct consistency_own *own = &consistency->own.items[event->comm];

	if (span_has(consistency->comms.items[own->index].kept, take_ordinal(told, &own->seen)))
		return 1;
	consistency->collectives++;
	if (event->kind == EVENT_COLLECTIVE_REQUEST)
		TRY(drop_request(consistency, event->request, err));
	return 0;
}

static int keep_rma_collective(struct consistency *consistency, const struct mpi_event *event,
			       const uint64_t *told)
{
	struct consistency_own_window *own = &consistency->own_windows.items[event->window];

	if (span_has(consistency->windows.items[own->index].kept, take_ordinal(told, &own->seen)))
		return 1;
	consistency->collectives++;
	return 0;
}

static int keep(struct consistency *consistency, struct mpi_event *event, const uint64_t *told,
		struct error *err)
{
	if (is_send(event->kind) || is_receive(event->kind))
		return keep_message(consistency, event, told, err);
	switch (event->kind) {
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_REQUEST:
		return keep_collective(consistency, event, told, err);
	case EVENT_RMA_COLLECTIVE:
		return keep_rma_collective(consistency, event, told);
	case EVENT_ISEND_COMPLETE:
	case EVENT_COLLECTIVE_COMPLETE:
	case EVENT_REQUEST_TEST:
	case EVENT_REQUEST_CANCELLED:
		return number_map_get(&consistency->dropped, event->request, 0) == NUMBER_MAP_EMPTY;
	default:
		return 1;
	}
}

int consistency_edit(void *data, struct mpi_call *call, struct mpi_event *events,
		     const uint64_t *ordinals, struct error *err)
{
	struct consistency *consistency = data;
	uint32_t count = 0;
	bool creation = true;	/* false: drop the creation or end of the call's handle */

	for (uint32_t i = 0; i < call->event_count; i++) {
		int kept = keep(consistency, &events[i], ordinals ? &ordinals[i] : NULL, err);

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
