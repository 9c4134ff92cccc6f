#include "trace/flow/call/flow_call.h"

#include "trace/flow/call/flow_call_internal.h"

#include <string.h>

struct flow_place flow_place_in(const struct trace_comm *comm, uint32_t rank)
{
	struct flow_place place = {NO_RANK, comm->size};

	if (comm->defined && comm->identity)
		place.place = rank;
	else if (comm->defined && comm->self)
		place.place = 0;
	else if (comm->defined && !comm->inter)
		place.place = trace_rank_among(comm->ranks, comm->size, rank);
	return place;
}

int flow_calls_comm(struct flow_calls *calls, uint32_t id, struct flow_place place,
		    struct error *err)
{
	while (calls->places.count <= id)
		TRY(array_push(&calls->places, ((struct flow_place){.place = NO_RANK}), err));
	calls->places.items[id] = place;
	return 0;
}

int flow_calls_begin(struct flow_calls *calls, struct flow *flow, uint32_t rank, struct error *err)
{
	*calls = (struct flow_calls){.flow = flow, .rank = rank};
	for (uint32_t i = 0; rank != NO_RANK && i < flow->world.comm_count; i++)
		TRY(flow_calls_comm(calls, i, flow_place_in(&flow->world.comms[i], rank), err));
	return 0;
}

void flow_calls_write(struct flow_calls *calls, struct flow *flow, uint32_t rank,
		      struct number_map *all_groups)
{
	*calls = (struct flow_calls){.flow = flow, .rank = rank, .all_groups = all_groups};
}

static void release_template(struct flow_template *template)
{
	if (!template)
		return;
	for (void **memory = template->memory; memory;) {
		void **next = *memory;

		free(memory);
		memory = next;
	}
	free(template->events);
	free(template->open);
	free(template);
}

void flow_calls_release(struct flow_calls *calls)
{
	for (size_t i = 0; i < calls->templates.count; i++)
		release_template(calls->templates.items[i]);
	array_release(&calls->templates);
	array_release(&calls->places);
	number_map_release(&calls->comms);
	number_map_release(&calls->windows);
	number_map_release(&calls->groups);
	number_map_release(&calls->functions);
	flow_requests_release(&calls->requests);
}

/* -------------------------------------------------------------------- signatures */

int flow_signature_add(struct flow *flow, const struct flow_bytes *bytes, uint32_t *number,
		       struct error *err)
{
	const size_t before = flow->signatures.starts.count;

	TRY(string_table_add(&flow->signatures, (const char *)bytes->items, bytes->count, number,
			     err));
	if (flow->signatures.starts.count == before)
		return 0;
	return array_push(&flow->signature_sizes, (uint32_t)bytes->count, err);
}

struct flow_cursor flow_signature(const struct flow *flow, uint32_t number,
				  enum flow_signature_kind *kind)
{
	struct flow_cursor cursor = flow_cursor(string_table_get(&flow->signatures, number),
						flow->signature_sizes.items[number]);

	*kind = (enum flow_signature_kind)flow_get_most(&cursor, FLOW_VARIABLE);
	return cursor;
}

struct flow_label flow_signature_label(const struct flow *flow, uint32_t number)
{
	enum flow_signature_kind kind;
	struct flow_cursor cursor = flow_signature(flow, number, &kind);
	const size_t last = flow->strings.starts.count - 1;
	struct flow_label label = {.common = kind == FLOW_VARIABLE ? UINT32_MAX : number};

	label.function = string_table_get(&flow->strings, (uint32_t)flow_get_most(&cursor, last));
	if (flow_get(&cursor) & CALL_HAS_SITE)
		label.site = (uint32_t)flow_get_most(&cursor, last);
	if (kind == FLOW_VARIABLE)
		label.common = (uint32_t)flow_get_most(&cursor, flow->signatures.starts.count) - 1;
	return label;
}

/* --------------------------------------------------------------------- templates */

static int damaged_signature(struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: a signature");
}

static int get_string(const struct flow_calls *calls, struct flow_cursor *cursor, const char **text)
{
	const size_t count = calls->flow->strings.starts.count;

	*text = string_table_get(&calls->flow->strings, (uint32_t)flow_get_most(cursor, count - 1));
	return 0;
}

/* Id in the archive of the rank's own number: the number itself without a rank. */
#define GET_ID(calls, kind, cursor, id)                                                            \
	do {                                                                                       \
		const struct flow_rank *get_id_rank = (calls)->rank == NO_RANK                     \
							      ? NULL                               \
							      : flow_rank_of((calls)->flow,        \
									     (calls)->rank);       \
		const uint64_t get_id_number = flow_get_most((cursor),                             \
							     get_id_rank ? get_id_rank->kind.count \
									 : UINT32_MAX);            \
		if (!get_id_rank)                                                                  \
			(id) = (uint32_t)get_id_number;                                            \
		else if (get_id_number < get_id_rank->kind.count)                                  \
			(id) = get_id_rank->kind.items[get_id_number];                             \
		else                                                                               \
			(cursor)->damaged = true;                                                  \
	} while (0)

