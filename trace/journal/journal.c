#include "trace/journal/journal_internal.h"

#include "common/array.h"
#include "common/machine/cpus.h"
#include "common/machine/now.h"
#include "common/output.h"
#include "trace/call/poll_run.h"
#include "trace/journal/journal_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A full segment of an unnamed journal. */
struct segment {
	unsigned char *at;
	size_t bytes;
};

struct journal {
	unsigned char *segment;		/* mapped */
	void *lock;			/* mapping that keeps the lock of the file, or NULL */
	size_t size, used;		/* bytes of the segment */
	size_t segment_bytes;		/* usual size of a segment */
	uint64_t file_bytes;		/* all segments */
	uint64_t last_ns;
	bool failed;
	struct journal_sites *sites; /* NULL: not recorded */
	bool unnamed;
	ARRAY(struct segment) full;	/* if unnamed */
	char path[4096];		/* if unnamed: the folder of the segments */
	struct {			/* last record, if it is a run of polls */
		struct mpi_call call;	/* without events; polls 0: no run */
		bool waits;		/* the program waits between the polls */
		struct mpi_event event;	/* of the call, if it has one */
		unsigned number;
		size_t at, end;		/* in the segment */
		uint64_t before_ns;	/* last_ns before the run */
	} run;
};

bool journal_path(char path[static 4096], const struct journal_place *place)
{
	int length = snprintf(path, 4096, "%s/journal/%u", place->directory, place->rank);

	if (place->thread && length < 4096)
		length += snprintf(path + length, 4096 - (size_t)length, ".%u", place->thread);
	return length < 4096;
}

/* ----------------------------------------------------------------- segments */

/*
 * Reserve the next `bytes` of the file.  Check the limit of file sizes first: exceeding it raises
 * a signal.
 */
static int reserve(const struct journal *journal, int file, uint64_t begin, size_t bytes,
		   struct error *err)
{
	struct rlimit limit;
	int code;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    begin + bytes > limit.rlim_cur) {
		errno = EFBIG;
		return error_set_errno(err, "%s", journal->path);
	}
	do
		code = posix_fallocate(file, (off_t)begin, (off_t)bytes);
	while (code == EINTR);
	if (!code)
		return 0;
	errno = code;
	return error_set_errno(err, "%s", journal->path);
}

/*
 * Lock the file until journal_close.  A mapping keeps the lock after the file is closed.  Children
 * of the program do not inherit it.  A file system without locks is not an error.
 */
static void hold_lock(struct journal *journal, int file)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	int locked;

	do
		locked = flock(file, LOCK_EX);
	while (locked < 0 && errno == EINTR);
	if (locked < 0)
		return;
	journal->lock = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
	if (journal->lock == MAP_FAILED)
		journal->lock = NULL;
	else
		madvise(journal->lock, bytes, MADV_DONTFORK);
}

bool journal_is_written(const struct journal_place *place)
{
	char path[4096];
	bool written;
	int file;

	if (!journal_path(path, place))
		return false;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	written = flock(file, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(file);
	return written;
}

static void unmap(struct journal *journal)
{
	if (journal->segment)
		munmap(journal->segment, journal->size);
	if (journal->lock)
		munmap(journal->lock, (size_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < journal->full.count; i++)
		munmap(journal->full.items[i].at, journal->full.items[i].bytes);
	array_release(&journal->full);
}

/* Open the file only here: the program may close all its files and open others. */
static int map_segment(struct journal *journal, int flags, size_t bytes, unsigned char **segment,
		       struct error *err)
{
	const uint64_t begin = journal->unnamed ? 0 : journal->file_bytes;
	int file = journal->unnamed ? scratch_file(journal->path)
				    : open(journal->path, O_RDWR | O_CLOEXEC | flags, 0666);
	void *mapped;
	int result;

	if (file < 0)
		return error_set_errno(err, "%s", journal->path);
	result = reserve(journal, file, begin, bytes, err);
	if (result == 0) {
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)begin);
		if (mapped == MAP_FAILED)
			result = error_set_errno(err, "%s", journal->path);
		else
			*segment = mapped;
	}
	if (result == 0 && flags & O_CREAT)
		hold_lock(journal, file);
	else if (flags & O_CREAT)
		unlink(journal->path);
	close(file);
	if (result < 0)
		return -1;
#ifdef MADV_POPULATE_WRITE
	/* Allocate the pages now, not one by one while the program computes. */
	madvise(*segment, bytes, MADV_POPULATE_WRITE);
#endif
	return 0;
}

