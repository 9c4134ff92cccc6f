/*
 * Messages of more than 2 GiB with an int for the count, by a large datatype.  All its parts are
 * at the same address, so that the buffer is small.
 */
#include "trace_log.h"

enum { PART = 1 << 20, PARTS = 2100 };

int main(int argc, char **argv)
{
	static char data[PART];
	const long long bytes = (long long)PART * PARTS;
	MPI_Datatype large;
	MPI_Request request;
	MPI_Status status;

	begin(&argc, &argv);
	MPI_Type_create_hvector(PARTS, PART, 0, MPI_CHAR, &large);
	MPI_Type_commit(&large);
	if (rank == 0) {
		MPI_Send(data, 1, large, 1, 1, MPI_COMM_WORLD);
		did("MPI_Send: send 1 1 %lld MPI_COMM_WORLD", bytes);
	} else {
		MPI_Irecv(data, 1, large, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
		did("MPI_Irecv: irecv #0 posted=2");
		MPI_Wait(&request, &status);
		did("MPI_Wait: received 0 1 %lld MPI_COMM_WORLD #0", bytes);
	}
	MPI_Bcast(data, 5, large, 0, MPI_COMM_SELF);
	did("MPI_Bcast: coll BCAST 0 %lld %lld MPI_COMM_SELF", 5 * bytes, 5 * bytes);
	MPI_Type_free(&large);
	return end();
}
