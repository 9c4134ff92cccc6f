/*
 * Exchange by MPI (critpath/share/exchange.h).
 *
 * It calls PMPI functions only.  All waits let other processes run, as there may be more processes
 * than cores.
 */
#ifndef CRITPATH_EXCHANGE_MPI_H
#define CRITPATH_EXCHANGE_MPI_H

#include "critpath/share/exchange.h"

#include <mpi.h>

struct exchange_mpi {
	struct exchange exchange; /* give its address to the functions of exchange.h */
	MPI_Comm comm;
};

/*
 * Exchange between the processes of an intra-communicator, which nothing else uses until the end.  There
 * is nothing to close.  If its errors are returned, functions return -1; then no other process can
 * rely on this one.
 */
int exchange_mpi_open(struct exchange_mpi *mpi, MPI_Comm comm, struct error *err);

#endif
