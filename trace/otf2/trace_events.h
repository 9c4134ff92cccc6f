/*
 * An open archive, and the OTF2 callbacks that turn the events of a rank into
 * calls.  Private to the reader.
 */
#ifndef TRACE_TRACE_EVENTS_H
#define TRACE_TRACE_EVENTS_H

#include "trace/otf2/trace_index.h"
#include "trace/trace_reader.h"

/* Ids of the attributes of doc/trace-format.md; OTF2_UNDEFINED_ATTRIBUTE if absent. */
struct attribute_ids {
	uint32_t posted_wildcard, in_place, operation, send_bytes, receive_bytes,
		neighbours, polls, poll_gaps, least_poll_gap, partitions, persistent;
};

/* Byte counts by the id of the string that spells them, read once for a rank. */
struct vector {
	uint64_t *items;
	uint32_t count;
};

struct trace_reader {
	struct liballprof_trace *text;	/* then all but this and left_out is not used */
	char *path;		/* of the anchor file */
	OTF2_Reader *otf2;
	bool shares;		/* text or index of another reader */
	struct trace_index index;
	struct attribute_ids attributes;
	ARRAY(struct vector) vectors;
	struct trace_left_out left_out;

	/* Readers of the threads of the rank, if it has several; their archive is this one's. */
	ARRAY(struct trace_reader *) threads;

	/* The location that is being read. */
	const struct trace_location *location;
	OTF2_EvtReader *file;
	bool holds_back;	/* a call when it is over, instead of delivering it ... */
	bool ready;		/* ... as the one at hand is */
	bool at_end;
	uint64_t location_events;	/* that have been read of it */
	bool opened;		/* it has events */
	uint64_t calls;		/* that were held back */
	uint64_t begun_ns;	/* when the call at hand was entered, with flushes before */

	/* What is watched, or NULL. */
	const char *region;
	trace_region_seen *seen;
	void *seen_data;

	trace_receive *receive;
	void *data;
	struct error *err;
	bool failed;
	uint32_t rank;
	uint64_t events_read;	/* of the ranks before */
	uint64_t event_number;	/* of the current event, from 1 */
	uint64_t last_ns;	/* time of the previous event */
	uint64_t flush_stop_ns;	/* when a full buffer had been written */
	uint64_t flushed_ns;	/* time between calls that went into that; taken out of all times */
	uint32_t depth;		/* MPI regions that are open */
	bool off;		/* recording is switched off */
	struct mpi_call call;	/* the outermost open one; its thread is set */
	ARRAY(struct mpi_event) events;
};

/* The user data of the callbacks is the reader; they set `failed` and *err. */
void trace_events_set_callbacks(OTF2_EvtReaderCallbacks *callbacks);

/* Deliver the call that was held back; 0 or -1. */
int trace_events_give(struct trace_reader *reader);

/*
 * Whether a location has events: as its definition states or, in archives that are not of our
 * tracer, as there is a file of them.
 */
bool trace_location_has_events(const struct trace_reader *reader,
			       const struct trace_location *location);

/*
 * Read a location: open it, read on until all is read (at_end) or a call is held
 * back (ready), close it also after errors.
 */
int trace_location_open(struct trace_reader *reader, const struct trace_location *location,
			struct error *err);
int trace_location_read(struct trace_reader *reader, struct error *err);
void trace_location_close(struct trace_reader *reader);

/* Free what a reader has of its own. */
void trace_reader_forget(struct trace_reader *reader);

/* Read the rank with these threads beside its own location, calls in the order of their begin. */
int trace_threads_read(struct trace_reader *reader, const struct trace_location *threads,
		       uint32_t count, struct error *err);
void trace_threads_close(struct trace_reader *reader);

/* For those of one-sided communication (trace_events_rma.c). */
void trace_events_set_rma_callbacks(OTF2_EvtReaderCallbacks *callbacks);
OTF2_CallbackCode trace_events_add(struct trace_reader *reader, OTF2_TimeStamp time,
				   uint64_t number, const struct mpi_event *event);
OTF2_CallbackCode trace_events_stop(struct trace_reader *reader);

/* A record that is passed over. */
OTF2_CallbackCode trace_events_pass(struct trace_reader *reader, OTF2_TimeStamp time,
				    uint64_t number);

/* The name of a record's reduction operation, or NULL. */
const char *trace_events_operation(const struct trace_reader *reader,
				   const OTF2_AttributeList *list);

/* After the last event: deliver what is still open; 0 or -1. */
int trace_events_end(struct trace_reader *reader);

#endif