/* Store the header of the payload after it, which makes the record visible to readers. */
static void commit(struct journal *journal, size_t bytes)
{
	unsigned char *at = journal->segment + journal->used;
	struct journal_header header = {.bytes = (uint32_t)bytes};
	uint64_t word;

	memset(at + sizeof header + bytes, 0, journal_padded(bytes) - bytes);
	header.checksum = journal_checksum(at + sizeof header, header.bytes);
	memcpy(&word, &header, sizeof word);
	atomic_store_explicit((_Atomic uint64_t *)at, word, memory_order_release);
	journal->used += sizeof header + journal_padded(bytes);
}

static unsigned char *journal_put(unsigned char *to, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*to++ = (unsigned char)(value | 128);
	*to++ = (unsigned char)value;
	return to;
}

/* Encode small differences of both signs shortly: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static unsigned char *put_signed(unsigned char *to, uint64_t difference)
{
	return journal_put(to, difference << 1 ^ -(difference >> 63));
}

static unsigned char *put_time(struct journal *journal, unsigned char *to, uint64_t time_ns)
{
	to = put_signed(to, time_ns - journal->last_ns);
	journal->last_ns = time_ns;
	return to;
}

enum { FLUSH_RECORD_BYTES = 24 };

/* Record the time at which the new segment is ready. */
static void put_flush(struct journal *journal)
{
	unsigned char *at = journal->segment + journal->used + sizeof(struct journal_header);

	*at = JOURNAL_FLUSH;
	commit(journal, (size_t)(put_time(journal, at + 1, now_ns()) - at));
}

static int next_segment(struct journal *journal, size_t payload, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rest = journal->size - journal->used;
	size_t bytes = payload + sizeof(struct journal_header) + FLUSH_RECORD_BYTES;
	unsigned char *segment;

	bytes = bytes > journal->segment_bytes ? (bytes + page - 1) / page * page
					       : journal->segment_bytes;
	if (bytes > JOURNAL_MOST_BYTES)
		return error_set(err, STATUS_LIMIT, "%s: a record is too long", journal->path);
	if (journal->unnamed)
		TRY(array_reserve(&journal->full, 1, err));
	TRY(map_segment(journal, 0, bytes, &segment, err));
	if (rest) {
		memset(journal->segment + journal->used + sizeof(struct journal_header), 0,
		       rest - sizeof(struct journal_header));
		if (rest > sizeof(struct journal_header)) {
			journal->segment[journal->used +
					 sizeof(struct journal_header)] = JOURNAL_PAD;
			commit(journal, rest - sizeof(struct journal_header));
		}
	}
	if (journal->unnamed)
		journal->full.items[journal->full.count++] =
			(struct segment){journal->segment, journal->size};
	else
		munmap(journal->segment, journal->size);
	journal->segment = segment;
	journal->size = bytes;
	journal->used = 0;
	journal->file_bytes += bytes;
	put_flush(journal);
	return 0;
}

/* Begin a record: return the place of its payload of at most `payload` bytes, or NULL. */
static inline unsigned char *begin(struct journal *journal, enum journal_kind kind, size_t payload,
				   struct error *err)
{
	unsigned char *at;

	journal->run.call.polls = 0;
	if (journal->failed ||
	    journal->size - journal->used < payload + 2 * sizeof(struct journal_header)) {
		if (journal->failed) {
			error_set(err, STATUS_SYSTEM, "%s: not written after an earlier failure", journal->path);
			return NULL;
		}
		if (next_segment(journal, payload, err) < 0) {
			journal->failed = true;
			return NULL;
		}
	}
	at = journal->segment + journal->used + sizeof(struct journal_header);
	*at = (unsigned char)kind;
	return at + 1;
}

static int end(struct journal *journal, const unsigned char *to)
{
	commit(journal, (size_t)(to - (journal->segment + journal->used +
				       sizeof(struct journal_header))));
	return 0;
}

/* ------------------------------------------------------------------ records */

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
		to = journal_put(put_signed(to, value), next - i);
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

/* Check whether the last record is a run that the poll continues. */
static bool continues_run(const struct journal *journal, unsigned number,
			  const struct mpi_call *call)
{
	const struct mpi_event *before = &journal->run.event, *now = call->events;

	if (!journal->run.call.polls || number != journal->run.number ||
	    call->event_count != journal->run.call.event_count ||
	    call->enter_ns < journal->run.call.leave_ns)
		return false;
	return !call->event_count ||
	       (now->kind == before->kind && now->comm == before->comm &&
		now->request == before->request &&
		(!event_is_rma(now->kind) || now->window == before->window));
}

