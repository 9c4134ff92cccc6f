/*
 * What the MPI library calls below MPI, for viewers and for the page.
 *
 * In a viewer it is on a track of its own below that of its thread.  For the page it is packed: a list of the messages
 * of which both ends are shown, and for each row, as critpath/view/view_calls.h has them, a list of its calls.  A
 * message is
 *
 *	row of the sender, row of the receiver
 *	begin of the call that sends, ± end of the call that completes the receive less that
 *
 * and a call
 *
 *	function (trace/call/below.h) << 1 | is pending
 *	± begin, since the begin of the one before it; length
 *	bytes, what was found, or number of polls, plus 1; 0: bytes are not known
 */
#ifndef CRITPATH_VIEW_BELOW_H
#define CRITPATH_VIEW_BELOW_H

#include "common/draw/viewer.h"
#include "critpath/view/pack.h"
#include "critpath/view/view_calls.h"
#include "trace/measured/measured_below.h"

/* The page has at most so many of these calls: rows that have more, with those above, are left empty. */
enum { VIEW_MOST_BELOW = 2000000 };

/* Write the tracks of a rank, whose calls `below` has, below its own track, and count the calls. */
int view_write_below(struct viewer *viewer, const struct viewer_track *of_rank,
		     const struct measured_run *run, const struct run_part *part,
		     const struct measured_below *below, uint64_t *count, struct error *err);

void view_pack_arrows(struct pack *pack, const struct measured_run *run,
		      const struct run_part *part, const struct view_rows *rows);
int view_pack_below(struct pack *pack, const struct measured_run *run, const struct run_part *part,
		    struct error *err);

#endif
