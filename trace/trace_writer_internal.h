/* The parts of a writer; internal to trace/trace_writer*.c. */
#ifndef TRACE_TRACE_WRITER_INTERNAL_H
#define TRACE_TRACE_WRITER_INTERNAL_H

#include "trace/otf2_error.h"
#include "trace/trace_writer.h"

/* Ids of attributes; the names are in trace_writer_define.c. */
enum {
	ATTRIBUTE_POSTED_WILDCARD,
	ATTRIBUTE_IN_PLACE,
	ATTRIBUTE_REDUCE_OPERATION,
	ATTRIBUTE_SEND_BYTES,
	ATTRIBUTE_RECEIVE_BYTES,
	ATTRIBUTE_NEIGHBOURS,
	ATTRIBUTE_BYTES,
	ATTRIBUTE_TARGET,
	ATTRIBUTE_COUNT
};

/* The event buffer of a rank; OTF2 may choose larger chunks than we ask for. */
enum { BUFFER_BYTES = 1 << 22, CHUNK_BYTES = 1 << 20, MOST_CHUNKS = BUFFER_BYTES / CHUNK_BYTES };

struct trace_writer {
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;
	OTF2_AttributeList *attributes;
	uint32_t rank, ranks;
	uint64_t begin_ns, last_ns;
	struct trace_clock clock;
	uint64_t flush_stop_ns;		/* for the next call; 0: none */
	struct string_table strings;
	ARRAY(char) text;		/* a vector being written */
	void *chunks[MOST_CHUNKS];	/* of the event buffer; reused after a flush */
	unsigned chunks_used;
	char *directory;
};

/* otf2_check with the directory's name. */
int trace_writer_check(const struct trace_writer *writer, OTF2_ErrorCode code, struct error *err);

#endif
