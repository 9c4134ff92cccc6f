#include "trace/trace_reader.h"

#include "trace/liballprof/liballprof_trace.h"
#include "trace/otf2/trace_anchor.h"
#include "trace/otf2/trace_events.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------------------- OTF2's errors */

static _Thread_local char otf2_text[256];
static _Thread_local OTF2_ErrorCode otf2_code;	/* of the text */

/* Keep the first message, which is the cause of the following. */
static OTF2_ErrorCode on_otf2_error(void *data, const char *file, uint64_t line,
				    const char *function, OTF2_ErrorCode code, const char *format,
				    va_list arguments)
{
	size_t used;

	(void)data, (void)file, (void)line, (void)function;
	if (!*otf2_text) {
		otf2_code = code;
		used = (size_t)snprintf(otf2_text, sizeof otf2_text, "%s",
					OTF2_Error_GetDescription(code));
		if (format && *format && used < sizeof otf2_text - 3) {
			used += (size_t)snprintf(otf2_text + used, sizeof otf2_text - used, ": ");
			vsnprintf(otf2_text + used, sizeof otf2_text - used, format, arguments);
		}
	}
	return code;
}

static const char *otf2_error(OTF2_ErrorCode code)
{
	return *otf2_text ? otf2_text : OTF2_Error_GetDescription(code);
}

/* --------------------------------------------------------------------- opening */

/* Whether there is what the tracer leaves of a run that has not come to its end. */
static bool has_journals(const char *directory)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/journal", directory) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

static int find_anchor(struct trace_reader *reader, const char *path, struct error *err)
{
	static const char anchor[] = "/traces.otf2";
	struct stat status;

	reader->path = malloc(strlen(path) + sizeof anchor);
	if (!reader->path)
		return error_set_memory(err, strlen(path) + sizeof anchor);
	strcpy(reader->path, path);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		strcat(reader->path, anchor);
	if (stat(reader->path, &status) < 0) {
		if (has_journals(path))
			return error_set(err, STATUS_DATA,
					 "%s: the run has not ended; llamp-trace --recover %s "
					 "makes an archive of what it has recorded",
					 path, path);
		error_set_errno(err, "%s", reader->path);
		err->status = STATUS_DATA;
		return -1;
	}
	if (!S_ISREG(status.st_mode))
		return error_set(err, STATUS_DATA, "%s: not a file", reader->path);
	return trace_anchor_check(reader->path, err);
}

static uint32_t find_attribute(const struct trace_index *index, const char *name)
{
	for (size_t i = 0; i < index->attributes.count; i++) {
		const char *text =
			trace_index_string(index, index->attributes.items[i] - 1);

		if (text && !strcmp(text, name))
			return (uint32_t)i;
	}
	return OTF2_UNDEFINED_ATTRIBUTE;
}

/* Archives may lie in SION files, for which the library has to be built. */
static int refuse_archive(struct error *err)
{
	if (*otf2_text && (otf2_code == OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED ||
			   otf2_code == OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED))
		return error_set(err, STATUS_LIMIT, "this OTF2 library cannot read it: %s",
				 otf2_text);
	return error_set(err, STATUS_DATA, "not an OTF2 archive: %s",
			 otf2_error(OTF2_ERROR_INVALID));
}

static int open_archive(struct trace_reader *reader, struct error *err)
{
	OTF2_ErrorCode code;

	*otf2_text = '\0';
	reader->otf2 = OTF2_Reader_Open(reader->path);
	if (!reader->otf2)
		return refuse_archive(err);
	code = OTF2_Reader_SetSerialCollectiveCallbacks(reader->otf2);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s", otf2_error(code));
	return 0;
}

/* A byte of the file, compressed at best, is no more definitions than this. */
enum { MOST_DEFINITIONS_OF_A_BYTE = 1024 };

/*
 * OTF2 believes what the anchor file says of how many definitions there are, and
 * reads the last of them again and again until it has so many.
 */
static int check_definition_count(const struct trace_reader *reader, struct error *err)
{
	int length = (int)(strlen(reader->path) - strlen(".otf2"));
	struct stat status;
	uint64_t count = 0;
	char *name;
	bool found;

	if (length < 0 || asprintf(&name, "%.*s.def", length, reader->path) < 0)
		return 0;
	found = stat(name, &status) == 0;
	free(name);
	OTF2_Reader_GetNumberOfGlobalDefinitions(reader->otf2, &count);
	if (found && count / MOST_DEFINITIONS_OF_A_BYTE > (uint64_t)status.st_size)
		return error_set(err, STATUS_DATA,
				 "more definitions than their file has room for: %llu",
				 (unsigned long long)count);
	return 0;
}

