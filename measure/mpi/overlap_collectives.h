/* The collectives of the overlap benchmark, non-blocking and blocking. */
#ifndef MEASURE_OVERLAP_COLLECTIVES_H
#define MEASURE_OVERLAP_COLLECTIVES_H

#include "measure/cells/cell.h"

#include <mpi.h>

struct collective {
	enum bench bench;
	MPI_Comm comm, ring; /* all ranks, and the same with two neighbours each */
	void *send, *receive;
	int count; /* elements of a block */
	MPI_Datatype type;
	int *counts, *offsets; /* of the blocks of all ranks, elements; owned */
};

/* Blocks of the buffers that a rank of `ranks` needs; a block has the bytes of the cell. */
size_t collective_send_blocks(enum bench bench, int ranks);
size_t collective_receive_blocks(enum bench bench, int ranks);

/*
 * Prepare for a cell with blocks of `bytes`.  The communicators and buffers remain the caller's.  Elements are
 * MPI_DOUBLE, which are summed up, or MPI_SIGNED_CHAR if bytes is no multiple of 8.  Fails with
 * STATUS_LIMIT if the blocks of all ranks have more elements than an int counts.
 */
int collective_prepare(struct collective *collective, uint64_t bytes, struct error *err);
void collective_release(struct collective *collective);

/* Begin it, or do all of it if `request` is NULL. */
void collective_call(const struct collective *collective, MPI_Request *request);

#endif
