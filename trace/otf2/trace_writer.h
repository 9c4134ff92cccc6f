/*
 * Writing an OTF2 archive as doc/trace-format.md describes it.
 *
 * Every rank has a writer, in its own process or all in one.  Writers need not communicate until
 * the end:
 *
 *	trace_writer_open(&writer, "run1", &place, now, err);
 *	trace_writer_call(writer, thread, CALL_Send, &call, err);	any number of them
 *	trace_writer_set_clock(writer, &clock);			if clocks are not the same
 *	trace_writer_end(writer, now, err);
 *		exchange strings, communicators and struct trace_rank
 *	trace_writer_map(writer, &maps, err);
 *	trace_writer_define(writer, &definitions, err);		rank 0 only
 *	trace_writer_close(writer, err);
 *
 * Every thread of a rank has a location and a file.  Events are buffered in bounded memory.  After
 * an error the archive must be removed (trace_writer_remove).
 */
#ifndef TRACE_TRACE_WRITER_H
#define TRACE_TRACE_WRITER_H

#include "common/machine/preemptions.h"
#include "trace/call/below.h"
#include "trace/call/mpi_call.h"
#include "trace/call/string_table.h"
#include "trace/journal/trace_clock.h"

#include <stddef.h>

struct trace_writer;

/* A rank, one of `ranks`, with `threads` threads (at least 1). */
struct trace_place {
	uint32_t rank, ranks, threads;
};

/* The location of a thread of a rank, as Score-P numbers them. */
static inline uint64_t trace_location_id(uint32_t rank, uint32_t thread)
{
	return (uint64_t)thread << 32 | rank;
}

/*
 * Begin the trace of a rank in `directory`, which is created if it is missing.  time_ns is the time
 * of ProgramBegin.  STATUS_DATA if the directory holds a complete archive.
 */
int trace_writer_open(struct trace_writer **writer, const char *directory,
		      const struct trace_place *place, uint64_t time_ns, struct error *err);

/*
 * Write a call of a thread, of function `number` (CALL_..., trace/call/mpi_functions.h).
 * call->function is ignored.  Ids of communicators are this rank's own.  A time earlier than the
 * thread's previous record is replaced by that.
 */
int trace_writer_call(struct trace_writer *writer, uint32_t thread, unsigned number,
		      const struct mpi_call *call, struct error *err);

/*
 * Write an event below MPI of a thread.  Events that are inside a call come before that call, and are
 * written with it.
 */
int trace_writer_below(struct trace_writer *writer, uint32_t thread,
		       const struct below_event *event, struct error *err);

/* Write the events inside calls that have not ended, after all calls. */
int trace_writer_below_end(struct trace_writer *writer, struct error *err);

/* Number the text of a call site among the strings of this rank, for struct mpi_call. */
int trace_writer_site(struct trace_writer *writer, const char *text, uint32_t *number,
		      struct error *err);

/* Write that recording of a thread is switched on or off. */
int trace_writer_switch(struct trace_writer *writer, uint32_t thread, uint64_t time_ns, bool on,
			struct error *err);

/*
 * Set the clock of all times of this rank.  Without it they are by the clock of rank 0.  Times are
 * written uncorrected, and readers correct them.
 */
void trace_writer_set_clock(struct trace_writer *writer, const struct trace_clock *clock);

/*
 * Write a BufferFlush with the thread's next call: recording took until stop_ns, which is not time
 * of the program.
 */
void trace_writer_flushed(struct trace_writer *writer, uint32_t thread, uint64_t stop_ns);

/* Properties of a rank that rank 0 writes. */
struct trace_rank {
	uint32_t threads;
	const uint64_t *events;		/* of each thread; valid while the writer is open */
	uint64_t begin_ns, end_ns;	/* by the clock of rank 0 */
	const char *host;
	const char *cpus; /* that it may use (common/machine/cpus.h), "" if not known */
	struct preemptions preemptions;
};

/* End the events: write ProgramEnd, and set *summary but for the host and the CPUs; preemptions are not known. */
int trace_writer_end(struct trace_writer *writer, uint64_t time_ns, struct trace_rank *summary,
		     struct error *err);

/* The strings that this rank has used, by its own ids. */
const struct string_table *trace_writer_strings(const struct trace_writer *writer);

/* Ids in the archive, by this rank's own ids. */
struct trace_maps {
	const uint32_t *strings;
	const uint32_t *comms, *windows, *groups;
	size_t comm_count, window_count, group_count;
};

/* Write the local definitions: the clock, and the maps. */
int trace_writer_map(struct trace_writer *writer, const struct trace_maps *maps,
		     struct error *err);

/* A group of ranks that synchronise on a window. */
struct trace_group_definition {
	const uint64_t *members;	/* world ranks */
	uint32_t member_count;
};

/* Groups with lower ids belong to MPI_COMM_WORLD and MPI_COMM_SELF. */
enum { FIRST_OWN_GROUP_ID = 3 };

struct trace_window_definition {
	const char *name;		/* "" if it has none */
	uint32_t comm;			/* id in the archive */
};

struct trace_comm_definition {
	const char *name;		/* "" if it has none */
	uint32_t parent;		/* id in the archive, below its own */
	const uint64_t *members;	/* world ranks */
	uint32_t member_count;
	const uint64_t *remote_members;	/* group B of an inter-communicator, else NULL */
	uint32_t remote_member_count;
};

/* Definitions common to all ranks. */
struct trace_definitions {
	uint32_t rank_count;
	const struct trace_rank *ranks;
	/*
	 * The strings of all ranks by their ids in the archive.  String 0 is "".  Names of
	 * definitions are added.
	 */
	struct string_table *strings;
	/* Communicator i has the id FIRST_OWN_COMM_ID + i. */
	const struct trace_comm_definition *comms;
	uint32_t comm_count;
	const struct trace_window_definition *windows;	/* by id */
	uint32_t window_count;
	/* Group i has the id FIRST_OWN_GROUP_ID + i. */
	const struct trace_group_definition *groups;
	uint32_t group_count;
	bool complete;			/* recording was never switched off */
	bool has_sites;			/* calls have call sites */
	bool has_below;			/* there are regions below MPI */
};

/* Write the global definitions, on rank 0 only. */
int trace_writer_define(struct trace_writer *writer, const struct trace_definitions *definitions,
			struct error *err);

/* Write the property LLAMP::NAME of the archive, if the value is not empty.  On rank 0 only. */
int trace_writer_property(struct trace_writer *writer, const char *name, const char *value,
			  struct error *err);

/* Write buffered data and free the writer, also on failure. */
int trace_writer_close(struct trace_writer *writer, struct error *err);

/* Bytes of the files of a rank with `threads` threads, for rank 0 also of the common files. */
uint64_t trace_writer_bytes(const char *directory, uint32_t rank, uint32_t threads);

/*
 * Remove the files of a rank with `threads` threads.  Rank 0 also removes the common files, the
 * last rank the directories.  The rank's writer must not be used any more and is not freed: OTF2
 * cannot abandon an archive, and closing it would write the files that make it look complete.
 */
void trace_writer_remove(const char *directory, uint32_t rank, uint32_t threads);

#endif