/* Our tracer's archives say which version of doc/trace-format.md they follow. */
static bool is_of_tracer(const struct trace_reader *reader)
{
	char *version = NULL;
	bool found = OTF2_Reader_GetProperty(reader->otf2, "LLAMP::CONVENTIONS", &version) ==
		     OTF2_SUCCESS;

	free(version);
	*otf2_text = '\0';
	return found;
}

static int read_definitions(struct trace_reader *reader, struct error *err)
{
	struct trace_index *index = &reader->index;

	TRY(check_definition_count(reader, err));
	index->world.has_counts = is_of_tracer(reader);
	TRY(trace_index_read(index, reader->otf2, err));
	index->world.lacks_records = !index->world.has_counts;
	reader->attributes = (struct attribute_ids){
		.posted_wildcard = find_attribute(index, "PostedWildcard"),
		.in_place = find_attribute(index, "InPlace"),
		.operation = find_attribute(index, "ReduceOperation"),
		.send_bytes = find_attribute(index, "SendBytes"),
		.receive_bytes = find_attribute(index, "ReceiveBytes"),
		.neighbours = find_attribute(index, "Neighbours"),
		.polls = find_attribute(index, "Polls"),
		.poll_gaps = find_attribute(index, "PollGaps"),
		.least_poll_gap = find_attribute(index, "LeastPollGap"),
		.partitions = find_attribute(index, "Partitions"),
		.persistent = find_attribute(index, "Persistent"),
	};
	return 0;
}

static int select_locations(struct trace_reader *reader, const struct trace_location *locations,
			    size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		OTF2_ErrorCode code = OTF2_Reader_SelectLocation(reader->otf2, locations[i].id);

		if (code != OTF2_SUCCESS)
			return error_set(err, STATUS_DATA, "location %llu: %s",
					 (unsigned long long)locations[i].id, otf2_error(code));
	}
	return 0;
}

static int open_events(struct trace_reader *reader, struct error *err)
{
	const struct trace_index *index = &reader->index;
	OTF2_ErrorCode code;

	TRY(select_locations(reader, index->ranks.items, index->ranks.count, err));
	TRY(select_locations(reader, index->threads.items, index->threads.count, err));
	code = OTF2_Reader_OpenDefFiles(reader->otf2);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_OpenEvtFiles(reader->otf2);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s", otf2_error(code));
	return 0;
}

static void count_other_locations(struct trace_reader *reader)
{
	const struct trace_index *index = &reader->index;

	for (size_t i = 0; i < index->locations.count; i++)
		reader->left_out.other_locations += index->locations.items[i].events > 0;
	for (size_t i = 0; i < index->ranks.count; i++)
		reader->left_out.other_locations -= index->ranks.items[i].events > 0;
	for (size_t i = 0; i < index->threads.count; i++)
		reader->left_out.other_locations -= index->threads.items[i].events > 0;
}

int trace_reader_open(struct trace_reader **opened, const char *path, struct error *err)
{
	struct trace_reader *reader;

	*opened = NULL;
	TRY(allocate(&reader, 1, sizeof *reader, err));
	if (liballprof_trace_open(&reader->text, path, err) < 0) {
		trace_reader_close(reader);
		return -1;
	}
	if (reader->text) {
		*opened = reader;
		return 0;
	}
	OTF2_Error_RegisterCallback(on_otf2_error, NULL);
	if (find_anchor(reader, path, err) < 0) {
		trace_reader_close(reader);
		return -1;
	}
	if (open_archive(reader, err) < 0 || read_definitions(reader, err) < 0 ||
	    open_events(reader, err) < 0) {
		error_prefix(err, "%s", reader->path);
		trace_reader_close(reader);
		return -1;
	}
	count_other_locations(reader);
	*opened = reader;
	return 0;
}

int trace_reader_again(struct trace_reader **opened, const struct trace_reader *first,
		       struct error *err)
{
	struct trace_reader *reader;

