/*
 * The journals of a rank, cut to a window of time: the records of a run that was the window alone.
 *
 * The window has the calls that are entered in it.  Requests that cross its edges are made whole:
 *
 * - A receive that was posted before the window and completes in it is posted when the window begins, in a call of
 *   MPI_Irecv that takes no time.
 * - A send or receive that is begun in the window and completes after it, as far as the journals go on, completes
 *   when the window ends, in a call of MPI_Wait.  If a receive never completes it is cancelled there.
 * - Completions of other requests that began before the window are left out.
 *
 * Each thread begins with a JOURNAL_SWITCH, on, and ends with one, off.  Definitions come before
 * all calls.  Calls have the ordinals of their messages and collectives, by which the halves of
 * messages whose other half is in no window can be left out (trace/assemble/consistency.h).
 */
#ifndef TRACE_JOURNAL_CUT_H
#define TRACE_JOURNAL_CUT_H

#include "trace/journal/journal_merge.h"

/* [begin_ns, end_ns) by the rank's clock.  Zero bytes: all records, as they are. */
struct cut_window {
	uint64_t begin_ns,
		end_ns; /* end_ns UINT64_MAX: to the last record, requests stay as they are */
};

struct journal_cut;

/* As journal_merge_open.  Reads the journals once if there is a window. */
int journal_cut_open(struct journal_cut **cut, const char *directory, uint32_t rank,
		     uint32_t threads, const struct cut_window *window, struct error *err);

/* As journal_merge_open_unnamed, all records. */
int journal_cut_open_unnamed(struct journal_cut **cut, struct journal *const *journals,
			     uint32_t rank, uint32_t threads, struct error *err);

/* As journal_merge_next. */
int journal_cut_next(struct journal_cut *cut, struct journal_record *record, struct error *err);

/* Check whether damage has been found in a journal so far. */
bool journal_cut_is_damaged(const struct journal_cut *cut);

/* Close all journals; `cut` may be NULL. */
void journal_cut_close(struct journal_cut *cut);

#endif
