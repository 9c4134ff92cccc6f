/* Gathering the calls of all ranks on rank 0. */
#ifndef TRACER_REPORT_GATHER_H
#define TRACER_REPORT_GATHER_H

#include "critpath/share/exchange.h"
#include "trace/measured_run.h"

/* Find out whether rank 0 can analyse all calls before the deadline and in its memory. */
int report_fits_rank_0(const struct measured_run *run, struct exchange *exchange, bool *fits,
		       struct error *err);

/*
 * Fill `all` on rank 0 with the ranks of all processes, not matched.  Collective, as the functions of
 * exchange.h.  End with measured_run_release; `run` must outlive `all`.
 */
int report_gather(struct measured_run *all, const struct measured_run *run,
		  struct exchange *exchange, struct error *err);

#endif
