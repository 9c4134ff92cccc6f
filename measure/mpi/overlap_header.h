/* The header of a file of the overlap benchmark: where and how it is measured. */
#ifndef MEASURE_OVERLAP_HEADER_H
#define MEASURE_OVERLAP_HEADER_H

#include "measure/cells/cells_file.h"
#include "measure/mpi/overlap_port.h"

/*
 * Find all but the options and the threshold.  All ranks call it, rank 0 gets the result and releases it with
 * cells_header_release.  `thread_level`: what MPI provided.
 */
int overlap_header_find(const struct overlap_port *port, int thread_level,
			struct cells_header *header, struct error *err);

#endif
