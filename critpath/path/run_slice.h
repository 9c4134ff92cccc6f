/*
 * The part of a measured run that is reported, by --from and --to: from the first rank that reaches
 * the one edge until the last rank that reaches the other one, on the clock of the run.
 */
#ifndef CRITPATH_RUN_SLICE_H
#define CRITPATH_RUN_SLICE_H

#include "critpath/path/walk.h"
#include "dist/dist.h"
#include "trace/sequence/slice.h"

/*
 * Collective.  Find the slice, limit it to the run, and set it there.  Reads the trace again for regions
 * and iterations.  Times of edges count from the start of the run.  STATUS_DATA if nothing is left.
 */
int run_slice_find(struct measured_run *run, const struct slice_edge *from,
		   const struct slice_edge *to, struct dist *dist, struct error *err);

/* Leave out of a walk what is outside of the slice. */
void run_slice_cut(struct walk *walk, const struct measured_run *run);

#endif
