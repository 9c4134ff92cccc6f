/* Where and when the ranks measure. */
#ifndef MEASURE_PLACE_H
#define MEASURE_PLACE_H

#include "measure/params/report.h"

#include <mpi.h>

/* Describe the place; all ranks of the communicator call it, rank 0 gets the result. */
void place_find(MPI_Comm comm, struct place *place);

#endif
