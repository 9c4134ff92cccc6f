#include "trace/otf2/otf2_backend.h"

#include "trace/otf2/otf2_error.h"
#include "trace/otf2/otf2_location.h"
#include "trace/otf2/trace_anchor.h"
#include "trace/otf2/trace_threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --------------------------------------------------------------------- opening */

/* Check whether the directory holds journals of an unfinished run. */
static bool has_journals(const char *directory)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/journal", directory) < (int)sizeof path &&
	       access(path, F_OK) == 0;
}

static int find_anchor(struct otf2_reader *reader, const char *path, struct error *err)
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
					 "%s: the run has not reached MPI_Finalize; once it has "
					 "ended, llamp-trace --recover %s makes an archive of what "
					 "it has recorded",
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

/* Refuse an archive.  SION files need an OTF2 library built with support for them. */
static int refuse_archive(struct error *err)
{
	if (otf2_error_code() == OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED ||
	    otf2_error_code() == OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED)
		return error_set(err, STATUS_LIMIT, "this OTF2 library cannot read it: %s",
				 otf2_error_text(OTF2_ERROR_INVALID));
	return error_set(err, STATUS_DATA, "not an OTF2 archive: %s",
			 otf2_error_text(OTF2_ERROR_INVALID));
}

static int otf2_open_archive(struct otf2_reader *reader, struct error *err)
{
	OTF2_ErrorCode code;

	otf2_error_clear();
	reader->otf2 = OTF2_Reader_Open(reader->path);
	if (!reader->otf2)
		return refuse_archive(err);
	code = OTF2_Reader_SetSerialCollectiveCallbacks(reader->otf2);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s", otf2_error_text(code));
	return 0;
}

/* Largest number of definitions in a byte of the file, which may be compressed. */
enum { MOST_DEFINITIONS_OF_A_BYTE = 1024 };

/*
 * Refuse a number of definitions too large for their file.  OTF2 believes the number in the anchor
 * file: it would deliver the last definition again and again to reach it.
 */
static int check_definition_count(const struct otf2_reader *reader, struct error *err)
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
				 "%llu definitions do not fit their file",
				 (unsigned long long)count);
	return 0;
}

/* Check whether the archive has a property (doc/trace-format.md). */
static bool has_property(const struct otf2_reader *reader, const char *name)
{
	char *value = NULL;
	bool found = OTF2_Reader_GetProperty(reader->otf2, name, &value) == OTF2_SUCCESS;

	free(value);
	otf2_error_clear();
	return found;
}

static int read_definitions(struct otf2_reader *reader, struct error *err)
{
	struct trace_index *index = &reader->index;

	TRY(check_definition_count(reader, err));
	/* Our tracer names the version of its conventions. */
	index->world.has_counts = has_property(reader, "LLAMP::CONVENTIONS");
	index->world.incomplete = has_property(reader, "LLAMP::INCOMPLETE");
	index->world.synthetic_times = has_property(reader, "LLAMP::SYNTHETIC_TIMES");
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
		.call_site = find_attribute(index, "CallSite"),
		.communicator = find_attribute(index, "Communicator"),
		.source = find_attribute(index, "Source"),
		.tag = find_attribute(index, "Tag"),
		.bytes = find_attribute(index, "Bytes"),
		.found = find_attribute(index, "Found"),
		.pending = find_attribute(index, "Pending"),
	};
	index->world.has_probes = index->world.has_counts &&
				  reader->attributes.source != OTF2_UNDEFINED_ATTRIBUTE;
	index->world.has_sites = reader->attributes.call_site != OTF2_UNDEFINED_ATTRIBUTE;
	return 0;
}

static int select_locations(struct otf2_reader *reader, const struct trace_location *locations,
			    size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		OTF2_ErrorCode code = OTF2_Reader_SelectLocation(reader->otf2, locations[i].id);

		if (code != OTF2_SUCCESS)
			return error_set(err, STATUS_DATA, "location %llu: %s",
					 (unsigned long long)locations[i].id,
					 otf2_error_text(code));
	}
	return 0;
}

static int open_events(struct otf2_reader *reader, struct error *err)
{
	const struct trace_index *index = &reader->index;
	OTF2_ErrorCode code;

	TRY(select_locations(reader, index->ranks.items, index->ranks.count, err));
	TRY(select_locations(reader, index->threads.items, index->threads.count, err));
	code = OTF2_Reader_OpenDefFiles(reader->otf2);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_OpenEvtFiles(reader->otf2);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s", otf2_error_text(code));
	return 0;
}

