/* Gathering the calls of all ranks on rank 0. */
#ifndef TRACER_REPORT_GATHER_H
#define TRACER_REPORT_GATHER_H

#include "trace/measured_run.h"
#include "tracer/report_steps.h"

/*
 * Fill all ranks of the run on rank 0; each has filled its own.  False if that fails, or if rank 0
 * could not analyse the run within its memory and the budget.  All ranks take part and get the same
 * result.
 */
bool report_gather(struct measured_run *run, const struct report_budget *budget);

#endif
