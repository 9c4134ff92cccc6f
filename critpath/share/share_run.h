/*
 * A measured run whose ranks are shared among processes: matching, waits, walk and sums.
 *
 * Process p has the calls of the ranks from measured_share(ranks, p, processes) on, or whatever
 * neighbouring ranks it was given, in the order of the processes.  Processes may have no rank.
 *
 *	measured_run_read(&run, path, dist->rank, dist->size, err);	or ranks filled otherwise
 *	share_run_match(&run, dist, err);
 *	share_waits_find(&waits, &run, dist, err);
 *	share_walk_find(&walk, &waits, dist, err);
 *	share_totals_find(&totals, &waits, &walk, dist, err);
 *
 * All functions are collective (dist/dist.h): they fail on all processes or on none.
 * On failure what they fill is released.
 */
#ifndef CRITPATH_SHARE_RUN_H
#define CRITPATH_SHARE_RUN_H

#include "critpath/path/blocks.h"
#include "critpath/path/totals.h"
#include "dist/dist.h"

/*
 * Match the calls of all ranks.  run->world, rank_count, ranks, own_first and own_end are given, and
 * names, whose numbers become the same on all processes.  instances are those in which own ranks have
 * a part, complete.  Begin and end, sums and numbers are of the whole run.
 *
 * Bytes moved: 16 for each half of a message between two processes, and 88 for each process that
 * takes part in a collective.
 */
int share_run_match(struct measured_run *run, struct dist *dist, struct error *err);

/* Find the waits of own ranks. */
int share_waits_find(struct waits *waits, const struct measured_run *run, struct dist *dist,
		     struct error *err);

/*
 * Find the path.  Process 0 gets all of it, the others the segments of own ranks.  Memory: 32 bytes for
 * each wait of one period of the run (critpath/share/share_period.h), and 24 for each time that the
 * path comes to another process in it.
 */
int share_walk_find(struct walk *walk, const struct waits *waits, struct dist *dist,
		    struct error *err);

/*
 * Join segments to blocks, as blocks_join, after all is added up.  Process 0 gets all of the path, the
 * others the segments of own ranks.
 */
int share_walk_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks,
		    struct dist *dist, struct error *err);

/* Add up.  Process 0 gets the sums of all ranks, the others are not complete. */
int share_totals_find(struct totals *totals, const struct waits *waits, const struct walk *walk,
		      struct dist *dist, struct error *err);

#endif
