/*
 * Reading traces as MPI calls, rank by rank: OTF2 archives, and text traces of
 * liballprof (trace/liballprof/liballprof_trace.h), which are told by their content.
 *
 *	trace_reader_open(&reader, "trace/traces.otf2", err);
 *	for (rank = 0; rank < trace_reader_world(reader)->rank_count; rank++)
 *		trace_reader_rank(reader, rank, receive, data, err);
 *	trace_reader_close(reader);
 *
 * Reads what the tracer writes (doc/trace-format.md) and what Score-P writes.
 * World ranks are the locations of the group of kind COMM_LOCATIONS; the other
 * threads of a rank are those in the same location group.  Every rank is read by a
 * reader of its own, in the time stamps that the clock offsets of its definitions
 * give, so memory does not grow with the archive.
 *
 * Errors name the archive, the rank and the number of the event.  Nothing is
 * printed.
 *
 * Several threads can read an archive at once, each with a reader of its own
 * (trace_reader_again).  The OTF2 library keeps nothing outside of its readers
 * but a callback for errors, which it calls in the thread that the error is of;
 * it is set by trace_reader_open, so that archives must be opened by one thread
 * at a time.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include "common/error.h"
#include "trace/call/trace_backend.h"

struct trace_reader;

/*
 * Open an archive: the anchor file (*.otf2) or the folder that holds
 * traces.otf2.  Reads all global definitions.  Or open a text trace: the file of
 * rank 0, or the folder that holds it.  On failure there is nothing to close.
 */
int trace_reader_open(struct trace_reader **reader, const char *path, struct error *err);

/*
 * Open the archive once more, for another thread; the definitions are shared, so
 * that the first reader must be closed last.
 */
int trace_reader_again(struct trace_reader **reader, const struct trace_reader *first,
		       struct error *err);

/* Processes and communicators; lives as long as the reader. */
const struct trace_world *trace_reader_world(const struct trace_reader *reader);

/*
 * Read the calls of one rank, those of all its threads, in the order in which they
 * were entered; call->thread counts threads in the order of their ids.  A call inside another
 * (what a library's MPI_Allreduce is made of) is part of the outer one.  Regions that are no MPI
 * functions are passed over.  While recording was switched off, a call named "(recording off)"
 * stands.
 */
int trace_reader_rank(struct trace_reader *reader, uint32_t rank, trace_receive *receive,
		      void *data, struct error *err);

/* Events that all ranks have, and those that this reader has read; 0: not known. */
uint64_t trace_reader_events(const struct trace_reader *reader);
uint64_t trace_reader_events_read(const struct trace_reader *reader);

/*
 * What the archive holds that trace_reader_rank has not delivered, so far; of a
 * reader of trace_reader_again, what was met in the ranks that it has read.
 */
struct trace_left_out trace_reader_left_out(const struct trace_reader *reader);

/*
 * Call `seen` for all regions of this name, which are no functions of MPI, when
 * ranks are read from now on; the name must outlive that.
 */
void trace_reader_watch(struct trace_reader *reader, const char *region, trace_region_seen *seen,
			void *data);

/* The whole name of such a region with this text in it, or NULL; lives as long as the reader. */
const char *trace_reader_region_like(const struct trace_reader *reader, const char *text);

/* Takes NULL too. */
void trace_reader_close(struct trace_reader *reader);

#endif
