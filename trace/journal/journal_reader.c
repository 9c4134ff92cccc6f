/* Reader of journals, also of those that a killed run has left. */
#include "trace/journal/journal_internal.h"

#include "common/array.h"
#include "trace/call/mpi_functions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOWHERE = -1 };

/* Indices of an event's vectors in the reader's values, which move while they grow. */
struct places {
	int64_t send, receive;
};

struct journal_reader {
	uint64_t at;		/* offset of the next record in the file */
	uint64_t size;		/* bytes of the file */
	uint64_t last_ns;
	bool ended, damaged;
	ARRAY(unsigned char) buffer;	/* unread bytes: buffer.items[used ... count) */
	size_t used;
	ARRAY(struct mpi_event) events;
	ARRAY(struct places) places;	/* of the events' vectors */
	ARRAY(uint64_t) values;		/* of vectors */
	ARRAY(char *) sites;		/* texts of call sites, owned */
	const struct journal *unnamed;	/* read instead of a file, or NULL */
	uint32_t chunks;			/* number of chunks that the journal names */
	uint32_t chunk;			/* of which the next one is to be read */
	uint32_t next_chunk;		/* after the last one that has been read */
	bool in_chunk;			/* `path` is that of a chunk */
	char journal[4096];		/* path of the journal */
	char path[4096];
};

/* Rest of a payload; `bad` if it was too short or has an invalid value. */
struct input {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t journal_get(struct input *in)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (in->at == in->end)
			break;
		byte = *in->at++;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	in->bad = true;
	return 0;
}

static uint32_t get32(struct input *in)
{
	uint64_t value = journal_get(in);

	in->bad |= value > UINT32_MAX;
	return (uint32_t)value;
}

static uint64_t get_signed(struct input *in)
{
	uint64_t value = journal_get(in);

	return value >> 1 ^ -(value & 1);
}

static uint64_t get_time(struct journal_reader *reader, struct input *in)
{
	return reader->last_ns += get_signed(in);
}

static uint8_t get_byte(struct input *in)
{
	if (in->at == in->end) {
		in->bad = true;
		return 0;
	}
	return *in->at++;
}

static const char *get_text(struct input *in)
{
	uint64_t bytes = journal_get(in);
	const char *text = (const char *)in->at;

	if (in->bad || !bytes || bytes > (uint64_t)(in->end - in->at) ||
	    memchr(text, 0, bytes) != text + bytes - 1) {
		in->bad = true;
		return "";
	}
	in->at += bytes;
	return text;
}

