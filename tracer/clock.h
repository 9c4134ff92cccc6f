/*
 * Offset of this rank's clock to the clock of rank 0, measured at the start and at the end.  All
 * ranks take part, also failed ones.
 */
#ifndef TRACER_CLOCK_H
#define TRACER_CLOCK_H

#include "trace/journal/trace_clock.h"

/* Measure in MPI_Init, if the tracer sees it; NULL if measuring fails. */
const struct clock_point *clock_measure_start(void);

/* Measure in MPI_Finalize, and return the clock through both measurements. */
struct trace_clock clock_measure_end(void);

#endif
