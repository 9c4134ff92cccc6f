/* Records of a journal: calls, runs of polls, and what the calls refer to. */
#include "common/machine/cpus.h"
#include "trace/journal/journal_writer.h"

#include <unistd.h>

static unsigned char *put_text(unsigned char *to, const char *text)
{
	size_t bytes = strlen(text) + 1;

	return (unsigned char *)memcpy(journal_put(to, bytes), text, bytes) + bytes;
}

static size_t text_room(const char *text)
{
	return strlen(text) + 11;
}

/* Write runs of equal values or, with `steps`, of equal differences. */
static unsigned char *put_vector(unsigned char *to, const uint64_t *values, uint32_t count,
				 bool steps)
{
	uint64_t before = 0;

	for (uint32_t i = 0, next; i < count; i = next) {
		uint64_t value = steps ? values[i] - before : values[i];

		for (next = i + 1; next < count &&
		     (steps ? values[next] - values[next - 1] : values[next]) == value; next++)
			;
		before = values[next - 1];
		to = journal_put(journal_put_signed(to, value), next - i);
	}
	return to;
}

static size_t vector_room(uint32_t count)
{
	return 15 * (size_t)count;
}

static size_t event_room(const struct mpi_event *event)
{
	size_t room = 96;

	if (event->operation)
		room += text_room(event->operation);
	if (!event_is_collective(event->kind))
		return room;
	if (event->send_bytes)
		room += vector_room(event->send_count);
	if (event->receive_bytes)
		room += vector_room(event->receive_count);
	if (event->neighbours)
		room += text_room(event->neighbours);
	return room;
}

static unsigned message_fields(const struct mpi_event *event)
{
	unsigned fields = 0;

	if (event->peer || event->tag || event->bytes)
		fields |= FIELD_MESSAGE;
	if (event->posted)
		fields |= FIELD_POSTED;
	if (event->partitions)
		fields |= FIELD_PARTITIONS;
	return fields;
}

static unsigned collective_fields(const struct mpi_event *event)
{
	unsigned fields = 0;

	if (event->in_place)
		fields |= FIELD_IN_PLACE;
	if (event->persistent)
		fields |= FIELD_PERSISTENT;
	if (event->send_bytes)
		fields |= FIELD_SEND_VECTOR;
	if (event->receive_bytes)
		fields |= FIELD_RECEIVE_VECTOR;
	if (event->neighbours)
		fields |= FIELD_NEIGHBOURS;
	return fields;
}

static unsigned char *put_message(unsigned char *to, const struct mpi_event *event, unsigned fields)
{
	if (fields & FIELD_MESSAGE)
		to = journal_put(journal_put(journal_put(to, event->peer), event->tag),
				 event->bytes);
	if (fields & FIELD_POSTED)
		*to++ = event->posted;
	if (fields & FIELD_PARTITIONS)
		to = journal_put(to, event->partitions);
	return to;
}

static unsigned char *put_rma(unsigned char *to, const struct mpi_event *event)
{
	to = journal_put(journal_put(journal_put(to, event->window), event->group), event->peer);
	to = journal_put(journal_put(to, event->bytes_sent), event->bytes_received);
	*to++ = (unsigned char)event->collective;
	*to++ = event->sync;
	*to++ = event->exclusive;
	*to++ = (unsigned char)event->atomic;
	return to;
}

static unsigned char *put_collective(unsigned char *to, const struct mpi_event *event,
				     unsigned fields)
{
	*to++ = (unsigned char)event->collective;
	to = journal_put(journal_put(journal_put(to, (uint32_t)(event->root + 3)),
				     event->bytes_sent),
			 event->bytes_received);
	if (fields & FIELD_PERSISTENT)
		to = journal_put(to, event->persistent);
	if (fields & FIELD_NEIGHBOURS)
		to = put_text(to, event->neighbours);
	if (fields & FIELD_SEND_VECTOR)
		to = put_vector(journal_put(to, event->send_count), event->send_bytes,
				event->send_count, false);
	if (fields & FIELD_RECEIVE_VECTOR)
		to = put_vector(journal_put(to, event->receive_count), event->receive_bytes,
				event->receive_count, false);
	return to;
}

static unsigned char *put_event(unsigned char *to, const struct mpi_event *event)
{
	bool message = event_is_message(event->kind), collective = event_is_collective(event->kind);
	unsigned fields = message ? message_fields(event)
				  : collective ? collective_fields(event) : 0;

	if (event->request)
		fields |= FIELD_REQUEST;
	if (event->operation)
		fields |= FIELD_OPERATION;
	*to++ = (unsigned char)event->kind;
	to = journal_put(to, fields);
	to = journal_put(to, event->comm);
	if (fields & FIELD_REQUEST)
		to = journal_put(to, event->request);
	if (fields & FIELD_OPERATION)
		to = put_text(to, event->operation);
	if (message)
		return put_message(to, event, fields);
	if (collective)
		return put_collective(to, event, fields);
	return event_is_rma(event->kind) ? put_rma(to, event) : to;
}

