/*
 * The journals of all threads of a rank, read as one.
 *
 * Calls come in the order in which they were entered.  Messages therefore come in the order of
 * posting, and the start of a request precedes its completion in another thread.  With several
 * journals, all communicators, windows and groups come first: a thread may use one before the call
 * that made it is recorded.
 *
 * The rank's JOURNAL_BEGIN comes from its first thread.
 */
#ifndef TRACE_JOURNAL_MERGE_H
#define TRACE_JOURNAL_MERGE_H

#include "trace/journal/journal.h"

struct journal_merge;

/*
 * Open the journals of the rank's threads 0 ... threads - 1.  STATUS_DATA if the first cannot be
 * read.  Other unreadable journals are taken for damaged.
 */
int journal_merge_open(struct journal_merge **merge, const char *directory, uint32_t rank,
		       uint32_t threads, struct error *err);

/* As journal_merge_open, of unnamed journals, by thread, which stay open. */
int journal_merge_open_unnamed(struct journal_merge **merge, struct journal *const *journals,
			       uint32_t rank, uint32_t threads, struct error *err);

/* Read the next record, with its thread: 1; 0 at the end of all journals; -1 on failure. */
int journal_merge_next(struct journal_merge *merge, struct journal_record *record,
		       struct error *err);

/* Check whether damage has been found in a journal so far. */
bool journal_merge_is_damaged(const struct journal_merge *merge);

/* Close all journals; `merge` may be NULL. */
void journal_merge_close(struct journal_merge *merge);

#endif
