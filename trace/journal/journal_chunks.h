/*
 * Calls of a journal in chunks of their own, which may be dropped while the program runs.
 *
 * The journal keeps what must survive: communicators, windows, groups, properties, the clock, call
 * sites, iterations.  Its calls are in files DIR/journal/RANK.THREAD.CHUNK, with chunks numbered
 * from 0.  Each chunk can be read without those before: it begins with a time, and has the ordinal
 * (trace/journal/ordinals.h) of the first item of each sequence.  As long as no chunk is held, the
 * oldest ones are removed when there are more than JOURNAL_CHUNKS.
 */
#ifndef TRACE_JOURNAL_CHUNKS_H
#define TRACE_JOURNAL_CHUNKS_H

#include "trace/journal/journal.h"
#include "trace/journal/ordinals.h"

/* Number of chunks of a ring. */
enum { JOURNAL_CHUNKS = 4 };

/*
 * Keep the calls from now on in chunks, of about ring_bytes together.  The ordinals must outlive
 * the journal.
 */
int journal_divide(struct journal *journal, uint64_t ring_bytes, struct ordinals *ordinals,
		   struct error *err);

/*
 * As journal_call, journal_below and journal_switch, also of journals that are not divided.
 * STATUS_LIMIT with too many sequences.
 */
int journal_chunks_call(struct journal *journal, unsigned number, const struct mpi_call *call,
			struct error *err);
int journal_chunks_below(struct journal *journal, const struct below_event *event,
			 struct error *err);
int journal_chunks_switch(struct journal *journal, uint64_t time_ns, bool on, struct error *err);

/* Close the journal, divided or not, which may be NULL.  Files stay. */
void journal_chunks_close(struct journal *journal);

/* Remove the chunks of the journals of the rank's first `threads` threads: before journal_remove. */
void journal_chunks_remove(const char *directory, uint32_t rank, uint32_t threads);

/* Record calls from now on, or count their ordinals only.  At first they are recorded. */
void journal_want_calls(struct journal *journal, bool wanted);

/*
 * Hold what is entered at time_ns or later: nothing of it is removed from now on.  Parts that are
 * not held and end before are removed.
 */
void journal_hold(struct journal *journal, uint64_t time_ns);

/* Hold nothing of what comes; chunks that are held stay. */
void journal_release(struct journal *journal);

/* Remove all chunks that are not held.  The next call begins another one. */
void journal_drop(struct journal *journal);

/* Whether calls that were entered at time_ns or later may have been removed. */
bool journal_lacks(const struct journal *journal, uint64_t time_ns);

/* Whether chunks that were not held have been removed. */
bool journal_has_dropped(const struct journal *journal);

#endif
