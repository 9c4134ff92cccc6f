/*
 * Calls, collectives and critical path of a measured run, packed (critpath/view/pack.h) for the page of
 * `critpath view` and the script in it.
 *
 * A row is a thread: those of rank 0, of rank 1 ...  Ranks outside of the part that is shown have no
 * row, and calls and segments outside of it are left out.  All times are ns since the run began.  Each
 * list begins with a number: how many items follow.  [x] is there on a condition, ± is signed.
 *
 *	calls		for each row a list of
 *			function << 3 | has a wait | has a collective << 1 | has messages << 2
 *			± begin, since the end of the call before it in the row; length
 *			[number in the rank, less that of the call before it: with several threads, or
 *			if a part is shown]
 *			[wait: length, kind; ± rank and ± call less the own]
 *			[collective: ± index less that of the one before it in the row; bytes]
 *			[messages: a list of ± peer less own rank, folded, << 2 | receives | matched << 1;
 *			bytes, tag, communicator]
 *	collectives	a list of ± the last begin, less that of the collective before it; ± the first
 *			end, less the last begin; members; communicator
 *	sites		for each call of `calls` the number of its call site, 0: not known; only if
 *			the trace has call sites
 *	path		a list of begin since the end of the segment before it; length; category;
 *			± row, ± call (0: none, else number + 1), less those of the segment before it
 */
#ifndef CRITPATH_VIEW_CALLS_H
#define CRITPATH_VIEW_CALLS_H

#include "critpath/view/pack.h"
#include "critpath/view/view_part.h"
#include "critpath/view/view_ends.h"
#include "critpath/path/walk.h"

/* Rows of a run. */
struct view_rows {
	uint32_t *first; /* [rank + 1]: first row of the rank; owned */
};

int view_rows_init(struct view_rows *rows, const struct measured_run *run,
		   const struct run_part *part, struct error *err);
void view_rows_release(struct view_rows *rows);

int view_pack_calls(struct pack *pack, const struct waits *waits, const struct run_part *part,
		    struct error *err);
void view_pack_sites(struct pack *pack, const struct measured_run *run,
		     const struct run_part *part);
void view_pack_collectives(struct pack *pack, const struct measured_run *run);

/* Write the segments of the part that are at least `least_ns` long. */
void view_pack_path(struct pack *pack, const struct walk *walk, const struct measured_run *run,
		    const struct run_part *part, const struct view_rows *rows, uint64_t least_ns);

/*
 * Time of a call after its collective could have ended for all members: since the first end, if no
 * member ended before the last one began.
 */
uint64_t view_wait_after_ns(const struct measured_call *call, uint64_t wait_ns,
			    const struct measured_instance *instance);

#endif
