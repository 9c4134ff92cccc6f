/* Finding and printing the reports of a run. */
#ifndef TRACER_REPORT_PRINT_H
#define TRACER_REPORT_PRINT_H

#include "dist/dist.h"
#include "trace/measured/measured_run.h"

/*
 * Match the run, of which each process has its own rank, and print the reports that are asked for to
 * stderr, on rank 0 and in one piece.  `name` is that of the trace.  Collective, as the functions of
 * dist/dist.h.
 */
int report_print(struct measured_run *run, const char *name, struct dist *dist, struct error *err);

#endif
