/*
 * A run with a known critical path: slow_rank RANK ITERATIONS MILLISECONDS [neighbours|epochs].
 * In each iteration one rank computes (it sleeps, so that the time is known), and the others wait
 * for it: the next rank for its message, and all for a reduction.  With a fourth argument they wait
 * in a collective of neighbours, or in epochs of a window, only, around the ring.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void send_and_reduce(int slow)
{
	int sum;

	if (rank == slow)
		MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
	else if (rank == (slow + 1) % size)
		MPI_Recv(&sum, 1, MPI_INT, slow, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void gather_from_neighbours(MPI_Comm ring)
{
	int all[2];

	MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, ring);
}

/* Put to the next rank. */
static void open_and_close_epochs(MPI_Win window, MPI_Group before, MPI_Group next)
{
	MPI_Win_post(before, 0, window);
	MPI_Win_start(next, 0, window);
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
	MPI_Win_complete(window);
	MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
	const int periodic = 1;
	int slow, ranks[2], *memory;
	MPI_Comm ring;
	MPI_Win window;
	MPI_Group all, before, next;
	const char *how;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 4 || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	slow = atoi(argv[1]);
	how = argc > 4 ? argv[4] : "";
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	ranks[0] = (rank + size - 1) % size;
	ranks[1] = (rank + 1) % size;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, ranks, &before);
	MPI_Group_incl(all, 1, ranks + 1, &next);
	for (int i = 0; i < atoi(argv[2]); i++) {
		const struct timespec time = {0, atoi(argv[3]) * 1000000L};

		if (rank == slow)
			nanosleep(&time, NULL);
		if (!strcmp(how, "neighbours"))
			gather_from_neighbours(ring);
		else if (!strcmp(how, "epochs"))
			open_and_close_epochs(window, before, next);
		else
			send_and_reduce(slow);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&before);
	MPI_Group_free(&next);
	MPI_Win_free(&window);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
