/*
 * Partitioned messages: two at once whose partitions become ready by turns, started together, then
 * one by one, in calls for one partition, for a range and for a list.
 */
#include <mpi.h>

#if MPI_VERSION >= 4
enum { PARTS = 6, BYTES = 40, STEPS = 5 };

static char out[2][PARTS * BYTES], in[2][PARTS * BYTES];
static MPI_Request requests[4];

/* Make the partitions of both sends ready by turns; one takes its last two as a range, the other as a list. */
static void make_ready(void)
{
	int last[] = {5, 4};

	for (int part = 0; part < PARTS - 2; part++)
		for (int which = 0; which < 2; which++)
			MPI_Pready(part, requests[which]);
	MPI_Pready_range(PARTS - 2, PARTS - 1, requests[0]);
	MPI_Pready_list(2, last, requests[1]);
}

/* Make those of one send ready, the last one alone. */
static void make_one_ready(int which)
{
	MPI_Pready_range(1, PARTS - 1, requests[which]);
	MPI_Pready(0, requests[which]);
}

int main(int argc, char **argv)
{
	int rank, ranks, arrived;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int which = 0; which < 2; which++) {
		MPI_Psend_init(out[which], PARTS, BYTES, MPI_BYTE, (rank + 1) % ranks, which,
			       MPI_COMM_WORLD, MPI_INFO_NULL, &requests[which]);
		MPI_Precv_init(in[which], PARTS / 2, 2 * BYTES, MPI_BYTE,
			       (rank + ranks - 1) % ranks, which, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &requests[2 + which]);
	}
	for (int step = 0; step < STEPS; step++) {
		MPI_Startall(4, requests);
		make_ready();
		MPI_Parrived(requests[2], 0, &arrived);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	}
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 4; i++)
			MPI_Start(&requests[i]);
		make_one_ready(0);
		make_one_ready(1);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&requests[i]);
	MPI_Finalize();
	return 0;
}
#else
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
#endif
