/* A writer; internal to trace/otf2/trace_writer*.c. */
#ifndef TRACE_TRACE_WRITER_INTERNAL_H
#define TRACE_TRACE_WRITER_INTERNAL_H

#include "trace/otf2/otf2_error.h"
#include "trace/otf2/trace_writer.h"

/* Ids of attributes.  The names are in trace_writer_define.c. */
enum {
	ATTRIBUTE_POSTED_WILDCARD,
	ATTRIBUTE_IN_PLACE,
	ATTRIBUTE_REDUCE_OPERATION,
	ATTRIBUTE_SEND_BYTES,
	ATTRIBUTE_RECEIVE_BYTES,
	ATTRIBUTE_NEIGHBOURS,
	ATTRIBUTE_BYTES,
	ATTRIBUTE_PARTITIONS,
	ATTRIBUTE_COMMUNICATOR,
	ATTRIBUTE_SOURCE,
	ATTRIBUTE_TAG,
	ATTRIBUTE_POLLS,
	ATTRIBUTE_POLL_GAPS,
	ATTRIBUTE_LEAST_POLL_GAP,
	ATTRIBUTE_PERSISTENT,
	/* The rest is defined only if it is used; ids have no gaps, though. */
	ATTRIBUTE_FOUND,
	ATTRIBUTE_PENDING,
	ATTRIBUTE_CALL_SITE,
	ATTRIBUTE_COUNT
};

/* Regions below MPI that are open at a time. */
enum { BELOW_MOST_DEPTH = 16 };

/*
 * Sizes of the event buffers: the first thread of a rank has up to MOST_CHUNKS chunks, others have
 * one.  OTF2 may choose larger chunks than these.
 */
enum { BUFFER_BYTES = 1 << 22, CHUNK_BYTES = 1 << 20, MOST_CHUNKS = BUFFER_BYTES / CHUNK_BYTES };

/* The location of a thread. */
struct trace_writer_thread {
	OTF2_EvtWriter *events;
	uint64_t last_ns;
	uint64_t flush_stop_ns;		/* for the next call; 0: none */
	void *chunks[MOST_CHUNKS];	/* of the event buffer; reused after a flush */
	unsigned chunks_used;
	/* Below MPI: what is to be written with the next call, and the functions that are open. */
	ARRAY(struct below_event) held;
	size_t held_next;		/* those before it are written */
	uint32_t open[BELOW_MOST_DEPTH];
	unsigned depth;
};

struct trace_writer {
	OTF2_Archive *archive;
	OTF2_AttributeList *attributes;
	struct trace_place place;
	uint64_t begin_ns;
	struct trace_writer_thread *threads;
	OTF2_EvtWriter *events;		/* of the current thread */
	uint64_t *counts;		/* of events, of each thread, at the end */
	struct trace_clock clock;
	struct string_table strings;
	ARRAY(char) text;		/* a vector being written */
	char *directory;
};

/* Write one-sided communication (trace_writer_rma.c).  Events of other kinds are ignored. */
int trace_writer_rma_at_enter(struct trace_writer *writer, const struct mpi_event *event,
			      uint64_t time, struct error *err);
int trace_writer_rma_at_leave(struct trace_writer *writer, const struct mpi_event *event,
			      uint64_t time, struct error *err);

/*
 * Write the events below MPI that are held and begin before a time (trace_writer_below.c), and end all of
 * their regions.
 */
int trace_writer_below_until(struct trace_writer *writer, struct trace_writer_thread *thread,
			     uint64_t until_ns, struct error *err);

/* Write the empty polls of a call, which are the last in it. */
int trace_writer_empty_polls(struct trace_writer *writer, struct trace_writer_thread *thread,
			     const struct mpi_call *call, struct error *err);

/* Add a text of `bytes` to the attributes. */
int trace_writer_add_string(struct trace_writer *writer, OTF2_AttributeRef attribute,
			    const char *text, size_t bytes, struct error *err);

/* Add the event's reduction operation, if any, to the attributes. */
int trace_writer_add_operation(struct trace_writer *writer, const struct mpi_event *event,
			       struct error *err);

/* otf2_check with the directory's name. */
int trace_writer_check(const struct trace_writer *writer, OTF2_ErrorCode code, struct error *err);

#endif