/* Remove the last run from the segment and return it with the poll added. */
static struct mpi_call longer_run(struct journal *journal, const struct mpi_call *call)
{
	struct mpi_call longer = journal->run.call;
	uint64_t gap_ns = call->enter_ns - longer.leave_ns;

	longer.leave_ns = call->leave_ns;
	longer.events = call->events;
	longer.least_poll_gap_ns = longer.polls == 1 || gap_ns < longer.least_poll_gap_ns
					   ? gap_ns : longer.least_poll_gap_ns;
	longer.poll_gaps_ns += gap_ns;
	longer.polls++;
	if (!longer.empty_polls)
		longer.empty_from_ns = call->empty_from_ns;
	if (call->empty_polls)
		longer.empty_to_ns = call->empty_to_ns;
	longer.empty_polls += call->empty_polls;
	memset(journal->segment + journal->run.at, 0, journal->run.end - journal->run.at);
	journal->used = journal->run.at;
	journal->last_ns = journal->run.before_ns;
	return longer;
}

/* Number a call site that is seen for the first time. */
static int journal_add_site(struct journal *journal, uintptr_t address, uint32_t *number,
			    struct error *err)
{
	const char *text;
	unsigned char *to;

	TRY(journal_sites_add(journal->sites, address, number, err));
	text = journal_site_text(journal->sites, address);
	to = begin(journal, JOURNAL_SITE, text_room(text), err);
	return to ? end(journal, put_text(to, text)) : -1;
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
	to = begin(journal, site ? JOURNAL_CALL_AT : JOURNAL_CALL, room, err);
	if (!to)
		return -1;
	if (site)
		to = journal_put(to, site);
	to = journal_put(to, number);
	to = put_time(journal, to, call->enter_ns);
	to = put_time(journal, to, call->leave_ns);
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
	return end(journal, to);
}

/*
 * Add the poll to the last run, or begin another one: also where the program, which has computed between
 * the polls so far, begins to wait (trace/call/poll_run.h).
 */
static struct mpi_call run_with(struct journal *journal, unsigned number,
				const struct mpi_call *poll)
{
	const bool continues = continues_run(journal, number, poll);
	const bool waits = continues &&
			   (journal->run.waits ||
			    poll->enter_ns - journal->run.call.leave_ns <= POLL_GAP_NS);
	const bool begins_wait = waits && !journal->run.waits && journal->run.call.polls > 1;

	journal->run.waits = waits;
	return continues && !begins_wait ? longer_run(journal, poll) : *poll;
}

static int append_poll(struct journal *journal, unsigned number, const struct mpi_call *poll,
		       struct error *err)
{
	struct mpi_call call = run_with(journal, number, poll);
	uint64_t file_bytes, before_ns;
	uint32_t site;
	size_t at;

	TRY(find_site(journal, &call, &site, err));
	file_bytes = journal->file_bytes;
	before_ns = journal->last_ns;
	at = journal->used;
	TRY(append_call(journal, number, &call, site, err));
	/* No run extends over two segments: JOURNAL_FLUSH is between them. */
	if (journal->file_bytes != file_bytes)
		return 0;
	journal->run.call = call;
	journal->run.call.events = NULL;
	if (call.event_count)
		journal->run.event = *call.events;
	journal->run.number = number;
	journal->run.at = at;
	journal->run.end = journal->used;
	journal->run.before_ns = before_ns;
	return 0;
}

int journal_call(struct journal *journal, unsigned number, const struct mpi_call *call,
		 struct error *err)
{
	uint32_t site;

	if (call->polls == 1 && call->event_count <= 1)
		return append_poll(journal, number, call, err);
	TRY(find_site(journal, call, &site, err));
	return append_call(journal, number, call, site, err);
}

int journal_below(struct journal *journal, const struct below_event *event, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_BELOW, 48, err);

	if (!to)
		return -1;
	*to++ = (unsigned char)(event->part | (event->inside ? BELOW_IS_INSIDE : 0) |
				(event->pending ? BELOW_IS_PENDING : 0));
	to = journal_put(to, event->function);
	to = put_time(journal, to, event->enter_ns);
	to = put_time(journal, to, event->leave_ns);
	return end(journal, journal_put(to, event->number + 1)); /* BELOW_UNKNOWN becomes 0 */
}

int journal_switch(struct journal *journal, uint64_t time_ns, bool on, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_SWITCH, 16, err);

	if (!to)
		return -1;
	*to++ = on;
	return end(journal, put_time(journal, to, time_ns));
}