/* Append a vector to the reader's values, and set *start to its index. */
static int get_vector(struct journal_reader *reader, struct input *in, uint32_t count, bool steps,
		      int64_t *start, struct error *err)
{
	uint64_t before = 0;

	*start = (int64_t)reader->values.count;
	in->bad |= count > JOURNAL_MOST_RANKS;
	while (count && !in->bad) {
		uint64_t value = get_signed(in), run = journal_get(in);

		if (in->bad || !run || run > count) {
			in->bad = true;
			return 0;
		}
		count -= (uint32_t)run;
		TRY(array_reserve(&reader->values, run, err));
		for (; run; run--) {
			before = steps ? before + value : value;
			reader->values.items[reader->values.count++] = before;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------ payloads */

static void get_message(struct input *in, unsigned fields, struct mpi_event *event)
{
	if (fields & FIELD_MESSAGE) {
		event->peer = get32(in);
		event->tag = get32(in);
		event->bytes = journal_get(in);
	}
	if (fields & FIELD_POSTED)
		event->posted = get_byte(in);
	if (fields & FIELD_PARTITIONS)
		event->partitions = get32(in);
}

static int get_collective(struct journal_reader *reader, struct input *in, unsigned fields,
			  struct mpi_event *event, struct places *places, struct error *err)
{
	event->collective = get_byte(in);
	event->root = get32(in) - 3;
	event->bytes_sent = journal_get(in);
	event->bytes_received = journal_get(in);
	event->in_place = fields & FIELD_IN_PLACE;
	if (fields & FIELD_PERSISTENT)
		event->persistent = get32(in);
	if (fields & FIELD_NEIGHBOURS)
		event->neighbours = get_text(in);
	if (fields & FIELD_SEND_VECTOR) {
		event->send_count = get32(in);
		TRY(get_vector(reader, in, event->send_count, false, &places->send, err));
	}
	if (fields & FIELD_RECEIVE_VECTOR) {
		event->receive_count = get32(in);
		TRY(get_vector(reader, in, event->receive_count, false, &places->receive, err));
	}
	return 0;
}

static void get_rma(struct input *in, struct mpi_event *event)
{
	event->window = get32(in);
	event->group = get32(in);
	event->peer = get32(in);
	event->bytes_sent = journal_get(in);
	event->bytes_received = journal_get(in);
	event->collective = get_byte(in);
	event->sync = get_byte(in);
	event->exclusive = get_byte(in);
	event->atomic = get_byte(in);
}

static int get_event(struct journal_reader *reader, struct input *in, struct error *err)
{
	struct mpi_event *event;
	struct places *places;
	unsigned fields;

	TRY(array_reserve(&reader->events, 1, err));
	TRY(array_reserve(&reader->places, 1, err));
	event = &reader->events.items[reader->events.count++];
	places = &reader->places.items[reader->places.count++];
	memset(event, 0, sizeof *event);
	places->send = places->receive = NOWHERE;
	event->kind = get_byte(in);
	fields = get32(in);
	in->bad |= event->kind >= EVENT_KINDS;
	event->comm = get32(in);
	if (fields & FIELD_REQUEST)
		event->request = journal_get(in);
	if (fields & FIELD_OPERATION)
		event->operation = get_text(in);
	if (event_is_message(event->kind))
		get_message(in, fields, event);
	else if (event_is_rma(event->kind))
		get_rma(in, event);
	else if (event_is_collective(event->kind))
		return get_collective(reader, in, fields, event, places, err);
	return 0;
}

static int get_call(struct journal_reader *reader, struct input *in, struct journal_record *record,
		    struct error *err)
{
	struct mpi_call *call = &record->call;

	record->number = get32(in);
	in->bad |= record->number >= MPI_FUNCTION_COUNT;
	call->enter_ns = get_time(reader, in);
	call->leave_ns = get_time(reader, in);
	call->polls = journal_get(in);
	if (call->polls > 1) {
		call->poll_gaps_ns = journal_get(in);
		call->least_poll_gap_ns = journal_get(in);
	}
	call->empty_polls = journal_get(in);
	if (call->empty_polls) {
		call->empty_from_ns = call->enter_ns + journal_get(in);
		call->empty_to_ns = call->empty_from_ns + journal_get(in);
	}
	call->event_count = get32(in);
	reader->events.count = reader->places.count = 0;
	for (uint32_t i = 0; i < call->event_count && !in->bad; i++)
		TRY(get_event(reader, in, err));
	for (size_t i = 0; i < reader->events.count; i++) {
		const struct places *places = &reader->places.items[i];

		if (places->send != NOWHERE)
			reader->events.items[i].send_bytes = reader->values.items + places->send;
		if (places->receive != NOWHERE)
			reader->events.items[i].receive_bytes =
				reader->values.items + places->receive;
	}
	call->events = reader->events.items;
	return 0;
}

static void get_below(struct journal_reader *reader, struct input *in, struct journal_record *record)
{
	const uint8_t properties = get_byte(in);
	struct below_event *event = &record->below;

	event->part = properties & 3;
	event->inside = properties & BELOW_IS_INSIDE;
	event->pending = properties & BELOW_IS_PENDING;
	event->function = get32(in);
	in->bad |= event->part > BELOW_LEAVE || event->function >= BELOW_FUNCTION_COUNT ||
		   below_functions[event->function].kind == BELOW_QUIET;
	event->enter_ns = get_time(reader, in);
	event->leave_ns = record->time_ns = get_time(reader, in);
	event->number = journal_get(in) - 1;
}

static int get_site(struct journal_reader *reader, struct input *in, struct error *err)
{
	const char *text = get_text(in);
	char *copy;

	if (in->bad)
		return 0;
	copy = strdup(text);
	if (!copy)
		return error_set_memory(err, strlen(text) + 1);
	if (array_push(&reader->sites, copy, err) == 0)
		return 0;
	free(copy);
	return -1;
}

static int get_call_at(struct journal_reader *reader, struct input *in,
		       struct journal_record *record, struct error *err)
{
	const uint32_t site = get32(in);

	record->kind = JOURNAL_CALL;
	in->bad |= site == 0 || site > reader->sites.count;
	if (in->bad)
		return 0;
	record->site = reader->sites.items[site - 1];
	return get_call(reader, in, record, err);
}

static int get_comm(struct journal_reader *reader, struct input *in, struct mpi_comm *comm,
		    struct error *err)
{
	int64_t members, remote;

	comm->id = get32(in);
	comm->key = journal_get(in);
	comm->parent_key = journal_get(in);
	comm->depth = get32(in);
	comm->rank = get32(in);
	comm->size = get32(in);
	comm->remote_size = get32(in);
	if (!get_byte(in) || in->bad)
		return 0;
	TRY(get_vector(reader, in, comm->size, true, &members, err));
	TRY(get_vector(reader, in, comm->remote_size, true, &remote, err));
	comm->members = reader->values.items + members;
	if (comm->remote_size)
		comm->remote = reader->values.items + remote;
	return 0;
}

static int get_group(struct journal_reader *reader, struct input *in, struct mpi_group *group,
		     struct error *err)
{
	int64_t members;

	group->id = get32(in);
	group->size = get32(in);
	TRY(get_vector(reader, in, group->size, true, &members, err));
	group->members = reader->values.items + members;
	return 0;
}

static void get_clock(struct input *in, struct clock_point *clock)
{
	uint64_t deviation;

	clock->time_ns = journal_get(in);
	clock->offset_ns = (int64_t)get_signed(in);
	deviation = journal_get(in);
	memcpy(&clock->deviation_ns, &deviation, sizeof deviation);
}

static void get_sequence(struct input *in, struct sequence *sequence)
{
	const uint32_t kind = get32(in);

	in->bad |= kind > SEQUENCE_RMA;
	sequence->kind = kind;
	sequence->object = get32(in);
	sequence->peer = get32(in);
	sequence->tag = get32(in);
}

/* Take the start of a chunk: at its own begin the base of its times. */
static void get_chunk(struct journal_reader *reader, struct input *in, struct journal_record *record)
{
	record->number = get32(in);
	record->time_ns = journal_get(in);
	record->on = record->number == reader->next_chunk;
	if (reader->in_chunk) {
		reader->last_ns = record->time_ns;
		reader->next_chunk = record->number + 1;
	} else if (!in->bad)
		reader->chunks = record->number + 1;
}

static void get_iterations(struct input *in, struct journal_iterations *iterations)
{
	iterations->first = journal_get(in);
	iterations->count = journal_get(in);
	iterations->begin_ns = journal_get(in);
	iterations->end_ns = journal_get(in);
	iterations->first_call = journal_get(in);
	iterations->calls = journal_get(in);
	iterations->first_visit = journal_get(in);
	iterations->visits = journal_get(in);
	iterations->header = get32(in);
	iterations->round = get32(in);
}

static int get_record(struct journal_reader *reader, struct input *in,
		      struct journal_record *record, struct error *err)
{
	memset(record, 0, sizeof *record);
	reader->values.count = 0;
	record->kind = get_byte(in);
	switch (record->kind) {
	case JOURNAL_BEGIN:
		record->rank = get32(in);
		record->thread = get32(in);
		record->ranks = get32(in);
		in->bad |= record->ranks > JOURNAL_MOST_RANKS || record->rank >= record->ranks;
		record->time_ns = reader->last_ns = journal_get(in);
		record->name = get_text(in);
		record->cpus = get_text(in);
		return 0;
	case JOURNAL_CALL:
		return get_call(reader, in, record, err);
	case JOURNAL_CALL_AT:
		return get_call_at(reader, in, record, err);
	case JOURNAL_SITE:
		return get_site(reader, in, err);
	case JOURNAL_SWITCH:
		record->on = get_byte(in);
		record->time_ns = get_time(reader, in);
		return 0;
	case JOURNAL_FLUSH:
	case JOURNAL_END:
		record->time_ns = get_time(reader, in);
		return 0;
	case JOURNAL_COMM:
		return get_comm(reader, in, &record->comm, err);
	case JOURNAL_WINDOW:
		record->window.id = get32(in);
		record->window.key = journal_get(in);
		record->window.comm = get32(in);
		return 0;
	case JOURNAL_GROUP:
		return get_group(reader, in, &record->group, err);
	case JOURNAL_COMM_NAME:
	case JOURNAL_WINDOW_NAME:
		record->number = get32(in);
		record->name = get_text(in);
		return 0;
	case JOURNAL_PROPERTY:
		record->name = get_text(in);
		record->value = get_text(in);
		return 0;
	case JOURNAL_CLOCK:
		get_clock(in, &record->clock);
		return 0;
	case JOURNAL_BELOW:
		get_below(reader, in, record);
		return 0;
	case JOURNAL_CHUNK:
		get_chunk(reader, in, record);
		return 0;
	case JOURNAL_ORDINAL:
		get_sequence(in, &record->sequence);
		record->ordinal = journal_get(in);
		return 0;
	case JOURNAL_ITERATIONS:
		get_iterations(in, &record->iterations);
		return 0;
	case JOURNAL_PREEMPTIONS:
		record->preemptions.count = journal_get(in);
		record->preemptions.ns = journal_get(in);
		record->preemptions.waited_ns = journal_get(in);
		return 0;
	default:
		in->bad |= record->kind != JOURNAL_PAD;
		return 0;
	}
}

/* ------------------------------------------------------------------ the file */

enum { READ_BYTES = 1 << 17 };

/* Open the file only while reading: a rank may have more threads than the limit of open files. */
static int open_journal(const struct journal_reader *reader, struct error *err)
{
	int file = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return file < 0 ? error_set_errno(err, "%s", reader->path) : file;
}

static int read_more(struct journal_reader *reader, int file, size_t bytes, size_t wanted,
		     struct error *err)
{
	while (reader->buffer.count < bytes) {
		ssize_t got = pread(file, reader->buffer.items + reader->buffer.count,
				    wanted - reader->buffer.count,
				    (off_t)(reader->at + reader->buffer.count));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set_errno(err, "%s", reader->path);
		if (got == 0)
			return 0;
		reader->buffer.count += (size_t)got;
	}
	return 1;
}

/* As read_more, from an unnamed journal. */
static int copy_more(struct journal_reader *reader, size_t bytes, size_t wanted)
{
	const uint64_t from = reader->at + reader->buffer.count;

	if (wanted - reader->buffer.count > reader->size - from)
		wanted = reader->buffer.count + (size_t)(reader->size - from);
	journal_copy(reader->unnamed, from, reader->buffer.items + reader->buffer.count,
		     wanted - reader->buffer.count);
	reader->buffer.count = wanted;
	return wanted >= bytes;
}

/* Fill the buffer with `bytes` from `used` on: 1; 0 if the file is shorter. */
static int journal_reader_fill(struct journal_reader *reader, size_t bytes, struct error *err)
{
	size_t have = reader->buffer.count - reader->used;
	size_t wanted = bytes > READ_BYTES ? bytes : READ_BYTES;
	int file, read;

	if (have >= bytes)
		return 1;
	if (reader->at > reader->size || bytes > reader->size - reader->at)
		return 0;
	if (have)
		memmove(reader->buffer.items, reader->buffer.items + reader->used, have);
	reader->used = 0;
	reader->buffer.count = have;
	TRY(array_reserve(&reader->buffer, wanted, err));
	if (reader->unnamed)
		return copy_more(reader, bytes, wanted);
	file = open_journal(reader, err);
	TRY(file);
	read = read_more(reader, file, bytes, wanted, err);
	close(file);
	return read;
}

/* Read the next complete payload: its number of bytes; 0 at the end. */
static int next_payload(struct journal_reader *reader, struct input *in, struct error *err)
{
	struct journal_header header = {0};
	int got = journal_reader_fill(reader, sizeof header, err);

	if (got > 0)
		memcpy(&header, reader->buffer.items + reader->used, sizeof header);
	if (got <= 0 || !header.bytes) {
		reader->damaged = got > 0 && header.checksum;
		return got < 0 ? -1 : 0;
	}
	got = journal_reader_fill(reader, sizeof header + journal_padded(header.bytes), err);
	if (got <= 0) {
		reader->damaged = true;
		return got;
	}
	in->at = reader->buffer.items + reader->used + sizeof header;
	in->end = in->at + header.bytes;
	in->bad = false;
	if (journal_checksum(in->at, header.bytes) != header.checksum) {
		reader->damaged = true;
		return 0;
	}
	reader->used += sizeof header + journal_padded(header.bytes);
	reader->at += sizeof header + journal_padded(header.bytes);
	return 1;
}

/* Read the first bytes, which say the layout. */
static int read_magic(struct journal_reader *reader, struct error *err)
{
	const int got = journal_reader_fill(reader, JOURNAL_MAGIC_BYTES, err);

	TRY(got);
	if (!got || memcmp(reader->buffer.items, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES) != 0)
		return error_set(err, STATUS_DATA, "%s: not a journal of this version",
				 reader->path);
	reader->at = reader->used = JOURNAL_MAGIC_BYTES;
	return 0;
}

/* Go on with the next chunk that exists: 1; 0 if there is none. */
static int begin_chunk(struct journal_reader *reader, struct error *err)
{
	struct stat status;

	while (reader->chunk < reader->chunks) {
		if (!journal_chunk_path(reader->path, reader->journal, reader->chunk++) ||
		    stat(reader->path, &status) < 0 || !S_ISREG(status.st_mode))
			continue;
		reader->in_chunk = true;
		reader->size = (uint64_t)status.st_size;
		reader->at = reader->used = reader->buffer.count = 0;
		TRY(read_magic(reader, err));
		return 1;
	}
	return 0;
}

/* Whether users of the journal get the record. */
static bool is_delivered(const struct journal_reader *reader, enum journal_kind kind)
{
	return kind != JOURNAL_PAD && kind != JOURNAL_SITE &&
	       (kind != JOURNAL_CHUNK || reader->in_chunk);
}

int journal_next(struct journal_reader *reader, struct journal_record *record, struct error *err)
{
	struct input in;

	while (!reader->ended) {
		int got = next_payload(reader, &in, err);

		TRY(got);
		if (got) {
			TRY(get_record(reader, &in, record, err));
			reader->damaged |= in.bad;
		}
		if (got && !in.bad) {
			if (is_delivered(reader, record->kind))
				return 1;
			continue;
		}
		got = reader->damaged ? 0 : begin_chunk(reader, err);
		TRY(got);
		reader->ended = !got;
	}
	return 0;
}

uint32_t journal_chunk_count(struct journal_reader *reader)
{
	struct journal_record record;
	struct error err;

	while (!reader->in_chunk && journal_next(reader, &record, &err) > 0)
		;
	return reader->chunks;
}

bool journal_is_damaged(const struct journal_reader *reader)
{
	return reader->damaged;
}

static int open_file(struct journal_reader *reader, const struct journal_place *place,
		     struct error *err)
{
	struct stat status;

	if (!journal_path(reader->path, place))
		return error_set(err, STATUS_DATA, "%s: the name is too long", place->directory);
	if (stat(reader->path, &status) < 0) {
		error_set_errno(err, "%s", reader->path);
		if (errno == ENOENT || errno == ENOTDIR)
			err->status = STATUS_DATA;
		return -1;
	}
	reader->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	strcpy(reader->journal, reader->path);
	return read_magic(reader, err);
}

int journal_open(struct journal_reader **pointer, const struct journal_place *place,
		 struct error *err)
{
	struct journal_reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	if (open_file(reader, place, err) < 0) {
		journal_reader_close(reader);
		return -1;
	}
	*pointer = reader;
	return 0;
}

int journal_open_unnamed(struct journal_reader **pointer, const struct journal *journal,
			 struct error *err)
{
	struct journal_reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	reader->unnamed = journal;
	reader->size = journal_size(journal);
	strcpy(reader->path, "a journal in memory");
	if (read_magic(reader, err) < 0) {
		journal_reader_close(reader);
		return -1;
	}
	*pointer = reader;
	return 0;
}

void journal_reader_close(struct journal_reader *reader)
{
	if (!reader)
		return;
	array_release(&reader->buffer);
	array_release(&reader->events);
	array_release(&reader->places);
	array_release(&reader->values);
	for (size_t i = 0; i < reader->sites.count; i++)
		free(reader->sites.items[i]);
	array_release(&reader->sites);
	free(reader);
}
