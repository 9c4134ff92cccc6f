/*
 * Persistent and partitioned communication, for sinks that only count: the bytes of a request count when it
 * is started, those of a partitioned send when its last partition is ready.  Requests of other kinds are not known.
 */
#ifndef PMPI_PERSISTENT_H
#define PMPI_PERSISTENT_H

#include "pmpi/call.h"

/* Keep the sums of the request, which become those of the call that makes it, without bytes. */
void persistent_add(MPI_Request handle, struct mpi_sums *sums);

/* The same, of a send in this number of partitions, each with the bytes of `sums`. */
void persistent_add_partitioned(MPI_Request handle, struct mpi_sums *sums, int partitions,
				bool send);

/* Add the sums of starting the request, or of making so many of its partitions ready. */
void persistent_start(MPI_Request handle, struct mpi_sums *sums);
void persistent_ready(MPI_Request handle, struct mpi_sums *sums, int partitions);

/* Forget the request.  To be called before MPI frees it. */
void persistent_forget(MPI_Request handle);

void persistent_release(void);

#endif