static void get_peer(const struct flow_calls *calls, struct flow_cursor *cursor, unsigned fields,
		     struct mpi_event *event)
{
	const struct flow_place *place = &calls->places.items[event->comm];

	event->peer = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	if (!(fields & FIELD_FROM_OWN) || calls->rank == NO_RANK)
		return;
	if (event->comm >= calls->places.count || place->place == NO_RANK ||
	    event->peer >= place->size) {
		cursor->damaged = true;
		return;
	}
	event->peer = (uint32_t)(((uint64_t)event->peer + place->place) % place->size);
}

static void get_common(const struct flow_calls *calls, struct flow_cursor *cursor, unsigned fields,
		       struct mpi_event *event, struct flow_open_field *open)
{
	if (fields & FIELD_COMM)
		GET_ID(calls, comms, cursor, event->comm);
	if (fields & FIELD_PEER)
		get_peer(calls, cursor, fields, event);
	if (fields & FIELD_COLLECTIVE)
		event->collective = (enum mpi_collective)flow_get_most(cursor, UINT8_MAX);
	if (fields & FIELD_SENT)
		event->bytes_sent = flow_get(cursor);
	if (fields & FIELD_RECEIVED)
		event->bytes_received = flow_get(cursor);
	if (fields & FIELD_OPERATION)
		get_string(calls, cursor, &event->operation);
	if (fields & FIELD_REQUEST) {
		open->code.code = flow_get(cursor);
		event->request = 1; /* it has one */
	}
}

static void get_message(struct flow_cursor *cursor, unsigned fields, struct mpi_event *event,
			struct flow_open_field *open)
{
	if (fields & FIELD_BYTES)
		event->bytes = flow_get(cursor);
	if (fields & FIELD_TAG)
		event->tag = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	if (fields & FIELD_PARTITIONS)
		event->partitions = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	if (fields & FIELD_POSTED)
		event->posted = (uint8_t)flow_get_most(cursor, UINT8_MAX);
	open->peer = fields & FIELD_PEER_VALUE;
	open->tag = fields & FIELD_TAG_VALUE;
	open->bytes = fields & FIELD_BYTES_VALUE;
}

/* Read `count` sizes into memory of the template. */
static int get_vector(struct flow_template *template, struct flow_cursor *cursor, uint32_t count,
		      const uint64_t **items, struct error *err)
{
	uint64_t *vector;

	if (count > flow_left(cursor)) {
		cursor->damaged = true;
		return 0;
	}
	TRY(allocate(&vector, (size_t)count + 1, sizeof *vector, err));
	memcpy(vector, &template->memory, sizeof(void *));
	template->memory = vector;
	for (uint32_t i = 0; i < count; i++)
		vector[i + 1] = flow_get(cursor);
	*items = vector + 1;
	return 0;
}

static int get_collective(const struct flow_calls *calls, struct flow_template *template,
			  struct flow_cursor *cursor, unsigned fields, struct mpi_event *event,
			  struct error *err)
{
	if (fields & FIELD_TO_COUNT)
		event->send_count = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	if (fields & FIELD_FROM_COUNT)
		event->receive_count = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	if (fields & FIELD_TO_ALL)
		TRY(get_vector(template, cursor, event->send_count, &event->send_bytes, err));
	if (fields & FIELD_FROM_ALL)
		TRY(get_vector(template, cursor, event->receive_count, &event->receive_bytes, err));
	if (fields & FIELD_NEIGHBOURS)
		get_string(calls, cursor, &event->neighbours);
	if (fields & FIELD_PERSISTENT)
		event->persistent = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	event->in_place = fields & FIELD_IN_PLACE;
	event->root = (uint32_t)flow_get_most(cursor, UINT32_MAX) - ROOT_SHIFT;
	return 0;
}

static int get_members(const struct flow_calls *calls, struct mpi_event *event)
{
	const struct flow *flow = calls->flow;

	for (size_t i = 0; i < flow->groups.count; i++)
		if (flow->groups.items[i].id == event->group) {
			event->group_ranks = flow->groups.items[i].members.items;
			event->group_size = (uint32_t)flow->groups.items[i].members.count;
		}
	return 0;
}

static void get_window(const struct flow_calls *calls, struct flow_cursor *cursor, unsigned fields,
		       struct mpi_event *event)
{
	if (fields & FIELD_GROUP) {
		GET_ID(calls, groups, cursor, event->group);
		get_members(calls, event);
	}
	if (fields & FIELD_WINDOW)
		GET_ID(calls, windows, cursor, event->window);
	if (fields & FIELD_ATOMIC)
		event->atomic = (enum rma_atomic)flow_get_most(cursor, UINT8_MAX);
	if (fields & FIELD_SYNC)
		event->sync = (uint8_t)flow_get_most(cursor, UINT8_MAX);
	event->exclusive = fields & FIELD_EXCLUSIVE;
}

