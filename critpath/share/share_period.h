/* The periods of a run whose ranks are shared among processes (critpath/parts/period.h). */
#ifndef CRITPATH_SHARE_PERIOD_H
#define CRITPATH_SHARE_PERIOD_H

#include "critpath/parts/period.h"
#include "dist/dist.h"

/*
 * Give process k the k-th period, with the jumps of all ranks in it.  Periods have about the same number of
 * jumps, one at most a 64-th of all more than the mean, and more only of calls that end at the same
 * time.  Collective.  On failure all is released.
 *
 * Bytes moved: about 10 for each jump.  Memory: 32 for each jump of the period, and what is moved.
 */
int share_period_make(struct period *period, const struct waits *waits, struct dist *dist,
		      struct error *err);

#endif
