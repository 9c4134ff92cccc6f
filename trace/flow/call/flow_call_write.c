/* Write calls as signatures. */
#include "trace/flow/call/flow_call.h"
#include "trace/flow/call/flow_call_internal.h"

#include <string.h>

static int put_string(struct flow_calls *calls, const char *text, struct flow_bytes *bytes,
		      struct error *err)
{
	uint32_t number;

	TRY(string_table_add(&calls->flow->strings, text, strlen(text), &number, err));
	return flow_put(bytes, number, err);
}

int flow_string(struct flow_calls *calls, const char *text, const char **kept, struct error *err)
{
	uint32_t number;

	TRY(string_table_add(&calls->flow->strings, text, strlen(text), &number, err));
	*kept = string_table_get(&calls->flow->strings, number);
	return 0;
}

int flow_function(struct flow_calls *calls, const char *function, uint32_t *string,
		  struct error *err)
{
	*string = number_map_get(&calls->functions, (uintptr_t)function, 0);
	if (*string != NUMBER_MAP_EMPTY)
		return 0;
	TRY(string_table_add(&calls->flow->strings, function, strlen(function), string, err));
	return number_map_add(&calls->functions, (uintptr_t)function, 0, *string, err);
}

/* Append the rank's own number of an id of the archive, which is the next one at its first use. */
#define PUT_ID(calls, kind, id, bytes, err)                                                 \
	do {                                                                                \
		uint32_t put_id_number = number_map_get(&(calls)->kind, (id), 0);           \
		if (put_id_number == NUMBER_MAP_EMPTY) {                                    \
			struct flow_rank *put_id_rank = flow_rank_of((calls)->flow,         \
								     (calls)->rank);        \
			put_id_number = (uint32_t)put_id_rank->kind.count;                  \
			TRY(array_push(&put_id_rank->kind, (id), (err)));                   \
			TRY(number_map_add(&(calls)->kind, (id), 0, put_id_number, (err))); \
		}                                                                           \
		TRY(flow_put((bytes), put_id_number, (err)));                               \
	} while (0)

int flow_group_add(struct flow_calls *calls, uint32_t id, const uint32_t *members, uint32_t count,
		   struct error *err)
{
	struct flow_group group = {.id = id};

	if (number_map_get(calls->all_groups, id, 0) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(calls->all_groups, id, 0, (uint32_t)calls->flow->groups.count, err));
	TRY(array_reserve(&group.members, count + 1, err));
	memcpy(group.members.items, members, count * sizeof *members);
	group.members.count = count;
	if (array_push(&calls->flow->groups, group, err) < 0) {
		array_release(&group.members);
		return -1;
	}
	return 0;
}

/* ------------------------------------------------------------- which fields there are */

static bool is_from_own(const struct mpi_event *event)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_ISEND:
	case EVENT_IRECV:
	case EVENT_RMA_LOCK:
	case EVENT_RMA_UNLOCK:
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		return true;
	default:
		return false;
	}
}

static unsigned message_fields(const struct mpi_event *event, uint8_t posted)
{
	unsigned fields = 0;

	if (posted & POSTED_ANY_SOURCE)
		fields |= FIELD_PEER_VALUE;
	if (posted & POSTED_ANY_TAG)
		fields |= FIELD_TAG_VALUE;
	if (posted)
		fields |= FIELD_BYTES_VALUE;
	else if (event->bytes)
		fields |= FIELD_BYTES;
	if (event->tag && !(fields & FIELD_TAG_VALUE))
		fields |= FIELD_TAG;
	return fields | (event->partitions ? FIELD_PARTITIONS : 0) |
	       (event->posted ? FIELD_POSTED : 0);
}

static unsigned collective_fields(const struct mpi_event *event)
{
	return (event->send_bytes ? FIELD_TO_ALL : 0) |
	       (event->receive_bytes ? FIELD_FROM_ALL : 0) |
	       (event->send_count ? FIELD_TO_COUNT : 0) |
	       (event->receive_count ? FIELD_FROM_COUNT : 0) |
	       (event->neighbours ? FIELD_NEIGHBOURS : 0) |
	       (event->persistent ? FIELD_PERSISTENT : 0) | (event->in_place ? FIELD_IN_PLACE : 0) |
	       FIELD_ROOT;
}

