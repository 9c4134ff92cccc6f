/*
 * The offset of this rank's clock to that of rank 0, measured at the start and
 * at the end.  All ranks take part, also those that have failed.
 */
#ifndef TRACER_CLOCK_H
#define TRACER_CLOCK_H

#include "trace/journal/trace_clock.h"

/* In MPI_Init; left out where that cannot be seen.  What was measured, or NULL. */
const struct clock_point *clock_measure_start(void);

/* In MPI_Finalize: the clock through what was measured. */
struct trace_clock clock_measure_end(void);

#endif
