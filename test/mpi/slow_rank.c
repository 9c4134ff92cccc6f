/*
 * A run with a known critical path: slow_rank RANK ITERATIONS MILLISECONDS [neighbours|epochs|locks].
 * In each iteration one rank computes (it sleeps, so that the time is known), and the others wait
 * for it: the next rank for its message, and all for a reduction.  With a fourth argument they wait
 * in a collective of neighbours, or in epochs of a window, only, around the ring; or for the lock of a
 * window that it holds while it computes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, slow, iterations;
static struct timespec slow_time;

static void compute(void)
{
	if (rank == slow)
		nanosleep(&slow_time, NULL);
}

static void send_and_reduce(void)
{
	int sum;

	for (int i = 0; i < iterations; i++) {
		compute();
		if (rank == slow)
			MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
		else if (rank == (slow + 1) % size)
			MPI_Recv(&sum, 1, MPI_INT, slow, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

static void gather_from_neighbours(void)
{
	const int periodic = 1;
	int all[2];
	MPI_Comm ring;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	for (int i = 0; i < iterations; i++) {
		compute();
		MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, ring);
	}
	MPI_Comm_free(&ring);
}

/* Put to the next rank. */
static void put_in_epochs(void)
{
	const int before = (rank + size - 1) % size, next = (rank + 1) % size;
	MPI_Group all, origin, target;
	MPI_Win window;
	int *memory;

	MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &before, &origin);
	MPI_Group_incl(all, 1, &next, &target);
	for (int i = 0; i < iterations; i++) {
		compute();
		MPI_Win_post(origin, 0, window);
		MPI_Win_start(target, 0, window);
		MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
		MPI_Win_complete(window);
		MPI_Win_wait(window);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&origin);
	MPI_Group_free(&target);
	MPI_Win_free(&window);
}

/* The slow rank has the lock before the others ask for it. */
static void put_under_locks(void)
{
	const int target = (slow + 1) % size;
	MPI_Win window;
	int *memory;

	MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	for (int i = 0; i < iterations; i++) {
		if (rank != slow)
			MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
		MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, window);
		if (rank == slow) {
			MPI_Win_flush(target, window);
			MPI_Barrier(MPI_COMM_WORLD);
		}
		compute();
		MPI_Win_unlock(target, window);
		/* A rank that asks late must not find the lock taken for the next iteration. */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 4 || size < 2)
		MPI_Abort(MPI_COMM_WORLD, 1);
	slow = atoi(argv[1]);
	iterations = atoi(argv[2]);
	slow_time.tv_nsec = atoi(argv[3]) * 1000000L;
	if (!strcmp(how, "neighbours"))
		gather_from_neighbours();
	else if (!strcmp(how, "epochs"))
		put_in_epochs();
	else if (!strcmp(how, "locks"))
		put_under_locks();
	else
		send_and_reduce();
	MPI_Finalize();
	return 0;
}
