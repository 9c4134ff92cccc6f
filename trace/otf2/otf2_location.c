#include "trace/otf2/otf2_location.h"

#include "common/units.h"
#include "trace/otf2/otf2_error.h"
#include "trace/otf2/trace_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget_vectors(struct otf2_reader *reader)
{
	for (size_t i = 0; i < reader->vectors.count; i++)
		free(reader->vectors.items[i].items);
	reader->vectors.count = 0;
}

void otf2_reader_forget(struct otf2_reader *reader)
{
	forget_vectors(reader);
	array_release(&reader->vectors);
	array_release(&reader->events);
	array_release(&reader->open_below);
}

/*
 * Check whether the location has a file with this ending.  For a missing file OTF2 reports the same
 * error as for an unreadable one, and leaks memory.
 */
static bool has_file(const struct otf2_reader *reader, uint64_t location, const char *ending)
{
	int length = (int)(strlen(reader->path) - strlen(".otf2"));
	OTF2_FileSubstrate substrate;
	char *name;
	bool found;

	/* Other substrates keep several locations in a file. */
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

bool trace_location_has_events(const struct otf2_reader *reader,
			       const struct trace_location *location)
{
	return location->events ||
	       (!reader->index.world.has_counts && has_file(reader, location->id, "evt"));
}

/* Read the mapping tables and clock offsets of a location, if it has any. */
static int read_local_definitions(struct otf2_reader *reader, uint64_t location,
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
				 reader->rank, otf2_error_text(OTF2_ERROR_INVALID));
	code = OTF2_Reader_ReadAllLocalDefinitions(reader->otf2, definitions, &count);
	OTF2_Reader_CloseDefReader(reader->otf2, definitions);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA,
				 "%s: rank %u: local definitions are damaged after %llu: %s",
				 reader->path, reader->rank, (unsigned long long)count,
				 otf2_error_text(code));
	return 0;
}

/* Name the location in error messages. */
static const char *otf2_location_place(const struct otf2_reader *reader, char text[static 64])
{
	if (reader->call.thread)
		snprintf(text, 64, "rank %u, thread %u", reader->rank, reader->call.thread);
	else
		snprintf(text, 64, "rank %u", reader->rank);
	return text;
}

/* ---------------------------------------------------------- reading a location */

static int otf2_location_open_file(struct otf2_reader *reader, struct error *err)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_ErrorCode code = OTF2_ERROR_INVALID_ARGUMENT;
	char text[64];

	reader->file = OTF2_Reader_GetEvtReader(reader->otf2, reader->location->id);
	if (reader->file && callbacks) {
		trace_events_set_callbacks(callbacks);
		trace_events_set_rma_callbacks(callbacks);
		code = OTF2_Reader_RegisterEvtCallbacks(reader->otf2, reader->file, callbacks,
							reader);
	}
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "%s: %s: damaged after event 0 of %llu: %s",
				 reader->path, otf2_location_place(reader, text),
				 (unsigned long long)reader->location->events,
				 otf2_error_text(code));
	return 0;
}

int trace_location_open(struct otf2_reader *reader, const struct trace_location *location,
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
	reader->open_below.count = 0;
	reader->below = reader->others = false;
	reader->off = false;
	otf2_error_clear();
	TRY(read_local_definitions(reader, location->id, err));
	otf2_error_clear();
	return otf2_location_open_file(reader, err);
}

int trace_location_read(struct otf2_reader *reader, struct error *err)
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
				 reader->path, otf2_location_place(reader, text),
				 (unsigned long long)reader->event_number,
				 (unsigned long long)reader->location->events,
				 otf2_error_text(code));
	if (reader->location_events != reader->location->events &&
	    reader->index.world.has_counts)
		return error_set(err, STATUS_DATA, "%s: %s: has %llu event%s instead of %llu",
				 reader->path, otf2_location_place(reader, text),
				 (unsigned long long)reader->location_events,
				 plural(reader->location_events),
				 (unsigned long long)reader->location->events);
	reader->left_out.miscounted_locations +=
		reader->location_events != reader->location->events;
	reader->at_end = true;
	return trace_events_end(reader);
}

void trace_location_close(struct otf2_reader *reader)
{
	if (reader->file)
		OTF2_Reader_CloseEvtReader(reader->otf2, reader->file);
	reader->file = NULL;
}