	*opened = NULL;
	TRY(allocate(&reader, 1, sizeof *reader, err));
	reader->shares = true;
	reader->text = first->text;
	if (reader->text) {
		*opened = reader;
		return 0;
	}
	reader->index = first->index;
	reader->attributes = first->attributes;
	reader->path = strdup(first->path);
	if (!reader->path) {
		trace_reader_close(reader);
		return error_set_memory(err, strlen(first->path));
	}
	if (open_archive(reader, err) < 0 || open_events(reader, err) < 0) {
		error_prefix(err, "%s", reader->path);
		trace_reader_close(reader);
		return -1;
	}
	*opened = reader;
	return 0;
}

uint64_t trace_reader_events(const struct trace_reader *reader)
{
	uint64_t events = 0;

	for (size_t i = 0; i < reader->index.ranks.count; i++)
		events += reader->index.ranks.items[i].events;
	for (size_t i = 0; i < reader->index.threads.count; i++)
		events += reader->index.threads.items[i].events;
	return events;
}

uint64_t trace_reader_events_read(const struct trace_reader *reader)
{
	uint64_t events = reader->events_read + reader->event_number;

	for (size_t i = 0; i < reader->threads.count; i++)
		events += trace_reader_events_read(reader->threads.items[i]);
	return events;
}

const struct trace_world *trace_reader_world(const struct trace_reader *reader)
{
	return reader->text ? liballprof_trace_world(reader->text) : &reader->index.world;
}

struct trace_left_out trace_reader_left_out(const struct trace_reader *reader)
{
	return reader->left_out;
}

void trace_left_out_add(struct trace_left_out *left_out, const struct trace_left_out *more)
{
	uint64_t *sums = (uint64_t *)left_out;
	const uint64_t *others = (const uint64_t *)more;

	_Static_assert(sizeof *left_out % sizeof *sums == 0, "sums of 64 bits");
	for (size_t i = 0; i < sizeof *left_out / sizeof *sums; i++)
		sums[i] += others[i];
}

static void forget_vectors(struct trace_reader *reader)
{
	for (size_t i = 0; i < reader->vectors.count; i++)
		free(reader->vectors.items[i].items);
	reader->vectors.count = 0;
}

void trace_reader_forget(struct trace_reader *reader)
{
	forget_vectors(reader);
	array_release(&reader->vectors);
	array_release(&reader->events);
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	trace_threads_close(reader);
	if (reader->otf2)
		OTF2_Reader_Close(reader->otf2);
	if (!reader->shares) {
		liballprof_trace_close(reader->text);
		trace_index_release(&reader->index);
	}
	trace_reader_forget(reader);
	free(reader->path);
	free(reader);
}

/* ------------------------------------------------------------- reading one rank */

/*
 * OTF2 does not tell a file that is not there from one that it cannot read, and
 * keeps what it has allocated for one that is not there.
 */
static bool has_file(const struct trace_reader *reader, uint64_t location, const char *ending)
{
	int length = (int)(strlen(reader->path) - strlen(".otf2"));
	OTF2_FileSubstrate substrate;
	char *name;
	bool found;

	/* Files of other kinds are of several locations. */
	if (OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate) != OTF2_SUCCESS ||
	    substrate != OTF2_SUBSTRATE_POSIX)
		return true;
	if (length < 0 || asprintf(&name, "%.*s/%llu.%s", length, reader->path,
				   (unsigned long long)location, ending) < 0)
		return true;
	found = access(name, F_OK) == 0;
	free(name);
	return found;
}

bool trace_location_has_events(const struct trace_reader *reader,
			       const struct trace_location *location)
{
	return location->events ||
	       (!reader->index.world.has_counts && has_file(reader, location->id, "evt"));
}

/* Mapping tables and clock offsets stand in the local definitions; there may be none. */
static int read_local_definitions(struct trace_reader *reader, uint64_t location,
				  struct error *err)
{
	OTF2_DefReader *definitions;
	OTF2_ErrorCode code;
	uint64_t count;

	if (!has_file(reader, location, "def"))
		return 0;
	definitions = OTF2_Reader_GetDefReader(reader->otf2, location);
	if (!definitions)
		return error_set(err, STATUS_DATA,
				 "%s: rank %u: local definitions cannot be read: %s", reader->path,
				 reader->rank, otf2_error(OTF2_ERROR_INVALID));
	code = OTF2_Reader_ReadAllLocalDefinitions(reader->otf2, definitions, &count);
	OTF2_Reader_CloseDefReader(reader->otf2, definitions);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA,
				 "%s: rank %u: local definitions are damaged after %llu: %s",
				 reader->path, reader->rank, (unsigned long long)count,
				 otf2_error(code));
	return 0;
}

