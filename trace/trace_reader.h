/*
 * Reading traces as MPI calls, rank by rank.
 *
 * The format is found by content: OTF2 archives (trace/otf2/otf2_backend.h), traces of
 * liballprof (trace/liballprof/liballprof_trace.h) or event flow files (trace/flow/recover/flow_backend.h).
 *
 *	trace_reader_open(&reader, "trace/traces.otf2", err);
 *	for (rank = 0; rank < trace_reader_world(reader)->rank_count; rank++)
 *		trace_reader_rank(reader, rank, receive, data, err);
 *	trace_reader_close(reader);
 *
 * World ranks of an OTF2 archive are the locations of the group of kind COMM_LOCATIONS.  The other
 * threads of a rank are the other locations in its location group.  Times are corrected by the
 * clock offsets of the archive.  Events are not kept, so memory does not grow with the archive.
 *
 * Errors name the archive, the rank and the number of the event.
 *
 * Several threads can read a trace at once, each with a reader of its own (trace_reader_again).
 * Traces must be opened by one thread at a time: trace_reader_open sets the error callback of the
 * OTF2 library, which is common to all threads.  OTF2 calls it in the thread of the error.
 */
#ifndef TRACE_TRACE_READER_H
#define TRACE_TRACE_READER_H

#include "common/error.h"
#include "trace/call/trace_backend.h"
#include "trace/repeat/repeat_backend.h"

struct trace_reader;

/*
 * Open an archive by its anchor file (*.otf2) or by the folder that holds traces.otf2, a trace of
 * liballprof by the file of rank 0 or its folder, or an event flow file.  Reads all global
 * definitions.  On failure *reader is NULL.
 */
int trace_reader_open(struct trace_reader **reader, const char *path, struct error *err);

/*
 * Open an archive of some iterations as the trace of the whole run: its calls are those of the
 * event flow file flow.efg beside it, with times from the archive (trace/repeat/repeat_backend.h).
 * STATUS_DATA if there is no such file, or one from which calls cannot be recovered.
 */
int trace_reader_open_repeated(struct trace_reader **reader, const char *path, struct error *err);

/* Whether it is such a trace; what was repeated, after all ranks have been read. */
bool trace_reader_repeats(const struct trace_reader *reader, struct trace_repeat *figures);

/*
 * Open the trace once more, for another thread.  The definitions are shared: close the first
 * reader last.  Times are delivered as by the first one.
 */
int trace_reader_again(struct trace_reader **reader, const struct trace_reader *first,
		       struct error *err);

/* Processes and communicators, valid until the reader is closed. */
const struct trace_world *trace_reader_world(const struct trace_reader *reader);

/*
 * Read the calls of all threads of one rank, in the order in which they were entered.  call->thread
 * numbers the threads in the order of their ids.  A call inside another one (a library may make its
 * MPI_Allreduce of other calls) is part of the outer one.  Regions other than MPI functions are
 * skipped.  A call named "(recording off)" covers the time in which recording was off.
 */
int trace_reader_rank(struct trace_reader *reader, uint32_t rank, trace_receive *receive,
		      void *data, struct error *err);

/* Number of events of all ranks, and of events that this reader has read; 0: not known. */
uint64_t trace_reader_events(const struct trace_reader *reader);
uint64_t trace_reader_events_read(const struct trace_reader *reader);

/*
 * Records that trace_reader_rank has not delivered so far.  A reader of trace_reader_again counts
 * the records of the ranks that it has read.
 */
struct trace_left_out trace_reader_left_out(const struct trace_reader *reader);

/*
 * Call `seen` for all regions of this name, other than MPI functions, in ranks read from now on.
 * The name is not copied.
 */
void trace_reader_watch(struct trace_reader *reader, const char *region, trace_region_seen *seen,
			void *data);

/*
 * Deliver calls as they were measured, from now on: times that can be compared with those of other
 * ranks and threads, and EVENT_PROBE of the messages that probes have found.  Otherwise the time of
 * writing trace data, which the program alone would not have needed, is subtracted from all later
 * times of its thread, and probes have no event.
 */
void trace_reader_as_measured(struct trace_reader *reader);

/*
 * Deliver an EVENT_TRANSFER for the bytes that a call reads from a file or writes to it, from now on.  Event
 * flow files lack these.
 */
void trace_reader_with_transfers(struct trace_reader *reader);

/*
 * Read no more than the first calls of ranks from now on, up to one that communicates: later ones
 * may have other times.
 */
void trace_reader_only_first(struct trace_reader *reader);

/* Call `below` for all calls below MPI in ranks read from now on, if it is not NULL. */
void trace_reader_below(struct trace_reader *reader, below_receive *below, void *data);

/* Call `seen` for all regions of OpenMP in ranks read from now on. */
void trace_reader_openmp(struct trace_reader *reader, trace_openmp_seen *seen, void *data);

/* Number of threads of a rank that have events: also of those that call no function of MPI. */
uint32_t trace_reader_threads(const struct trace_reader *reader, uint32_t rank);

/* Whole name of such a region that contains the text, or NULL; valid until the reader is closed. */
const char *trace_reader_region_like(const struct trace_reader *reader, const char *text);

/*
 * Text of a call site (struct mpi_call), "MODULE+0xOFFSET[BUILD-ID]"; valid until the reader and
 * those that share its definitions are closed.
 */
const char *trace_reader_site(const struct trace_reader *reader, uint32_t number);

/* Close the reader, which may be NULL. */
void trace_reader_close(struct trace_reader *reader);

#endif
