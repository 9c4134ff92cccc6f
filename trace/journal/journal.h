/*
 * Journals: the records of a thread of a rank while the program runs.
 *
 * The file is DIR/journal/RANK, or DIR/journal/RANK.THREAD for threads after the first.  Calls are
 * appended through a shared mapping, so they survive the process, however it ends.  At the end, or
 * by `llamp-trace --recover`, the journals of a rank are merged (trace/journal/journal_merge.h) and
 * written to an archive (trace/assemble/journal_to_otf2.h).
 *
 * The file is a sequence of segments.  Each is reserved on the disk before it is mapped, so that a
 * full disk is an error and not a signal.  One segment is mapped at a time.  It holds records:
 *
 *	uint32_t bytes		of the payload; 0: nothing has been written here yet
 *	uint32_t checksum	of the payload and its length
 *	payload			padded with zeros to a multiple of 8 bytes
 *
 * Length and checksum are stored last, in one store.  A payload is a kind and its values in
 * variable length (7 bits a byte, low bits first).  A time is the difference to the previous time.
 * The byte order is the machine's: the version that wrote a journal reads it, on a like machine.
 *
 * The writer holds an exclusive lock (flock) on the file until it closes the
 * journal or its process ends.  The lock is seen from all nodes of a shared file
 * system that passes flock on to its server: NFS with a lock manager, Lustre
 * mounted with "flock", GPFS.  With NFS "nolock" or "local_lock=flock" and Lustre
 * "localflock" only processes of the writer's node see it.  If flock is refused (Lustre "noflock"),
 * nobody sees it, and the journal is written without.
 *
 * The journals of a run that leaves no archive have no names, and no lock.
 */
#ifndef TRACE_JOURNAL_H
#define TRACE_JOURNAL_H

#include "common/error.h"
#include "common/machine/preemptions.h"
#include "trace/call/below.h"
#include "trace/call/mpi_call.h"
#include "trace/call/mpi_objects.h"
#include "trace/journal/ordinals.h"
#include "trace/journal/trace_clock.h"

#include <stddef.h>

/* ---------------------------------------------------------------- writing */

struct journal;

/* Bounds of the size of a segment. */
enum { JOURNAL_LEAST_BYTES = 1 << 16, JOURNAL_MOST_BYTES = 1 << 30 };

enum { JOURNAL_MOST_RANKS = 1 << 24 };

/*
 * Window of whole iterations of a main loop.  The last record with its begin_ns is valid: `count` 0
 * takes the window back.  begin_ns and end_ns are those of MeasurementOnOff, `end_ns` is UINT64_MAX
 * until its end is known.
 */
struct journal_iterations {
	uint64_t first, count; /* iterations, the first one from 1 */
	uint64_t begin_ns, end_ns;
	uint64_t first_call, calls;   /* of the first thread, as the sink gets them; from 0 */
	uint64_t first_visit, visits; /* of the header */
	uint32_t header, round;	      /* as in struct flow_window (trace/flow/flow.h) */
};

/* Identity of a journal. */
struct journal_place {
	const char *directory; /* of the trace */
	uint32_t rank, thread;
};

/*
 * Create the folder of journals, for the ranks of this run alone, and the directory if it is missing.
 * STATUS_DATA if the directory holds an archive or has been claimed by another run.  journal_remove
 * removes the folder.
 */
int journal_claim(const char *directory, struct error *err);

/*
 * Create the journal of a thread of a rank, one of `ranks`, and the directory if it is missing.
 * STATUS_DATA if the directory holds an archive or this journal of another run.  The journal of a
 * thread after the first begins with JOURNAL_FLUSH: it is created while the program runs.
 */
int journal_create(struct journal **journal, const struct journal_place *place, uint32_t ranks,
		   uint64_t begin_ns, size_t segment_bytes, struct error *err);

/* Record the call sites of all calls from now on, by their return addresses. */
int journal_record_sites(struct journal *journal, struct error *err);

/*
 * Create a journal that leaves nothing behind, however the process ends: its segments are files
 * without names in place->directory, which exists, and stay mapped until journal_close.
 */
int journal_create_unnamed(struct journal **journal, const struct journal_place *place,
			   uint32_t ranks, uint64_t begin_ns, size_t segment_bytes,
			   struct error *err);

/*
 * Append a record.  After an error the journal is valid up to the previous record and takes no
 * more.  A call with polls 1 is merged with the previous record if that is of the same run of polls
 * (trace/call/mpi_call.h).
 */
int journal_call(struct journal *journal, unsigned number, const struct mpi_call *call,
		 struct error *err);
int journal_below(struct journal *journal, const struct below_event *event, struct error *err);
int journal_switch(struct journal *journal, uint64_t time_ns, bool on, struct error *err);
int journal_comm(struct journal *journal, const struct mpi_comm *comm, struct error *err);
int journal_comm_name(struct journal *journal, uint32_t id, const char *name, struct error *err);
int journal_window(struct journal *journal, const struct mpi_window *window, struct error *err);
int journal_window_name(struct journal *journal, uint32_t id, const char *name, struct error *err);
int journal_group(struct journal *journal, const struct mpi_group *group, struct error *err);
int journal_property(struct journal *journal, const char *name, const char *value,
		     struct error *err);
