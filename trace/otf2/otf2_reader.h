/* An open archive and the state of reading one rank of it; internal to trace/otf2/. */
#ifndef TRACE_OTF2_READER_H
#define TRACE_OTF2_READER_H

#include "trace/call/trace_backend.h"
#include "trace/otf2/trace_index.h"

/* Ids of the attributes of doc/trace-format.md; OTF2_UNDEFINED_ATTRIBUTE if absent. */
struct attribute_ids {
	uint32_t posted_wildcard, in_place, operation, send_bytes, receive_bytes,
		neighbours, polls, poll_gaps, least_poll_gap, partitions, persistent, call_site,
		communicator, source, tag, bytes, found, pending;
};

/* Byte counts, by the id of the string that spells them; parsed once for each rank. */
struct vector {
	uint64_t *items;
	uint32_t count;
};

struct otf2_reader {
	char *path;		/* of the anchor file */
	OTF2_Reader *otf2;
	bool shares;		/* index of another reader */
	struct trace_index index;
	struct attribute_ids attributes;
	ARRAY(struct vector) vectors;
	struct trace_left_out left_out;

	/* Readers of the rank's threads, if it has several; they use this archive. */
	ARRAY(struct otf2_reader *) threads;

	/* The location that is being read. */
	const struct trace_location *location;
	OTF2_EvtReader *file;
	bool holds_back;	/* keep a finished call instead of delivering it */
	bool ready;		/* such a call is kept */
	bool at_end;
	uint64_t location_events;	/* that have been read of it */
	bool opened;		/* it has events */
	uint64_t calls;		/* that were held back */
	bool below, others;	/* regions below MPI, or other ones than of MPI, were seen */
	uint64_t begun_ns;	/* when the current call was entered, flushes included */

	struct trace_receiver to;
	struct error *err;
	bool failed;
	uint32_t rank;
	uint64_t events_read;	/* of the ranks before */
	uint64_t event_number;	/* of the current event, from 1 */
	uint64_t last_ns;	/* time of the previous event */
	uint64_t flush_stop_ns;	/* when a full buffer had been written */
	uint64_t flushed_ns;	/* time of flushes between calls; subtracted from all times */
	uint32_t depth;		/* MPI regions that are open */
	bool off;		/* recording is switched off */
	struct mpi_call call;	/* the outermost open call; its thread is set */
	ARRAY(struct mpi_event) events;
	ARRAY(struct below_call) open_below; /* calls below MPI that are not left */
};

#endif
