/*
 * Recovery: an archive from the journals of a run that ended before MPI_Finalize.
 *
 * Each rank is read up to the last complete record of its journals.  Ranks end at different
 * places, so some events are left out to make the archive consistent:
 *
 * - A rank ends before its first call on a communicator whose members are not known, because the
 *   journal of its first rank is lost or too short.
 * - A message is kept if both sides have recorded it: of each channel (sender, receiver,
 *   communicator, tag) the first n messages, n the smaller number of sends and receives.  Other
 *   receives are written as cancelled, other sends leave no event.  The calls stay.
 * - A collective is kept if all members of the communicator have left it: of each communicator the
 *   first ones, up to the first that a member has not left.  The same holds for the making, the
 *   fences and the freeing of a window.
 *
 * The archive then has the property LLAMP::INCOMPLETE.  Nothing is left out if all ranks have
 * ended properly.
 *
 * If the journals have windows of iterations (JOURNAL_ITERATIONS), the archive has the calls of
 * the windows that all ranks have (trace/journal/journal_cut.h).  Messages and collectives of which
 * another rank has an end outside of its window of the same number are left out in the same way.
 * The archive has the properties LLAMP::FIRST_ITERATION and LLAMP::ITERATIONS, a number for each
 * window with commas between them, and is incomplete only if a rank has not ended properly.  If calls have been removed and there is no window, all ranks begin when the last rank
 * has calls.
 *
 * If the run has made event flow graphs, those that each rank has saved last are joined, in place
 * of an archive if the journals have no calls.  They are not made consistent.
 */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "common/array.h"
#include "common/error.h"
#include "trace/assemble/rank_flow.h"
#include "trace/assemble/recovery_lock.h"

#include <stdbool.h>
#include <stdint.h>

struct recovered_rank {
	uint32_t threads; /* that have journals */
	bool missing;	  /* the first thread has no journal */
	bool damaged;	  /* a journal ends in a damaged record */
	bool finished;	  /* it reached MPI_Finalize, or ended without an open session */
	bool cut;	  /* it ends before a call on a communicator that is lost */
	bool left_out;	  /* its graphs are, as they have calls on a communicator that is lost */
	uint64_t calls;
	uint64_t duration_ns; /* from the first record to the last; 0 without an archive */
};

struct recovered {
	ARRAY(struct recovered_rank) ranks;
	bool archive;			       /* there is an archive */
	struct run_flow_file flow;	       /* event flow graphs */
	uint64_t sends, receives, collectives; /* not kept */
	struct recovery_lock lock;	       /* of the directory, until recovered_release */
};

/* Properties of a recovery. */
struct recover_options {
	bool only_whole; /* fail unless all ranks have ended properly; their locks are ignored */
	bool wait;	 /* for another recovery of the directory to end, instead of failing */
};

/*
 * Make the archive, or the graphs, in the directory and remove the journals.  STATUS_DATA if the
 * directory has no journals or an archive, if another process makes its archive, or if a writer
 * still holds the lock of a journal (trace/journal/journal.h).  On failure the journals stay.
 */
int recover(const char *directory, const struct recover_options *options, struct recovered *result,
	    struct error *err);

/* Release the result after success, and the lock of the directory. */
void recovered_release(struct recovered *result);

#endif
