/*
 * Reading traces as MPI calls, rank by rank: OTF2 archives, and text traces of
 * liballprof (trace/text_trace.h), which are told by their content.
 *
 *	trace_reader_open(&reader, "trace/traces.otf2", err);
 *	for (rank = 0; rank < trace_reader_world(reader)->rank_count; rank++)
 *		trace_reader_rank(reader, rank, receive, data, err);
 *	trace_reader_close(reader);
 *
 * Reads what the tracer writes (doc/trace-format.md) and what Score-P writes.
 * World ranks are the locations of the group of kind COMM_LOCATIONS.  Every
 * rank is read by a reader of its own, in the time stamps that the clock
 * offsets of its definitions give, so memory does not grow with the archive.
 *
 * Errors name the archive, the rank and the number of the event.  Nothing is
 * printed.  Only one archive can be open at a time in a thread, for the OTF2
 * library has one place for its errors.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include "common/error.h"
#include "trace/mpi_call.h"
#include "trace/trace_world.h"

struct trace_reader;

/*
 * Open an archive: the anchor file (*.otf2) or the folder that holds
 * traces.otf2.  Reads all global definitions.  Or open a text trace: the file of
 * rank 0, or the folder that holds it.  On failure there is nothing to close.
 */
int trace_reader_open(struct trace_reader **reader, const char *path, struct error *err);

/* Processes and communicators; lives as long as the reader. */
const struct trace_world *trace_reader_world(const struct trace_reader *reader);

/* Takes one call (valid until it returns); -1 with the error filled ends the reading. */
typedef int trace_receive(void *data, const struct mpi_call *call, struct error *err);

/*
 * Read the calls of one rank in order of time.  A call inside another (what a
 * library's MPI_Allreduce is made of) is part of the outer one.  Regions that
 * are no MPI functions are passed over.  While recording was switched off, a
 * call named "(recording off)" stands.
 */
int trace_reader_rank(struct trace_reader *reader, uint32_t rank, trace_receive *receive,
		      void *data, struct error *err);

/* What the archive holds that trace_reader_rank has not delivered, so far. */
struct trace_left_out {
	uint64_t unfinished_calls;	/* entered but never left: the recording ended inside */
	uint64_t other_locations;	/* threads with events beside the one that stands for a rank */
	uint64_t other_events;		/* and how many events they have */
	/* Text traces (trace/text_calls.h, trace/text_requests.h). */
	uint64_t guessed_completions;	/* in calls that test or wait for any */
	uint64_t moved_requests;	/* that complete at another address, or at the end */
};
struct trace_left_out trace_reader_left_out(const struct trace_reader *reader);

/* Takes NULL too. */
void trace_reader_close(struct trace_reader *reader);

#endif
