#include "pmpi/sums.h"

#include "pmpi/requests.h"

void sums_received(struct mpi_sums *sums, const MPI_Status *status)
{
	sums->peer = -1;
	if (status->MPI_SOURCE == MPI_PROC_NULL)
		return;
	sums->peer = status->MPI_SOURCE;
	sums->bytes = sums->moved = received_bytes(status);
}

void sums_received_on(struct mpi_sums *sums, const MPI_Status *status, MPI_Comm handle)
{
	sums_comm(sums, handle);
	sums_received(sums, status);
}

void sums_add_received(struct mpi_sums *sums, const MPI_Status *status)
{
	if (status->MPI_SOURCE != MPI_PROC_NULL)
		sums->moved += received_bytes(status);
}

void sums_add_room(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type, int source)
{
	if (source != MPI_PROC_NULL)
		sums->moved += bytes_of(count, type);
}

void sums_transfer(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type)
{
	sums->peer = -1;
	sums->bytes = sums->moved = bytes_of(count, type);
}

void sums_collective(struct mpi_sums *sums, const struct comm *comm, const struct mpi_event *event)
{
	sums->peer = -1;
	sums->world = comm->handle == MPI_COMM_WORLD;
	sums->ranks = (uint32_t)comm->size;
	sums->bytes = own_thread->own_bytes;
	sums->moved = event->bytes_sent + event->bytes_received;
}