/* Remove the last run from the segment. */
static void remove_run(struct journal *journal)
{
	memset(journal->segment + journal->run.at, 0, journal->run.end - journal->run.at);
	journal->used = journal->run.at;
	journal->last_ns = journal->run.before_ns;
}

/* Number a call site that is seen for the first time. */
static int journal_add_site(struct journal *journal, uintptr_t address, uint32_t *number,
			    struct error *err)
{
	const char *text;
	unsigned char *to;

	TRY(journal_sites_add(journal->sites, address, number, err));
	text = journal_site_text(journal->sites, address);
	if (journal->home)
		journal = journal->home;
	to = journal_begin(journal, JOURNAL_SITE, text_room(text), err);
	return to ? journal_end_record(journal, put_text(to, text)) : -1;
}

/* Find the number of a call's site: 0 if sites are not recorded. */
static inline int find_site(struct journal *journal, const struct mpi_call *call, uint32_t *number,
			    struct error *err)
{
	*number = 0;
	if (!journal->sites || !call->return_address ||
	    journal_sites_find(journal->sites, call->return_address, number))
		return 0;
	return journal_add_site(journal, call->return_address, number, err);
}

/* Append a call at the site of this number, 0 if it is not known. */
static int append_call(struct journal *journal, unsigned number, const struct mpi_call *call,
		       uint32_t site, struct error *err)
{
	size_t room = 96;
	unsigned char *to;

	for (uint32_t i = 0; i < call->event_count; i++)
		room += event_room(&call->events[i]);
	to = journal_begin(journal, site ? JOURNAL_CALL_AT : JOURNAL_CALL, room, err);
	if (!to)
		return -1;
	if (site)
		to = journal_put(to, site);
	to = journal_put(to, number);
	to = journal_put_time(journal, to, call->enter_ns);
	to = journal_put_time(journal, to, call->leave_ns);
	to = journal_put(to, call->polls);
	if (call->polls > 1)
		to = journal_put(journal_put(to, call->poll_gaps_ns), call->least_poll_gap_ns);
	to = journal_put(to, call->empty_polls);
	if (call->empty_polls)
		to = journal_put(journal_put(to, call->empty_from_ns - call->enter_ns),
				 call->empty_to_ns - call->empty_from_ns);
	to = journal_put(to, call->event_count);
	for (uint32_t i = 0; i < call->event_count; i++)
		to = put_event(to, &call->events[i]);
	return journal_end_record(journal, to);
}

static int append_poll(struct journal *journal, unsigned number, const struct mpi_call *poll,
		       struct error *err)
{
	const bool continues = poll_fold_add(&journal->run.fold, number, poll);
	struct mpi_call call = journal->run.fold.call;
	uint64_t file_bytes, before_ns;
	uint32_t site;
	size_t at;

	if (continues)
		remove_run(journal);
	call.events = poll->events;
	TRY(find_site(journal, &call, &site, err));
	file_bytes = journal->file_bytes;
	before_ns = journal->last_ns;
	at = journal->used;
	TRY(append_call(journal, number, &call, site, err));
	/* No run extends over two segments: JOURNAL_FLUSH is between them. */
	if (journal->file_bytes != file_bytes)
		return 0;
	journal->run.fold.call.polls = call.polls;
	journal->run.at = at;
	journal->run.end = journal->used;
	journal->run.before_ns = before_ns;
	return 0;
}

int journal_call(struct journal *journal, unsigned number, const struct mpi_call *call,
		 struct error *err)
{
	uint32_t site;

	if (poll_fold_takes(call))
		return append_poll(journal, number, call, err);
	TRY(find_site(journal, call, &site, err));
	return append_call(journal, number, call, site, err);
}

int journal_below(struct journal *journal, const struct below_event *event, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_BELOW, 48, err);

	if (!to)
		return -1;
	*to++ = (unsigned char)(event->part | (event->inside ? BELOW_IS_INSIDE : 0) |
				(event->pending ? BELOW_IS_PENDING : 0));
	to = journal_put(to, event->function);
	to = journal_put_time(journal, to, event->enter_ns);
	to = journal_put_time(journal, to, event->leave_ns);
	return journal_end_record(journal, journal_put(to, event->number + 1)); /* BELOW_UNKNOWN becomes 0 */
}

int journal_switch(struct journal *journal, uint64_t time_ns, bool on, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_SWITCH, 16, err);

	if (!to)
		return -1;
	*to++ = on;
	return journal_end_record(journal, journal_put_time(journal, to, time_ns));
}