int journal_comm(struct journal *journal, const struct mpi_comm *comm, struct error *err)
{
	size_t room = 128;
	unsigned char *to;

	if (comm->members)
		room += vector_room(comm->size) + vector_room(comm->remote_size);
	to = begin(journal, JOURNAL_COMM, room, err);
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
	return end(journal, to);
}

int journal_comm_name(struct journal *journal, uint32_t id, const char *name, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_COMM_NAME, 16 + text_room(name), err);

	return to ? end(journal, put_text(journal_put(to, id), name)) : -1;
}

int journal_window(struct journal *journal, const struct mpi_window *window, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_WINDOW, 32, err);

	return to ? end(journal, journal_put(journal_put(journal_put(to, window->id), window->key),
					     window->comm))
		  : -1;
}

int journal_window_name(struct journal *journal, uint32_t id, const char *name, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_WINDOW_NAME, 16 + text_room(name), err);

	return to ? end(journal, put_text(journal_put(to, id), name)) : -1;
}

int journal_group(struct journal *journal, const struct mpi_group *group, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_GROUP, 32 + vector_room(group->size), err);

	if (!to)
		return -1;
	to = journal_put(journal_put(to, group->id), group->size);
	return end(journal, put_vector(to, group->members, group->size, true));
}

int journal_property(struct journal *journal, const char *name, const char *value,
		     struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_PROPERTY, text_room(name) + text_room(value),
				  err);

	return to ? end(journal, put_text(put_text(to, name), value)) : -1;
}

int journal_clock(struct journal *journal, const struct clock_point *start, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_CLOCK, 48, err);
	uint64_t deviation;

	if (!to)
		return -1;
	memcpy(&deviation, &start->deviation_ns, sizeof deviation);
	to = put_signed(journal_put(to, start->time_ns), (uint64_t)start->offset_ns);
	return end(journal, journal_put(to, deviation));
}

int journal_end(struct journal *journal, uint64_t time_ns, struct error *err)
{
	unsigned char *to = begin(journal, JOURNAL_END, 16, err);

	return to ? end(journal, put_time(journal, to, time_ns)) : -1;
}

/* ------------------------------------------------------- creating, removing */

static int refuse_archive(const char *directory, struct error *err)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/traces.otf2", directory);
	return access(path, F_OK) < 0 ? 0 : error_set(err, STATUS_DATA,
						      "%s: there is a trace already, of another run",
						      directory);
}

static int refuse_unfinished(const char *directory, struct error *err)
{
	return error_set(err, STATUS_DATA,
			 "%s already holds an unfinished trace (another run may be writing it); use"
			 " another -o, or --recover once that run has ended", directory);
}

/* Create the folders in which `path` is. */
static int make_folders_of(const char *path, struct error *err)
{
	char parent[4200];

	snprintf(parent, sizeof parent, "%s", path);
	for (char *slash = strchr(parent + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(parent, 0777) < 0 && errno != EEXIST)
			return error_set_errno(err, "%s", parent);
		*slash = '/';
	}
	return 0;
}

static int journal_make_directories(const struct journal *journal, const char *directory,
				    struct error *err)
{
	TRY(refuse_archive(directory, err));
	TRY(make_folders_of(journal->path, err));
	return access(journal->path, F_OK) < 0 ? 0 : refuse_unfinished(directory, err);
}

int journal_claim(const char *directory, struct error *err)
{
	char path[4200];
	int made;

	TRY(refuse_archive(directory, err));
	snprintf(path, sizeof path, "%s/journal", directory);
	/* Another run that gives up here may remove the directory between the two, while it is empty. */
	do {
		TRY(make_folders_of(path, err));
		made = mkdir(path, 0777);
	} while (made < 0 && errno == ENOENT);
	if (made < 0)
		return errno == EEXIST ? refuse_unfinished(directory, err)
				       : error_set_errno(err, "%s", path);
	/* That other run may have completed its archive since, and removed its journals. */
	if (refuse_archive(directory, err) < 0) {
		rmdir(path);
		return -1;
	}
	return 0;
}

static int put_begin(struct journal *journal, const struct journal_place *place, uint32_t ranks,
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
	to = begin(journal, JOURNAL_BEGIN, 64 + text_room(host) + text_room(cpus), err);
	if (!to)
		return -1;
	to = journal_put(journal_put(journal_put(to, place->rank), place->thread), ranks);
	end(journal, put_text(put_text(journal_put(to, journal->last_ns), host), cpus));
	if (place->thread)
		put_flush(journal);
	return 0;
}

