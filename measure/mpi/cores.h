/*
 * Cores on which ranks 0 and 1 are placed in turn.
 *
 * A rank that is not bound to a core may run on any, and how long a message takes depends on which:
 * cores share caches, or lie near a network interface.  So a measurement tries two placements.
 */
#ifndef MEASURE_CORES_H
#define MEASURE_CORES_H

#include <mpi.h>

enum { MOST_CORES = 1024 };

/* Processors that this rank may use, the first one of each core. */
struct cores {
	int rank;
	int count; /* 0: the rank must stay where it is */
	short processors[MOST_CORES];
};

/*
 * Find the cores; all ranks call it.  Ranks 0 and 1 may be moved if they may use the same processors,
 * or none that the other may use.
 */
void cores_find(MPI_Comm comm, struct cores *cores);

/*
 * Move this rank, 0 or 1: in even placements to the first core and the second, in odd ones to the
 * last and the first.
 */
void cores_place(const struct cores *cores, unsigned placement);

#endif
