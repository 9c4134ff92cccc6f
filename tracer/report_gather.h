/* Gathering the calls of all ranks on rank 0. */
#ifndef TRACER_REPORT_GATHER_H
#define TRACER_REPORT_GATHER_H

#include "dist/dist.h"
#include "trace/measured/measured_run.h"

/*
 * Choose whether rank 0 analyses all calls: before the deadline, in its memory, and sooner than all ranks
 * together would, each its own calls.
 */
int report_choose(const struct measured_run *run, struct dist *dist, bool *rank_0_alone,
		  struct error *err);

/*
 * Fill `all` on rank 0 with the ranks of all processes, not matched.  Collective, as the functions of
 * dist.h.  End with measured_run_release; `run` must outlive `all`.
 */
int report_gather(struct measured_run *all, const struct measured_run *run, struct dist *dist,
		  struct error *err);

#endif
