/*
 * The offset of this rank's clock to that of rank 0, measured at the start and
 * at the end.  All ranks take part, also those that have failed.
 */
#ifndef TRACER_CLOCK_H
#define TRACER_CLOCK_H

#include "trace/journal/trace_clock.h"

/* Measure in MPI_Init, if that is seen; NULL if it fails. */
const struct clock_point *clock_measure_start(void);

/* Measure in MPI_Finalize, and return the clock through both measurements. */
struct trace_clock clock_measure_end(void);

#endif
