/* Collectives whose counts and places are lists of large numbers (MPI 4), with blocks of different sizes. */
#include <mpi.h>
#include <stdlib.h>

enum { MOST = 16 };

static int rank, size;
static MPI_Count to[MOST], from[MOST], equal[MOST];
static MPI_Aint to_places[MOST], from_places[MOST];
static MPI_Datatype types[MOST];
static int out[1000], in[1000];

/* Rank r sends 1 + (r + s) % 3 numbers to rank s. */
static void set_lists(void)
{
	for (int r = 0; r < size; r++) {
		to[r] = from[r] = 1 + (rank + r) % 3;
		equal[r] = 1 + r % 2;
		to_places[r] = from_places[r] = 10 * r;
		types[r] = MPI_INT;
	}
}

static void blocking(void)
{
	MPI_Gatherv_c(out, to[0], MPI_INT, in, from, from_places, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatterv_c(out, to, to_places, MPI_INT, in, from[0], MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allgatherv_c(out, equal[rank], MPI_INT, in, equal, from_places, MPI_INT,
			 MPI_COMM_WORLD);
	MPI_Alltoallv_c(out, to, to_places, MPI_INT, in, from, from_places, MPI_INT,
			MPI_COMM_WORLD);
	for (int r = 0; r < size; r++)
		to_places[r] = from_places[r] = 40 * r;
	MPI_Alltoallw_c(out, to, to_places, types, in, from, from_places, types, MPI_COMM_WORLD);
	MPI_Reduce_scatter_c(out, in, equal, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void others(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];

	MPI_Iallgatherv_c(out, equal[rank], MPI_INT, in, equal, from_places, MPI_INT,
			  MPI_COMM_WORLD, &requests[0]);
	MPI_Ireduce_scatter_c(out, in, equal, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses);
	MPI_Alltoallv_init_c(out, to, to_places, MPI_INT, in, from, from_places, MPI_INT,
			     MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&requests[0]);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&requests[0]);
}

static void neighbours(void)
{
	const MPI_Count sent[2] = {1, 2}, received[2] = {2, 1}, one[2] = {1, 1};
	int periodic = 1;
	MPI_Comm ring;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	MPI_Neighbor_alltoallv_c(out, sent, to_places, MPI_INT, in, received, from_places, MPI_INT,
				 ring);
	MPI_Neighbor_allgatherv_c(out, 1, MPI_INT, in, one, from_places, MPI_INT, ring);
	MPI_Neighbor_alltoallw_c(out, sent, to_places, types, in, received, from_places, types,
				 ring);
	MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MOST)
		MPI_Abort(MPI_COMM_WORLD, 1);
	set_lists();
	blocking();
	others();
	neighbours();
	MPI_Finalize();
	return 0;
}
