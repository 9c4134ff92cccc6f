/*
 * Matching of a measured run whose ranks are shared among processes (dist/dist.h).
 *
 * Process p has the calls of the ranks from measured_share(ranks, p, processes) on, or whatever
 * neighbouring ranks it was given, in the order of the processes.  Processes may have no rank.
 *
 * All functions are collective: they fail on all processes or on none.
 */
#ifndef CRITPATH_RUN_MATCH_H
#define CRITPATH_RUN_MATCH_H

#include "dist/dist.h"
#include "trace/measured/measured_run.h"

/* Read the ranks of this process from a trace, and match.  On failure there is nothing to release. */
int run_open(struct measured_run *run, const char *path, struct dist *dist, struct error *err);

/*
 * Match the calls of all ranks.  run->world, rank_count, ranks, own_first and own_end are given, and
 * names, whose numbers become the same on all processes.  instances are those in which own ranks have
 * a part, complete.  Start and end, sums and numbers are of the whole run.
 *
 * Bytes moved: 16 for each half of a message between two processes, and 88 for each process that
 * takes part in a collective.
 */
int run_match(struct measured_run *run, struct dist *dist, struct error *err);

#endif
