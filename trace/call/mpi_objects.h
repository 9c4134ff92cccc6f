/*
 * Communicators, windows and groups as data: what the events of calls refer to by id.
 *
 * Ids count from 0 on each rank, for communicators, windows and groups separately, in the order
 * in which the rank has met them.  Keys are the same on all ranks of the object (pmpi/comms.h).
 * The code that fills a structure owns the lists of ranks.
 */
#ifndef TRACE_MPI_OBJECTS_H
#define TRACE_MPI_OBJECTS_H

#include <stdint.h>

struct mpi_comm {
	uint32_t id;
	uint64_t key, parent_key;
	uint32_t depth;			/* generations after MPI_COMM_WORLD */
	uint32_t rank, size;		/* of this rank; of its group */
	uint32_t remote_size;		/* of an inter-communicator, else 0 */
	/* World ranks, where this rank reports the communicator; else NULL. */
	const uint64_t *members, *remote;
};

struct mpi_window {
	uint32_t id;
	uint64_t key;
	uint32_t comm;			/* id of the communicator that it was made over */
};

/* Ranks that this one synchronises with. */
struct mpi_group {
	uint32_t id;
	uint32_t size;
	const uint64_t *members;	/* world ranks */
};

#endif