static int get_event(const struct flow_calls *calls, struct flow_template *template,
		     uint32_t number, struct flow_cursor *cursor, struct error *err)
{
	struct mpi_event *event = &template->events[number];
	struct flow_open_field *open = &template->open[number];
	unsigned fields;

	*event = (struct mpi_event){
		.kind = (enum mpi_event_kind)flow_get_most(cursor, EVENT_KINDS - 1)};
	fields = (unsigned)flow_get_most(cursor, UINT16_MAX);
	get_common(calls, cursor, fields, event, open);
	if (event_is_message(event->kind))
		get_message(cursor, fields, event, open);
	else if (event_is_collective(event->kind))
		TRY(get_collective(calls, template, cursor, fields, event, err));
	else if (event_is_rma(event->kind))
		get_window(calls, cursor, fields, event);
	open->use = flow_request_use(event);
	template->any_open |= open->use != FLOW_NO_REQUEST || open->bytes;
	template->ends_oldest &= open->use == FLOW_ENDS && open->code.code == 1;
	open->foreign = flow_request_is_foreign(open->use, open->code.code);
	template->has_values |= open->bytes || open->foreign;
	return 0;
}

static int read_template(const struct flow_calls *calls, uint32_t signature,
			 struct flow_template *template, struct error *err)
{
	enum flow_signature_kind kind;
	struct flow_cursor cursor = flow_signature(calls->flow, signature, &kind);
	const size_t strings = calls->flow->strings.starts.count;
	uint64_t flags, count;

	template->call.function = string_table_get(&calls->flow->strings,
						   (uint32_t)flow_get_most(&cursor, strings - 1));
	flags = flow_get(&cursor);
	if (flags & CALL_HAS_SITE)
		template->call.site = (uint32_t)flow_get_most(&cursor, strings - 1);
	template->polls = flags &CALL_HAS_POLLS;
	template->any_open = template->has_values = template->polls;
	/* An event has two bytes or more. */
	count = flow_get_most(&cursor, flow_left(&cursor) / 2);
	TRY(allocate(&template->events, count, sizeof *template->events, err));
	TRY(allocate(&template->open, count, sizeof *template->open, err));
	template->call.events = template->events;
	template->call.event_count = (uint32_t)count;
	template->ends_oldest = count > 0;
	for (uint32_t i = 0; i < count && !cursor.damaged; i++)
		TRY(get_event(calls, template, i, &cursor, err));
	if (cursor.damaged || flow_left(&cursor) || kind == FLOW_VARIABLE)
		return damaged_signature(err);
	return 0;
}

int flow_template_get(struct flow_calls *calls, uint32_t signature, struct flow_template **found,
		      struct error *err)
{
	struct flow_template *template;

	if (signature < calls->templates.count && calls->templates.items[signature]) {
		*found = calls->templates.items[signature];
		return 0;
	}
	if (signature >= calls->flow->signatures.starts.count)
		return damaged_signature(err);
	while (calls->templates.count <= signature)
		TRY(array_push(&calls->templates, NULL, err));
	TRY(allocate(&template, 1, sizeof *template, err));
	if (read_template(calls, signature, template, err) < 0) {
		release_template(template);
		return -1;
	}
	*found = calls->templates.items[signature] = template;
	return 0;
}

/* Set what is open in an event but the number of its request. */
static void fill_event(struct flow_template *template, uint32_t number, struct flow_cursor *values)
{
	struct mpi_event *event = &template->events[number];
	struct flow_open_field *open = &template->open[number];

	if (open->foreign)
		flow_foreign_get(&open->code, values);
	if (open->peer)
		event->peer = (uint32_t)flow_get_most(values, UINT32_MAX);
	if (open->tag)
		event->tag = (uint32_t)flow_get_most(values, UINT32_MAX);
	if (open->bytes)
		event->bytes = flow_get(values);
}

int flow_template_fill_requests(struct flow_calls *calls, struct flow_request_thread *thread,
				struct flow_template *template, struct error *err)
{
	if (template->ends_oldest &&
	    flow_requests_read_oldest(thread, template->events, template->call.event_count))
		return 0;
	for (uint32_t i = 0; i < template->call.event_count; i++)
		TRY(flow_request_read(&calls->requests, thread, &template->events[i],
				      template->open[i].use, &template->open[i].code, err));
	return 0;
}

int flow_template_fill(struct flow_calls *calls, struct flow_request_thread *thread,
		       struct flow_template *template, struct flow_cursor *values, uint32_t *from,
		       struct error *err)
{
	struct flow_cursor before = *values;

	if (!*from)
		template->call.polls = template->polls ? flow_get(values) : 0;
	for (; *from < template->call.event_count; ++*from) {
		struct flow_open_field *open = &template->open[*from];
		int result;

		fill_event(template, *from, values);
		result = flow_request_read(&calls->requests, thread, &template->events[*from],
					   open->use, &open->code, err);
		if (result != 0) {
			*values = before;
			return result;
		}
		before = *values;
	}
	return 0;
}

void flow_template_skip(struct flow_template *template, struct flow_cursor *values)
{
	if (!template->has_values)
		return;
	if (template->polls)
		template->call.polls = flow_get(values);
	for (uint32_t i = 0; i < template->call.event_count; i++)
		fill_event(template, i, values);
}
