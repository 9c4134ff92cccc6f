/*
 * Bytes that a collective moves, from its arguments to an event.
 *
 * Every function fills the collective's fields of an event that is zeroed but
 * for its communicator.  doc/trace-format.md describes the totals.  Vectors are put
 * into memory that is valid until the next collective of the thread.  For a sink that only counts,
 * own_thread->own_bytes becomes collective_own_bytes (trace/call/collective_totals.h).
 */
#ifndef PMPI_TOTALS_H
#define PMPI_TOTALS_H

#include "pmpi/comms.h"

/* Block of data: elements of a type, or MPI_IN_PLACE. */
struct block {
	const void *buffer;
	MPI_Count count;
	MPI_Datatype type;
};

/* Blocks of different sizes, with one type for all or one for each. */
struct blocks {
	const void *buffer;
	const int *counts;
	const MPI_Count *large_counts;	/* instead of counts, if not NULL */
	MPI_Datatype type;
	const MPI_Datatype *types;	/* or NULL for `type` */
	MPI_Count count;		/* of every block, if both counts are NULL */
};

/* Name of an operation in events: "MPI_SUM", "user" or "user-noncommutative"; NULL if the sink only counts. */
const char *operation_name(MPI_Op op);

void totals_barrier(struct mpi_event *event, const struct comm *comm);
void totals_bcast(struct mpi_event *event, const struct comm *comm, struct block block, int root);
void totals_gather(struct mpi_event *event, const struct comm *comm, struct block send,
		   struct block receive, int root);
void totals_gatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct blocks receive, int root);
void totals_scatter(struct mpi_event *event, const struct comm *comm, struct block send,
		    struct block receive, int root);
void totals_scatterv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		     struct block receive, int root);
/* Allgather and alltoall: one block for each rank. */
void totals_all(struct mpi_event *event, const struct comm *comm, struct block send,
		struct block receive);
void totals_allgatherv(struct mpi_event *event, const struct comm *comm, struct block send,
		       struct blocks receive);
/* Alltoallv and alltoallw. */
void totals_alltoallv(struct mpi_event *event, const struct comm *comm, struct blocks send,
		      struct blocks receive);
void totals_reduce(struct mpi_event *event, const struct comm *comm, struct block block, MPI_Op op,
		   int root);
/* Allreduce, reduce_scatter_block, scan, exscan. */
void totals_reduction(struct mpi_event *event, const struct comm *comm, struct block block,
		      MPI_Op op);
void totals_reduce_scatter(struct mpi_event *event, const struct comm *comm,
			   struct blocks pieces, MPI_Op op);

/* Collectives of neighbours: a block for each. */
void totals_neighbours(struct mpi_event *event, struct comm *comm, struct blocks send,
		       struct blocks receive);

#endif
