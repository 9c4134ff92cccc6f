/* Printing the reports of a run. */
#ifndef TRACER_REPORT_PRINT_H
#define TRACER_REPORT_PRINT_H

#include "trace/measured_run.h"

/*
 * Match the run, which has the calls of all ranks, and print the reports that are asked for to
 * stderr, in one piece.
 */
int report_print(struct measured_run *run, const char *name, struct error *err);

#endif