static unsigned window_fields(const struct mpi_event *event)
{
	return (event->kind == EVENT_RMA_GROUP_SYNC ? FIELD_GROUP : 0) | FIELD_WINDOW |
	       (event->atomic ? FIELD_ATOMIC : 0) | (event->sync ? FIELD_SYNC : 0) |
	       (event->exclusive ? FIELD_EXCLUSIVE : 0);
}

static unsigned common_fields(const struct mpi_event *event, uint64_t code)
{
	const enum flow_request_use use = flow_request_use(event);
	const bool has_request = code || use == FLOW_RECENTLY || use == FLOW_KEEPS;

	return (event->comm ? FIELD_COMM : 0) | (event->peer ? FIELD_PEER : 0) |
	       (event->collective ? FIELD_COLLECTIVE : 0) | (event->bytes_sent ? FIELD_SENT : 0) |
	       (event->bytes_received ? FIELD_RECEIVED : 0) |
	       (event->operation ? FIELD_OPERATION : 0) | (has_request ? FIELD_REQUEST : 0);
}

static unsigned special_fields(const struct mpi_event *event, uint8_t posted)
{
	return event_is_message(event->kind)	  ? message_fields(event, posted)
	       : event_is_collective(event->kind) ? collective_fields(event)
	       : event_is_rma(event->kind)	  ? window_fields(event)
						  : 0;
}

/* Fields of an event that are left out by FLOW_FOLD_... */
static unsigned folded_fields(const struct mpi_event *event, unsigned folds)
{
	unsigned fields = 0;

	if (folds & FLOW_FOLD_BYTES)
		fields |= FIELD_SENT | FIELD_RECEIVED |
			  (event_is_message(event->kind)      ? FIELD_BYTES
			   : event_is_collective(event->kind) ? FIELD_TO_ALL | FIELD_FROM_ALL
							      : 0);
	if (folds & FLOW_FOLD_TAG && event_is_message(event->kind))
		fields |= FIELD_TAG;
	if (folds & FLOW_FOLD_PEER && is_from_own(event))
		fields |= FIELD_PEER | FIELD_FROM_OWN;
	return fields;
}

/* --------------------------------------------------------------------- put fields */

static int put_peer(struct flow_calls *calls, const struct mpi_event *event, unsigned fields,
		    struct flow_bytes *bytes, struct error *err)
{
	uint32_t peer = event->peer;

	if (fields & FIELD_FROM_OWN) {
		const struct flow_place *place = &calls->places.items[event->comm];

		peer = peer + place->size - place->place;
		peer -= peer >= place->size ? place->size : 0;
	}
	return flow_put(bytes, peer, err);
}

static int put_common(struct flow_calls *calls, const struct mpi_event *event, unsigned fields,
		      uint64_t code, struct flow_bytes *bytes, struct error *err)
{
	if (fields & FIELD_COMM)
		PUT_ID(calls, comms, event->comm, bytes, err);
	if (fields & FIELD_PEER)
		TRY(put_peer(calls, event, fields, bytes, err));
	if (fields & FIELD_COLLECTIVE)
		TRY(flow_put(bytes, event->collective, err));
	if (fields & FIELD_SENT)
		TRY(flow_put(bytes, event->bytes_sent, err));
	if (fields & FIELD_RECEIVED)
		TRY(flow_put(bytes, event->bytes_received, err));
	if (fields & FIELD_OPERATION)
		TRY(put_string(calls, event->operation, bytes, err));
	return fields & FIELD_REQUEST ? flow_put(bytes, code, err) : 0;
}

static int put_message(const struct mpi_event *event, unsigned fields, struct flow_bytes *bytes,
		       struct error *err)
{
	if (fields & FIELD_BYTES)
		TRY(flow_put(bytes, event->bytes, err));
	if (fields & FIELD_TAG)
		TRY(flow_put(bytes, event->tag, err));
	if (fields & FIELD_PARTITIONS)
		TRY(flow_put(bytes, event->partitions, err));
	return fields & FIELD_POSTED ? flow_put(bytes, event->posted, err) : 0;
}

static int put_vector(const uint64_t *items, uint32_t count, struct flow_bytes *bytes,
		      struct error *err)
{
	for (uint32_t i = 0; i < count; i++)
		TRY(flow_put(bytes, items[i], err));
	return 0;
}