/* Remove the folder of a file, and the directory of the trace, if they are empty. */
static void remove_folder(char *path)
{
	for (int i = 0; i < 2; i++) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}

static struct journal *new_journal(uint64_t begin_ns, size_t segment_bytes, struct error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct journal *journal;

	if (allocate(&journal, 1, sizeof *journal, err) < 0)
		return NULL;
	journal->segment_bytes = (segment_bytes + page - 1) / page * page;
	journal->last_ns = begin_ns;
	return journal;
}

static int map_first(struct journal *journal, int flags, struct error *err)
{
	TRY(map_segment(journal, flags, journal->segment_bytes, &journal->segment, err));
	journal->size = journal->file_bytes = journal->segment_bytes;
	return 0;
}

int journal_create(struct journal **pointer, const struct journal_place *place, uint32_t ranks,
		   uint64_t begin_ns, size_t segment_bytes, struct error *err)
{
	struct journal *journal = new_journal(begin_ns, segment_bytes, err);

	if (!journal)
		return -1;
	if (!journal_path(journal->path, place)) {
		free(journal);
		return error_set(err, STATUS_DATA, "%s: the name is too long", place->directory);
	}
	if (journal_make_directories(journal, place->directory, err) < 0) {
		free(journal);
		return -1;
	}
	if (map_first(journal, O_CREAT | O_EXCL, err) < 0) {
		remove_folder(journal->path);
		free(journal);
		return -1;
	}
	*pointer = journal;
	return put_begin(journal, place, ranks, err);
}

int journal_record_sites(struct journal *journal, struct error *err)
{
	return journal_sites_make(&journal->sites, err);
}

int journal_create_unnamed(struct journal **pointer, const struct journal_place *place,
			   uint32_t ranks, uint64_t begin_ns, size_t segment_bytes,
			   struct error *err)
{
	struct journal *journal = new_journal(begin_ns, segment_bytes, err);

	if (!journal)
		return -1;
	journal->unnamed = true;
	snprintf(journal->path, sizeof journal->path, "%s", place->directory);
	if (map_first(journal, 0, err) < 0) {
		free(journal);
		return -1;
	}
	*pointer = journal;
	return put_begin(journal, place, ranks, err);
}

uint64_t journal_size(const struct journal *journal)
{
	return journal->file_bytes;
}

/* Copy what [from, from + bytes) has of a segment that begins at `begin`. */
static void copy_segment(const unsigned char *segment, size_t size, uint64_t begin, uint64_t from,
			 unsigned char *to, size_t bytes)
{
	const uint64_t first = from > begin ? from : begin;
	const uint64_t end = from + bytes < begin + size ? from + bytes : begin + size;

	if (first < end)
		memcpy(to + (first - from), segment + (first - begin), end - first);
}

void journal_copy(const struct journal *journal, uint64_t from, unsigned char *to, size_t bytes)
{
	uint64_t begin = 0;

	for (size_t i = 0; i < journal->full.count; i++) {
		const struct segment *full = &journal->full.items[i];

		copy_segment(full->at, full->bytes, begin, from, to, bytes);
		begin += full->bytes;
	}
	copy_segment(journal->segment, journal->size, begin, from, to, bytes);
}

static bool ended_path(char path[static 4096], const char *directory)
{
	return snprintf(path, 4096, "%s/journal/ended", directory) < 4096;
}

int journal_rank_ended(const char *directory, uint32_t ranks, bool *last, struct error *err)
{
	char path[4096];
	int file, result = 0;

	if (!ended_path(path, directory))
		return error_set(err, STATUS_DATA, "%s: the name is too long", directory);
	file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	/* Append one byte for each rank.  The offset after it is different for each. */
	if (file < 0 || write(file, "", 1) != 1)
		result = error_set_errno(err, "%s", path);
	*last = result == 0 && lseek(file, 0, SEEK_CUR) == (off_t)ranks;
	if (file >= 0)
		close(file);
	return result;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	unmap(journal);
	journal_sites_free(journal->sites);
	free(journal);
}

void journal_remove(const char *directory, uint32_t rank, uint32_t threads)
{
	char path[4096];

	for (uint32_t thread = 0; thread < threads; thread++)
		if (journal_path(path, &(struct journal_place){directory, rank, thread}))
			unlink(path);
	if (!ended_path(path, directory))
		return;
	unlink(path);
	remove_folder(path);
}
