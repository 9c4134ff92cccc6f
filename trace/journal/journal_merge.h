/*
 * The journals of all threads of a rank, read as one.
 *
 * Calls come in the order in which they were entered: so messages were posted
 * in the order in which they come, and what starts a request or makes a
 * communicator comes before what uses it, in whatever thread.  Where there are
 * several journals, all communicators, windows and groups come first, for a thread may
 * have found one before the call that it came from was recorded.
 *
 * The rank's JOURNAL_BEGIN is that of its first thread.
 */
#ifndef TRACE_JOURNAL_MERGE_H
#define TRACE_JOURNAL_MERGE_H

#include "trace/journal/journal.h"

struct journal_merge;

/*
 * Open the journals of the rank's threads 0 ... threads - 1.  STATUS_DATA if
 * that of the first cannot be read; others that cannot are damaged.
 */
int journal_merge_open(struct journal_merge **merge, const char *directory, uint32_t rank,
		       uint32_t threads, struct error *err);

/*
 * The next record, and in it the thread: 1; 0 at the end of all journals; -1 if
 * the system fails.
 */
int journal_merge_next(struct journal_merge *merge, struct journal_record *record,
		       struct error *err);

/* Whether a journal was damaged, as far as they have been read. */
bool journal_merge_is_damaged(const struct journal_merge *merge);

/* Takes NULL too. */
void journal_merge_close(struct journal_merge *merge);

#endif