static int put_collective(struct flow_calls *calls, const struct mpi_event *event, unsigned fields,
			  struct flow_bytes *bytes, struct error *err)
{
	if (fields & FIELD_TO_COUNT)
		TRY(flow_put(bytes, event->send_count, err));
	if (fields & FIELD_FROM_COUNT)
		TRY(flow_put(bytes, event->receive_count, err));
	if (fields & FIELD_TO_ALL)
		TRY(put_vector(event->send_bytes, event->send_count, bytes, err));
	if (fields & FIELD_FROM_ALL)
		TRY(put_vector(event->receive_bytes, event->receive_count, bytes, err));
	if (fields & FIELD_NEIGHBOURS)
		TRY(put_string(calls, event->neighbours, bytes, err));
	if (fields & FIELD_PERSISTENT)
		TRY(flow_put(bytes, event->persistent, err));
	return flow_put(bytes, (uint32_t)(event->root + ROOT_SHIFT), err);
}

static int put_window(struct flow_calls *calls, const struct mpi_event *event, unsigned fields,
		      struct flow_bytes *bytes, struct error *err)
{
	if (fields & FIELD_GROUP)
		PUT_ID(calls, groups, event->group, bytes, err);
	if (fields & FIELD_WINDOW)
		PUT_ID(calls, windows, event->window, bytes, err);
	if (fields & FIELD_ATOMIC)
		TRY(flow_put(bytes, event->atomic, err));
	return fields & FIELD_SYNC ? flow_put(bytes, event->sync, err) : 0;
}

static int put_event(struct flow_calls *calls, const struct mpi_event *event,
		     const struct flow_code *code, unsigned folds, struct flow_bytes *bytes,
		     struct error *err)
{
	unsigned fields = common_fields(event, code->code) | special_fields(event, code->posted);

	if (fields & FIELD_PEER_VALUE && event_is_message(event->kind))
		fields &= ~(unsigned)FIELD_PEER;
	else if (is_from_own(event) && event->comm < calls->places.count &&
		 calls->places.items[event->comm].place != NO_RANK &&
		 event->peer < calls->places.items[event->comm].size)
		fields |= FIELD_PEER | FIELD_FROM_OWN;
	fields &= ~folded_fields(event, folds);
	TRY(flow_put(bytes, event->kind, err));
	TRY(flow_put(bytes, fields, err));
	TRY(put_common(calls, event, fields, code->code, bytes, err));
	if (event_is_message(event->kind))
		return put_message(event, fields, bytes, err);
	if (event_is_collective(event->kind))
		return put_collective(calls, event, fields, bytes, err);
	return event_is_rma(event->kind) ? put_window(calls, event, fields, bytes, err) : 0;
}

int flow_call_put(struct flow_calls *calls, const struct mpi_call *call,
		  const struct flow_codes *codes, uint32_t site, unsigned folds,
		  struct flow_bytes *bytes, struct error *err)
{
	uint32_t function;

	TRY(flow_function(calls, call->function, &function, err));
	TRY(flow_put(bytes, function, err));
	TRY(flow_put(bytes, (site ? CALL_HAS_SITE : 0) | (call->polls ? CALL_HAS_POLLS : 0), err));
	if (site)
		TRY(flow_put(bytes, site, err));
	TRY(flow_put(bytes, call->event_count, err));
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(put_event(calls, &call->events[i], &codes->items[i], folds, bytes, err));
	return 0;
}

static int put_values(const struct mpi_event *event, const struct flow_code *code,
		      struct flow_bytes *values, struct error *err)
{
	const unsigned fields = event_is_message(event->kind) ? message_fields(event, code->posted)
							      : 0;

	if (flow_request_is_foreign(flow_request_use(event), code->code))
		TRY(flow_foreign_put(code, values, err));
	if (fields & FIELD_PEER_VALUE)
		TRY(flow_put(values, event->peer, err));
	if (fields & FIELD_TAG_VALUE)
		TRY(flow_put(values, event->tag, err));
	return fields & FIELD_BYTES_VALUE ? flow_put(values, event->bytes, err) : 0;
}

int flow_call_put_values(const struct mpi_call *call, const struct flow_codes *codes,
			 struct flow_bytes *values, struct error *err)
{
	if (call->polls)
		TRY(flow_put(values, call->polls, err));
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(put_values(&call->events[i], &codes->items[i], values, err));
	return 0;
}
