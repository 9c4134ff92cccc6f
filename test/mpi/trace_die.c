/*
 * Program that dies in the middle of its communication, as its argument tells:
 *
 *	abort	rank 1 calls MPI_Abort
 *	crash	rank 1 calls abort
 *	exit	all ranks call exit
 *	_exit	all ranks call _exit
 *	leave	rank 1 calls exit
 *	one	rank 1 is killed by SIGKILL
 *	all	all ranks are killed by SIGKILL, at different places
 *	split	rank 0 is killed before it makes a communicator that other ranks make
 *	wait	none dies: the program waits for a file "go" in its directory and ends
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static MPI_Win window;

static void round_of(MPI_Comm comm, int tag)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size, in[2], sum;
	MPI_Request requests[3];

	MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &requests[0]);
	MPI_Isend(&rank, 1, MPI_INT, right, tag, comm, &requests[1]);
	MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]);
	MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	if (rank % 2)
		MPI_Recv(&in[1], 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
	MPI_Send(&rank, 1, MPI_INT, right, tag, comm);
	if (rank % 2 == 0)
		MPI_Recv(&in[1], 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
}

static void one_sided(void)
{
	int right = (rank + 1) % size, value = rank;

	MPI_Win_fence(0, window);
	MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
	MPI_Win_fence(0, window);
	MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
	MPI_Put(&value, 1, MPI_INT, right, 1, 1, MPI_INT, window);
	MPI_Win_unlock(right, window);
}

/* Begin an epoch that does not end; its target may have died. */
static void open_epoch(void)
{
	MPI_Group all, neighbour;
	int left = (rank + size - 1) % size;

	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
	MPI_Put(&rank, 1, MPI_INT, rank, 2, 1, MPI_INT, window);
	MPI_Win_unlock(rank, window);
	MPI_Win_get_group(window, &all);
	MPI_Group_incl(all, 1, &left, &neighbour);
	MPI_Win_post(neighbour, 0, window);
}

static void die(const char *how, MPI_Comm comm)
{
	int value = 0;

	if (strcmp(how, "abort") == 0 && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (strcmp(how, "crash") == 0 && rank == 1)
		abort();
	if (strcmp(how, "exit") == 0)
		exit(6);
	if (strcmp(how, "_exit") == 0)
		_exit(6);
	if (strcmp(how, "leave") == 0 && rank == 1)
		exit(6);
	/* Send messages without receives. */
	if (rank != 1)
		open_epoch();
	if (rank != 1)
		MPI_Send(&value, 1, MPI_INT, 1, 99, comm);
	if ((strcmp(how, "one") == 0 && rank == 1) || strcmp(how, "all") == 0)
		kill(getpid(), SIGKILL);
	MPI_Barrier(comm);
	pause();
}

/* Kill the first rank of a new communicator as soon as the other ranks can go on. */
static void die_in_split(void)
{
	MPI_Comm half;

	if (rank == 0)
		kill(getpid(), SIGKILL);
	MPI_Comm_split(rank == size - 1 ? MPI_COMM_SELF : MPI_COMM_WORLD, 0, 0, &half);
	pause();
}

static void wait_to_go(void)
{
	FILE *ready = rank ? NULL : fopen("ready", "w");

	if (ready)
		fclose(ready);
	while (access("go", F_OK) < 0)
		usleep(10000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	MPI_Comm comm, half;
	int memory[3];

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_name(comm, "copy");
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Comm_split(comm, rank % 2, rank, &half);
	MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window);
	for (int i = 0; i < 50; i++) {
		if (i % 10 == 0)
			one_sided();
		round_of(comm, i % 3);
		MPI_Barrier(half);
	}
	MPI_Comm_free(&half);
	if (strcmp(how, "split") == 0)
		die_in_split();
	else if (strcmp(how, "wait") == 0)
		wait_to_go();
	else if (*how)
		die(how, comm);
	MPI_Win_free(&window);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
