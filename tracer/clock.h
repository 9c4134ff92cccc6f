/*
 * The offset of this rank's clock to that of rank 0, measured at the start and
 * at the end.  All ranks take part, also those that have failed.
 */
#ifndef TRACER_CLOCK_H
#define TRACER_CLOCK_H

#include "trace/journal/trace_clock.h"

#include <mpi.h>

/* In MPI_Init; left out where that cannot be seen.  What was measured, or NULL. */
const struct clock_point *clock_measure_start(void);

/* In MPI_Finalize, on a duplicate of MPI_COMM_WORLD: the clock through what was measured. */
struct trace_clock clock_measure_end(MPI_Comm comm);

#endif