/* What an error is about. */
static const char *place_of(const struct trace_reader *reader, char text[static 64])
{
	if (reader->call.thread)
		snprintf(text, 64, "rank %u, thread %u", reader->rank, reader->call.thread);
	else
		snprintf(text, 64, "rank %u", reader->rank);
	return text;
}

/* ---------------------------------------------------------- reading a location */

static int open_file(struct trace_reader *reader, struct error *err)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_ErrorCode code = OTF2_ERROR_INVALID_ARGUMENT;
	char text[64];

	reader->file = OTF2_Reader_GetEvtReader(reader->otf2, reader->location->id);
	if (reader->file && callbacks) {
		trace_events_set_callbacks(callbacks);
		code = OTF2_Reader_RegisterEvtCallbacks(reader->otf2, reader->file, callbacks,
							reader);
	}
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s: %s: damaged after event 0 of %llu: %s",
				 reader->path, place_of(reader, text),
				 (unsigned long long)reader->location->events, otf2_error(code));
	return 0;
}

int trace_location_open(struct trace_reader *reader, const struct trace_location *location,
			struct error *err)
{
	reader->location = location;
	reader->err = err;
	reader->failed = reader->ready = reader->at_end = false;
	forget_vectors(reader);
	reader->events_read += reader->event_number;
	reader->event_number = reader->last_ns = reader->location_events = 0;
	reader->flush_stop_ns = reader->flushed_ns = reader->call.leave_ns = 0;
	reader->depth = 0;
	reader->off = false;
	*otf2_text = '\0';
	TRY(read_local_definitions(reader, location->id, err));
	*otf2_text = '\0';
	return open_file(reader, err);
}

int trace_location_read(struct trace_reader *reader, struct error *err)
{
	OTF2_ErrorCode code;
	uint64_t count = 0;
	char text[64];

	reader->ready = false;
	code = OTF2_Reader_ReadLocalEvents(reader->otf2, reader->file, UINT64_MAX, &count);
	reader->location_events += count;
	if (reader->failed)
		return -1;
	if (reader->ready)
		return 0;
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s: %s: damaged after event %llu of %llu: %s",
				 reader->path, place_of(reader, text),
				 (unsigned long long)reader->event_number,
				 (unsigned long long)reader->location->events, otf2_error(code));
	if (reader->location_events != reader->location->events &&
	    reader->index.world.has_counts)
		return error_set(err, STATUS_DATA, "%s: %s: has %llu events instead of %llu",
				 reader->path, place_of(reader, text),
				 (unsigned long long)reader->location_events,
				 (unsigned long long)reader->location->events);
	reader->left_out.miscounted_locations +=
		reader->location_events != reader->location->events;
	reader->at_end = true;
	return trace_events_end(reader);
}

void trace_location_close(struct trace_reader *reader)
{
	if (reader->file)
		OTF2_Reader_CloseEvtReader(reader->otf2, reader->file);
	reader->file = NULL;
}

void trace_reader_watch(struct trace_reader *reader, const char *region, trace_region_seen *seen,
			void *data)
{
	reader->region = region;
	reader->seen = seen;
	reader->seen_data = data;
}

const char *trace_reader_region_like(const struct trace_reader *reader, const char *text)
{
	for (size_t i = 0; i < reader->index.regions.count; i++) {
		const struct trace_region *region = &reader->index.regions.items[i];
		const char *name = trace_index_string(&reader->index, region->name);

		if (region->defined && !region->function && name && strstr(name, text))
			return name;
	}
	return NULL;
}

int trace_reader_rank(struct trace_reader *reader, uint32_t rank, trace_receive *receive,
		      void *data, struct error *err)
{
	const struct trace_location *location, *threads;
	uint32_t count;
	int result;

	if (reader->text)
		return liballprof_trace_rank(reader->text, rank, receive, data, &reader->left_out,
					     err);
	location = &reader->index.ranks.items[rank];
	threads = trace_index_threads(&reader->index, rank, &count);
	reader->receive = receive;
	reader->data = data;
	reader->rank = rank;
	if (count)
		return trace_threads_read(reader, threads, count, err);
	if (!trace_location_has_events(reader, location))
		return 0;
	result = trace_location_open(reader, location, err);
	if (result == 0)
		result = trace_location_read(reader, err);
	trace_location_close(reader);
	return result;
}
