/* What calls amount to, for sinks that only count: from the arguments of a call that succeeded. */
#ifndef PMPI_SUMS_H
#define PMPI_SUMS_H

#include "pmpi/sizes.h"

/* Set the communicator. */
WRAPPER_PART void sums_comm(struct mpi_sums *sums, MPI_Comm handle)
{
	const struct comm *comm = sizes_of_comm(handle);

	sums->peer = -1;
	sums->world = handle == MPI_COMM_WORLD;
	sums->ranks = comm ? (uint32_t)comm->size : 0;
}

/* Set a message of `count` elements to or from `peer`, which may be MPI_PROC_NULL. */
WRAPPER_PART void sums_message(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type, int peer,
				MPI_Comm handle)
{
	sums_comm(sums, handle);
	if (peer == MPI_PROC_NULL) {
		sums->world = false;
		return;
	}
	sums->peer = peer;
	sums->bytes = sums->moved = count <= 0 ? 0 : (uint64_t)count * sizes_of_type(type);
}

/* Set a message that was received; without a communicator: of a matched message. */
void sums_received(struct mpi_sums *sums, const MPI_Status *status);
void sums_received_on(struct mpi_sums *sums, const MPI_Status *status, MPI_Comm handle);

/* Add what was received to what was sent to `sums`: MPI_Sendrecv. */
void sums_add_received(struct mpi_sums *sums, const MPI_Status *status);

/* Add the room that a receive gives: MPI_Isendrecv. */
void sums_add_room(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type, int source);

/* Set bytes that are moved one way: of files, MPI_Put, MPI_Get. */
void sums_transfer(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type);

/* Set a collective from its event, right after totals_... (pmpi/totals.h) has filled it. */
void sums_collective(struct mpi_sums *sums, const struct comm *comm, const struct mpi_event *event);

#endif
