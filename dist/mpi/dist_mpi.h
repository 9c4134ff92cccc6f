/*
 * Transport by MPI (dist/dist.h).
 *
 * It calls PMPI functions only.  All waits let other processes run, as there may be more processes
 * than cores.
 */
#ifndef DIST_MPI_H
#define DIST_MPI_H

#include "dist/dist.h"

#include <mpi.h>

struct dist_mpi {
	struct dist dist; /* give its address to the functions of dist.h */
	MPI_Comm comm;
};

/*
 * Exchange between the processes of an intra-communicator, which nothing else uses until the end.  There
 * is nothing to close.  If its errors are returned, functions return -1; then no other process can
 * rely on this one.
 */
int dist_mpi_open(struct dist_mpi *mpi, MPI_Comm comm, struct error *err);

#endif