int journal_clock(struct journal *journal, const struct clock_point *start, struct error *err);
int journal_iterations(struct journal *journal, const struct journal_iterations *iterations,
		       struct error *err);
/* Those of the rank, at its end. */
int journal_preemptions(struct journal *journal, const struct preemptions *preemptions,
			struct error *err);
int journal_end(struct journal *journal, uint64_t time_ns, struct error *err);

/*
 * Count this rank, whose journals are complete, in the file DIR/journal/ended, for ranks that do
 * not meet at the end.  *last becomes true for the last one.  No rank may be the last where
 * appends by several nodes are not atomic.
 */
int journal_rank_ended(const char *directory, uint32_t ranks, bool *last, struct error *err);

/* Close the journal, which may be NULL.  The file stays. */
void journal_close(struct journal *journal);

/* Check whether a writer holds the lock of the journal; false if there is no such file. */
bool journal_is_written(const struct journal_place *place);

/* Remove the journals of the rank's first `threads` threads, and the folder if it is then empty. */
void journal_remove(const char *directory, uint32_t rank, uint32_t threads);

/* ---------------------------------------------------------------- reading */

enum journal_kind {
	JOURNAL_BEGIN = 1,   /* the first: rank, thread, ranks, time_ns, name of the host, cpus */
	JOURNAL_CALL,	     /* number, call */
	JOURNAL_SWITCH,	     /* time_ns, on */
	JOURNAL_FLUSH,	     /* time_ns: when the next segment was ready */
	JOURNAL_COMM,	     /* comm */
	JOURNAL_COMM_NAME,   /* number: the id; name */
	JOURNAL_PROPERTY,    /* name, value */
	JOURNAL_END,	     /* time_ns; the rank is in MPI_Finalize, or has no session */
	JOURNAL_PAD,	     /* not delivered: the rest of the segment is empty */
	JOURNAL_CLOCK,	     /* clock: the offset at the start */
	JOURNAL_WINDOW,	     /* window */
	JOURNAL_WINDOW_NAME, /* number: the id; name */
	JOURNAL_GROUP,	     /* group */
	JOURNAL_SITE,	     /* not delivered: text of the next call site */
	JOURNAL_CALL_AT,     /* delivered as JOURNAL_CALL, with its site */
	JOURNAL_BELOW, /* below, and time_ns: its end; before the record of a call that it is in */
	JOURNAL_CHUNK, /* number, time_ns; on: no calls are missing before it */
	JOURNAL_ORDINAL,     /* sequence, ordinal: of its next item */
	JOURNAL_ITERATIONS,  /* iterations */
	JOURNAL_PREEMPTIONS, /* preemptions */
};

/* Valid until the next record is read. */
struct journal_record {
	enum journal_kind kind;
	uint32_t rank, thread, ranks, number;
	uint64_t time_ns;
	bool on;
	const char *name, *value;
	const char *cpus; /* that the rank may use (common/machine/cpus.h), "" if not known */
	struct mpi_call call;
	const uint64_t *ordinals; /* of the events of the call (journal_cut.h), or NULL */
	const char *site;	  /* of the call, or NULL; valid until the reader is closed */
	struct mpi_comm comm;
	struct mpi_window window;
	struct mpi_group group;
	struct clock_point clock;
	struct below_event below;
	struct sequence sequence;
	uint64_t ordinal;
	struct journal_iterations iterations;
	struct preemptions preemptions;
};

struct journal_reader;

/* Open a journal.  STATUS_DATA if the file does not exist or is of another version. */
int journal_open(struct journal_reader **reader, const struct journal_place *place,
		 struct error *err);

/* Read an unnamed journal, which stays open. */
int journal_open_unnamed(struct journal_reader **reader, const struct journal *journal,
			 struct error *err);

/* Read the next record: 1; 0 at the end, before the first incomplete record; -1 on failure. */
int journal_next(struct journal_reader *reader, struct journal_record *record, struct error *err);

/*
 * Number of the chunks of a journal, also of those that have been removed.  Reads the journal to
 * its end.
 */
uint32_t journal_chunk_count(struct journal_reader *reader);

/* Check whether data follows the end, which means that the journal is damaged there. */
bool journal_is_damaged(const struct journal_reader *reader);

/* Close the reader, which may be NULL. */
void journal_reader_close(struct journal_reader *reader);

/*
 * The path of a part of the event flow graphs of a rank, one of JOURNAL_PARTS: the newest one that
 * is whole is that of the rank (trace/assemble/flow_parts.h).  False if it is too long.
 */
enum { JOURNAL_PARTS = 2 };
bool journal_part_path(char path[static 4096], const char *directory, uint32_t rank,
		       unsigned number);

/* The path of a journal; false if it is too long. */
bool journal_path(char path[static 4096], const struct journal_place *place);

#endif