static void count_other_locations(struct otf2_reader *reader)
{
	const struct trace_index *index = &reader->index;

	for (size_t i = 0; i < index->locations.count; i++)
		reader->left_out.other_locations += index->locations.items[i].events > 0;
	for (size_t i = 0; i < index->ranks.count; i++)
		reader->left_out.other_locations -= index->ranks.items[i].events > 0;
	for (size_t i = 0; i < index->threads.count; i++)
		reader->left_out.other_locations -= index->threads.items[i].events > 0;
}

static void otf2_close(void *trace)
{
	struct otf2_reader *reader = trace;

	trace_threads_close(reader);
	if (reader->otf2)
		OTF2_Reader_Close(reader->otf2);
	if (!reader->shares)
		trace_index_release(&reader->index);
	otf2_reader_forget(reader);
	free(reader->path);
	free(reader);
}

static int open_first(struct otf2_reader *reader, const char *path, struct error *err)
{
	TRY(find_anchor(reader, path, err));
	if (otf2_open_archive(reader, err) < 0 || read_definitions(reader, err) < 0 ||
	    open_events(reader, err) < 0)
		return error_prefix(err, "%s", reader->path);
	count_other_locations(reader);
	return 0;
}

static int otf2_open(void **trace, const char *path, struct error *err)
{
	struct otf2_reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	otf2_error_listen();
	if (open_first(reader, path, err) < 0) {
		otf2_close(reader);
		return -1;
	}
	*trace = reader;
	return 0;
}

static int open_other(struct otf2_reader *reader, const struct otf2_reader *first,
		      struct error *err)
{
	reader->shares = true;
	reader->index = first->index;
	reader->attributes = first->attributes;
	reader->path = strdup(first->path);
	if (!reader->path)
		return error_set_memory(err, strlen(first->path));
	if (otf2_open_archive(reader, err) < 0 || open_events(reader, err) < 0)
		return error_prefix(err, "%s", reader->path);
	return 0;
}

static int otf2_open_again(void **trace, const void *first, struct error *err)
{
	struct otf2_reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	if (open_other(reader, first, err) < 0) {
		otf2_close(reader);
		return -1;
	}
	*trace = reader;
	return 0;
}

/* --------------------------------------------------------------------- reading */

static const struct trace_world *otf2_world(const void *trace)
{
	return &((const struct otf2_reader *)trace)->index.world;
}

static struct trace_left_out otf2_left_out(const void *trace)
{
	return ((const struct otf2_reader *)trace)->left_out;
}

static uint64_t events_of_all(const void *trace)
{
	const struct otf2_reader *reader = trace;
	uint64_t events = 0;

	for (size_t i = 0; i < reader->index.ranks.count; i++)
		events += reader->index.ranks.items[i].events;
	for (size_t i = 0; i < reader->index.threads.count; i++)
		events += reader->index.threads.items[i].events;
	return events;
}

static uint64_t events_read(const void *trace)
{
	const struct otf2_reader *reader = trace;
	uint64_t events = reader->events_read + reader->event_number;

	for (size_t i = 0; i < reader->threads.count; i++)
		events += events_read(reader->threads.items[i]);
	return events;
}

static const char *region_like(const void *trace, const char *text)
{
	const struct otf2_reader *reader = trace;

	for (size_t i = 0; i < reader->index.regions.count; i++) {
		const struct trace_region *region = &reader->index.regions.items[i];
		const char *name = trace_index_string(&reader->index, region->name);

		if (region->defined && !region->function && name && strstr(name, text))
			return name;
	}
	return NULL;
}

static const char *site_text(const void *trace, uint32_t number)
{
	return trace_index_string(&((const struct otf2_reader *)trace)->index, number);
}

static uint32_t threads_of(const void *trace, uint32_t rank)
{
	uint32_t count;

	trace_index_threads(&((const struct otf2_reader *)trace)->index, rank, &count);
	return count + 1;
}

static int otf2_read_rank(void *trace, uint32_t rank, const struct trace_receiver *to,
			  struct error *err)
{
	struct otf2_reader *reader = trace;
	const struct trace_location *location = &reader->index.ranks.items[rank], *threads;
	uint32_t count;
	int result;

	threads = trace_index_threads(&reader->index, rank, &count);
	reader->to = *to;
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

const struct trace_backend otf2_backend = {
	.open = otf2_open,
	.again = otf2_open_again,
	.world = otf2_world,
	.rank = otf2_read_rank,
	.left_out = otf2_left_out,
	.events = events_of_all,
	.events_read = events_read,
	.threads = threads_of,
	.region_like = region_like,
	.site = site_text,
	.close = otf2_close,
};