int journal_comm(struct journal *journal, const struct mpi_comm *comm, struct error *err)
{
	size_t room = 128;
	unsigned char *to;

	if (comm->members)
		room += vector_room(comm->size) + vector_room(comm->remote_size);
	to = journal_begin(journal, JOURNAL_COMM, room, err);
	if (!to)
		return -1;
	to = journal_put(journal_put(journal_put(journal_put(to, comm->id), comm->key),
				     comm->parent_key),
			 comm->depth);
	to = journal_put(journal_put(journal_put(to, comm->rank), comm->size), comm->remote_size);
	*to++ = comm->members != NULL;
	if (comm->members) {
		to = put_vector(to, comm->members, comm->size, true);
		to = put_vector(to, comm->remote, comm->remote_size, true);
	}
	return journal_end_record(journal, to);
}

int journal_comm_name(struct journal *journal, uint32_t id, const char *name, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_COMM_NAME, 16 + text_room(name), err);

	return to ? journal_end_record(journal, put_text(journal_put(to, id), name)) : -1;
}

int journal_window(struct journal *journal, const struct mpi_window *window, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_WINDOW, 32, err);

	return to ? journal_end_record(journal, journal_put(journal_put(journal_put(to, window->id), window->key),
					     window->comm))
		  : -1;
}

int journal_window_name(struct journal *journal, uint32_t id, const char *name, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_WINDOW_NAME, 16 + text_room(name), err);

	return to ? journal_end_record(journal, put_text(journal_put(to, id), name)) : -1;
}

int journal_group(struct journal *journal, const struct mpi_group *group, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_GROUP, 32 + vector_room(group->size), err);

	if (!to)
		return -1;
	to = journal_put(journal_put(to, group->id), group->size);
	return journal_end_record(journal, put_vector(to, group->members, group->size, true));
}

int journal_property(struct journal *journal, const char *name, const char *value,
		     struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_PROPERTY, text_room(name) + text_room(value),
				  err);

	return to ? journal_end_record(journal, put_text(put_text(to, name), value)) : -1;
}

int journal_clock(struct journal *journal, const struct clock_point *start, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_CLOCK, 48, err);
	uint64_t deviation;

	if (!to)
		return -1;
	memcpy(&deviation, &start->deviation_ns, sizeof deviation);
	to = journal_put_signed(journal_put(to, start->time_ns), (uint64_t)start->offset_ns);
	return journal_end_record(journal, journal_put(to, deviation));
}

int journal_chunk(struct journal *journal, uint32_t number, uint64_t time_ns, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_CHUNK, 32, err);

	return to ? journal_end_record(journal, journal_put(journal_put(to, number), time_ns)) : -1;
}

int journal_ordinal(struct journal *journal, const struct sequence *sequence, uint64_t ordinal,
		    struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_ORDINAL, 48, err);

	if (!to)
		return -1;
	to = journal_put(journal_put(to, sequence->kind), sequence->object);
	to = journal_put(journal_put(to, sequence->peer), sequence->tag);
	return journal_end_record(journal, journal_put(to, ordinal));
}

int journal_iterations(struct journal *journal, const struct journal_iterations *iterations,
		       struct error *err)
{
	const uint64_t values[] = {iterations->first, iterations->count, iterations->begin_ns,
				   iterations->end_ns, iterations->first_call, iterations->calls,
				   iterations->first_visit, iterations->visits, iterations->header,
				   iterations->round};
	unsigned char *to = journal_begin(journal, JOURNAL_ITERATIONS, 10 * 10, err);

	for (size_t i = 0; to && i < sizeof values / sizeof *values; i++)
		to = journal_put(to, values[i]);
	return to ? journal_end_record(journal, to) : -1;
}

int journal_preemptions(struct journal *journal, const struct preemptions *preemptions,
			struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_PREEMPTIONS, 48, err);

	if (!to)
		return -1;
	to = journal_put(journal_put(to, preemptions->count), preemptions->ns);
	to = journal_put(to, preemptions->waited_ns);
	return journal_end_record(journal, to);
}

int journal_end(struct journal *journal, uint64_t time_ns, struct error *err)
{
	unsigned char *to = journal_begin(journal, JOURNAL_END, 16, err);

	return to ? journal_end_record(journal, journal_put_time(journal, to, time_ns)) : -1;
}

int journal_put_begin(struct journal *journal, const struct journal_place *place, uint32_t ranks,
		     struct error *err)
{
	char host[256] = "", cpus[CPUS_TEXT_BYTES] = "";
	unsigned char *to;

	memcpy(journal->segment, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES);
	journal->used = JOURNAL_MAGIC_BYTES;
	gethostname(host, sizeof host - 1);
	/* Threads may be bound to a part of the CPUs of their rank. */
	if (!place->thread)
		cpus_own(cpus);
	to = journal_begin(journal, JOURNAL_BEGIN, 64 + text_room(host) + text_room(cpus), err);
	if (!to)
		return -1;
	to = journal_put(journal_put(journal_put(to, place->rank), place->thread), ranks);
	journal_end_record(journal, put_text(put_text(journal_put(to, journal->last_ns), host), cpus));
	if (place->thread)
		journal_put_flush(journal);
	return 0;
}
