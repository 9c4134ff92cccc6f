/* Some iterations of the main loop of a run, cut out of its event flow graphs. */
#ifndef EVENTFLOW_CUT_H
#define EVENTFLOW_CUT_H

#include "eventflow/write_archive.h"

/*
 * Find these iterations on each rank, those in the middle if `first` is 0, and set
 * flow->ranks[...].recorded to one window of them. A rank without a main loop gets the calls of the
 * same time.  The flow has the times of each call.  STATUS_USAGE if a rank has not as many
 * iterations, STATUS_DATA if no rank has a main loop.
 */
int cut_find(struct flow *flow, struct cut_iterations *iterations, struct error *err);

/*
 * Write an archive of the recorded windows of a flow to the new folder `directory`, and flow.efg
 * with statistics of times beside it, as llamp-trace --iterations does.
 */
int cut_write(const struct flow *flow, const struct cut_iterations *iterations,
	      const char *directory, struct error *err);

#endif
