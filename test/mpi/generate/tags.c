/*
 * Communicators that are made while receives wait on MPI_COMM_WORLD: a proxy must make them with other tags, as Open MPI
 * sends messages with the tag of MPI_Comm_create_group.
 */
#include <mpi.h>

enum { TAGS = 12, FIRST = 20000 };

static char out[TAGS], in[TAGS];
static MPI_Request requests[TAGS];

/* Make a communicator of all ranks. */
static void make_group(int tag)
{
	MPI_Comm made;
	MPI_Group group;

	MPI_Comm_group(MPI_COMM_WORLD, &group);
	MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made);
	MPI_Barrier(made);
	MPI_Comm_free(&made);
	MPI_Group_free(&group);
}

/* Make one between the even ranks and the odd ones. */
static void make_inter(int rank, int tag)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, tag, &inter);
	MPI_Barrier(inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	/* The low tags are numbers of communicators, too. */
	for (int tag = 0; tag < TAGS; tag++)
		MPI_Irecv(&in[tag], 1, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
			  &requests[tag]);
	make_group(FIRST);
	make_inter(rank, FIRST + 1);
	for (int tag = 0; tag < TAGS; tag++)
		MPI_Send(&out[tag], 1, MPI_BYTE, (rank + 1) % ranks, tag, MPI_COMM_WORLD);
	MPI_Waitall(TAGS, requests, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
