/*
 * Communication patterns for converting traces: patterns NAME.
 * Rank 0 prints the numbers of messages and bytes that the pattern has sent between ranks by
 * point-to-point calls.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 16 };

static int rank, ranks;
static long long messages, bytes;

static void sent(int count)
{
	messages++;
	bytes += count;
}

/* Send i bytes from all to all in round i, and receive with wildcards. */
static void wildcards(void)
{
	static char out[64], in[3 * MOST_RANKS][64];
	MPI_Request requests[3 * MOST_RANKS];
	int index;

	for (int i = 0; i < 3 * ranks; i++)
		MPI_Irecv(in[i], 64, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			  &requests[i]);
	for (int round = 0; round < 3; round++) {
		for (int to = 0; to < ranks; to++) {
			MPI_Send(out, round, MPI_BYTE, to, 10 + round, MPI_COMM_WORLD);
			sent(round);
		}
	}
	for (int i = 0; i < 3 * ranks; i++)
		MPI_Waitany(3 * ranks, requests, &index, MPI_STATUS_IGNORE);
}

/* Exchange with neighbours in a line, with MPI_PROC_NULL at its ends. */
static void persistent(void)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL;
	int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	char out[100] = "", in[2][100];
	MPI_Request requests[4];

	MPI_Recv_init(in[0], 100, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(in[1], 100, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Send_init(out, 100, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[2]);
	MPI_Ssend_init(out, 50, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[3]);
	for (int round = 0; round < 5; round++) {
		MPI_Startall(3, requests);
		MPI_Start(&requests[3]);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
		if (left != MPI_PROC_NULL)
			sent(100);
		if (right != MPI_PROC_NULL)
			sent(50);
	}
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&requests[i]);
}

/* Poll on rank 0 for one message of each other rank, in three ways. */
static void polling(void)
{
	char out[8] = "", in[8];
	int done = 0, from;
	MPI_Request request;
	MPI_Message message;
	MPI_Status status;

	for (int i = 0; rank && i < 3; i++) {
		MPI_Send(out, i, MPI_BYTE, 0, i, MPI_COMM_WORLD);
		sent(i);
	}
	for (from = 1; !rank && from < ranks; from++) {
		MPI_Irecv(in, 8, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
		for (done = 0; !done;)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		for (done = 0; !done;)
			MPI_Iprobe(from, 1, MPI_COMM_WORLD, &done, &status);
		MPI_Recv(in, 8, MPI_BYTE, from, 1, MPI_COMM_WORLD, &status);
		MPI_Mprobe(from, 2, MPI_COMM_WORLD, &message, &status);
		MPI_Mrecv(in, 8, MPI_BYTE, &message, &status);
	}
}

/* Cancel a receive without a message, and exchange messages by MPI_Sendrecv. */
static void cancelled(void)
{
	char out[32] = "", in[32], never[8];
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
	MPI_Request request;
	MPI_Status status;

	MPI_Irecv(never, 8, MPI_BYTE, left, 99, MPI_COMM_WORLD, &request);
	MPI_Sendrecv(out, 32, MPI_BYTE, right, 1, in, 32, MPI_BYTE, left, 1, MPI_COMM_WORLD,
		     &status);
	MPI_Sendrecv_replace(out, 7, MPI_BYTE, right, 2, left, 2, MPI_COMM_WORLD, &status);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	sent(32);
	sent(7);
}

/* Use equal tags on several communicators whose ranks differ from world ranks. */
static void communicators(void)
{
	MPI_Comm reversed, halves, copy, inter, merged;
	int me, size, value = rank, sum;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
	MPI_Comm_split(reversed, rank % 2, rank, &halves);
	MPI_Comm_dup(halves, &copy);
	MPI_Comm_rank(reversed, &me);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % ranks, 1, &value, 1, MPI_INT,
		     (me + ranks - 1) % ranks, 1, reversed, MPI_STATUS_IGNORE);
	sent(4);
	MPI_Comm_rank(copy, &me);
	MPI_Comm_size(copy, &size);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % size, 1, &value, 1, MPI_INT,
		     (me + size - 1) % size, 1, copy, MPI_STATUS_IGNORE);
	sent(4);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, halves);
	if (ranks > 1) {
		MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
		MPI_Comm_remote_size(inter, &size);
		if (!me) {
			MPI_Sendrecv(&me, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, inter,
				     MPI_STATUS_IGNORE);
			sent(4);
		}
		MPI_Intercomm_merge(inter, rank % 2, &merged);
		MPI_Bcast(&value, 1, MPI_INT, 0, merged);
		MPI_Comm_free(&merged);
		MPI_Comm_free(&inter);
	}
	MPI_Comm_free(&copy);
	MPI_Comm_free(&halves);
	MPI_Comm_free(&reversed);
}

static void in_place_collectives(int root)
{
	int values[MOST_RANKS] = {0}, *in_place = MPI_IN_PLACE;
	MPI_Comm world = MPI_COMM_WORLD;

	MPI_Allreduce(in_place, values, 3, MPI_INT, MPI_SUM, world);
	MPI_Allgather(in_place, 0, MPI_INT, values, 1, MPI_INT, world);
	MPI_Alltoall(in_place, 0, MPI_INT, values, 1, MPI_INT, world);
	MPI_Reduce(rank == root ? in_place : values, values, 3, MPI_INT, MPI_MAX, root, world);
	MPI_Scan(in_place, values, 2, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter_block(in_place, values, 1, MPI_INT, MPI_SUM, world);
}

static void collectives(void)
{
	int in[2 * MOST_RANKS] = {0}, out[2 * MOST_RANKS], counts[MOST_RANKS], places[MOST_RANKS];
	MPI_Comm world = MPI_COMM_WORLD;

	for (int i = 0; i < ranks; i++) {
		counts[i] = i % 3;	/* some blocks are empty */
		places[i] = 2 * i;
	}
	for (int root = 0; root < ranks; root++) {
		MPI_Bcast(in, 3, MPI_INT, root, world);
		MPI_Reduce(in, out, 3, MPI_INT, MPI_SUM, root, world);
		MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, world);
		MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, world);
		MPI_Gatherv(in, rank % 3, MPI_INT, out, counts, places, MPI_INT, root, world);
		MPI_Scatterv(in, counts, places, MPI_INT, out, rank % 3, MPI_INT, root, world);
		in_place_collectives(root);
	}
	MPI_Barrier(world);
	MPI_Allreduce(in, out, 5, MPI_INT, MPI_SUM, world);
	MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, world);
	MPI_Allgatherv(in, rank % 3, MPI_INT, out, counts, places, MPI_INT, world);
	MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, world);
	MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, world);
	MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, world);
	MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, world);
	for (int i = 0; i < ranks; i++)
		counts[i] = (i + rank) % 3;
	MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, world);
}

/*
 * Count the messages of a modelled barrier: dissemination in log2(ranks) rounds, rounded up.
 */
static void barrier_was_made(void)
{
	for (int reached = 1; reached < ranks; reached *= 2)
		sent(0);
}

/* Count messages to another rank and back; operations on the own rank have no messages. */
static void moved(int there, int back)
{
	if (ranks == 1)
		return;
	sent(there);
	if (back >= 0)
		sent(back);
}
enum { NOTHING = -1 };

static void fenced(MPI_Win window, int right)
{
	char data[100] = "", into[50];
	int numbers[10] = {0};

	MPI_Win_fence(0, window);
	barrier_was_made();
	MPI_Put(data, 100, MPI_BYTE, right, 0, 100, MPI_BYTE, window);
	moved(100, NOTHING);
	MPI_Accumulate(numbers, 10, MPI_INT, right, 200, 10, MPI_INT, MPI_SUM, window);
	moved(40, NOTHING);
	MPI_Win_fence(0, window);
	barrier_was_made();
	MPI_Get(into, 50, MPI_BYTE, right, 0, 50, MPI_BYTE, window);
	moved(0, 50);
	MPI_Win_fence(0, window);
	barrier_was_made();
}

static void locked(MPI_Win window, int right)
{
	char data[30] = "", into[20];
	int number = 1, old;
	MPI_Request request;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
	moved(0, 0);
	MPI_Put(data, 7, MPI_BYTE, right, 0, 7, MPI_BYTE, window);
	moved(7, NOTHING);
	MPI_Put(data, 8, MPI_BYTE, right, 10, 8, MPI_BYTE, window);
	moved(8, NOTHING);
	MPI_Win_flush(right, window);
	moved(0, NOTHING);	/* one acknowledgement of both */
	MPI_Fetch_and_op(&number, &old, MPI_INT, right, 100, MPI_SUM, window);
	moved(4, 4);
	MPI_Win_unlock(right, window);
	MPI_Win_lock_all(0, window);
	moved(0, 0);	/* only with the target it accesses */
	MPI_Rput(data, 30, MPI_BYTE, right, 0, 30, MPI_BYTE, window, &request);
	moved(30, NOTHING);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Rget(into, 20, MPI_BYTE, right, 40, 20, MPI_BYTE, window, &request);
	moved(0, 20);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(window);
	moved(0, NOTHING);
}

static void in_groups(MPI_Win window, int left, int right)
{
	MPI_Group all, origin, target;
	char data[9] = "";

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &left, &origin);
	MPI_Group_incl(all, 1, &right, &target);
	for (int i = 0; i < 3; i++) {
		MPI_Win_post(origin, 0, window);
		moved(0, NOTHING);
		MPI_Win_start(target, 0, window);
		MPI_Put(data, 9, MPI_BYTE, right, 0, 9, MPI_BYTE, window);
		moved(9, NOTHING);
		MPI_Win_complete(window);
		moved(0, NOTHING);
		MPI_Win_wait(window);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&origin);
	MPI_Group_free(&target);
}

static void windows(void)
{
	int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
	static int memory[64];
	MPI_Win window;

	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	barrier_was_made();
	fenced(window, right);
	locked(window, right);
	MPI_Barrier(MPI_COMM_WORLD);
	barrier_was_made();
	in_groups(window, left, right);
	MPI_Win_free(&window);
	barrier_was_made();
}

#if MPI_VERSION >= 4
/* Send in 4 parts what is received in 2, and a plain message with the same tag. */
static void partitioned(void)
{
	int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
	char out[40] = "", in[40], plain;
	MPI_Request requests[3];

	MPI_Psend_init(out, 4, 10, MPI_BYTE, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	MPI_Precv_init(in, 2, 20, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, requests);
		MPI_Irecv(&plain, 1, MPI_BYTE, left, 3, MPI_COMM_WORLD, &requests[2]);
		MPI_Pready(1, requests[0]);
		MPI_Pready_range(2, 3, requests[0]);
		MPI_Send(out, 1, MPI_BYTE, right, 3, MPI_COMM_WORLD);
		sent(1);
		MPI_Pready(0, requests[0]);
		sent(40);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* Start two reductions and an exchange, in a different order on each rank. */
static void orders(void)
{
	static double in[1000], out[1000];
	int counts[1000], places[1000];
	MPI_Request made[3], started[3];

	for (int i = 0; i < ranks; i++) {
		counts[i] = rank + i;
		places[i] = 0;
	}
	MPI_Allreduce_init(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
			   &made[0]);
	MPI_Allreduce_init(in, out, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
			   &made[1]);
	MPI_Alltoallv_init(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE,
			   MPI_COMM_WORLD, MPI_INFO_NULL, &made[2]);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 3; i++)
			MPI_Start(&made[(rank + round + i) % 3]);
		memcpy(started, made, sizeof made);
		MPI_Waitall(3, started, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&made[i]);
}

/* Begin collectives of two communicators in one call, in a different order on each rank. */
static void at_once(void)
{
	enum { KINDS = 3, ALL = 2 * KINDS };
	double in[ALL] = {0}, out[ALL];
	MPI_Comm comms[2] = {MPI_COMM_WORLD};
	MPI_Request made[ALL], started[ALL];

	MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
	for (int c = 0; c < 2; c++) {
		const int first = KINDS * c;

		MPI_Allreduce_init(&in[first], &out[first], 1, MPI_DOUBLE, MPI_SUM, comms[c],
				   MPI_INFO_NULL, &made[first]);
		MPI_Scan_init(&in[first + 1], &out[first + 1], 1, MPI_DOUBLE, MPI_SUM, comms[c],
			      MPI_INFO_NULL, &made[first + 1]);
		MPI_Bcast_init(&in[first + 2], 1, MPI_DOUBLE, 0, comms[c], MPI_INFO_NULL,
			       &made[first + 2]);
	}
	for (int round = 0; round < 4; round++) {
		if (rank == round)
			usleep(2000);
		for (int i = 0; i < ALL; i++)
			started[(i + rank) % ALL] = made[i];
		MPI_Startall(ALL, started);
		for (int i = 0; i < ALL; i++)
			started[i] = made[ALL - 1 - i];
		MPI_Waitall(ALL, started, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < ALL; i++)
		MPI_Request_free(&made[i]);
	MPI_Comm_free(&comms[1]);
}
#endif

static const struct {
	const char *name;
	void (*run)(void);
} patterns[] = {
	{"wildcards", wildcards}, {"persistent", persistent}, {"polling", polling},
	{"cancelled", cancelled}, {"communicators", communicators}, {"collectives", collectives},
	{"windows", windows},
#if MPI_VERSION >= 4
	{"partitioned", partitioned}, {"orders", orders},
	{"at_once", at_once},
#endif
};

int main(int argc, char **argv)
{
	long long own[2], total[2] = {0};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (argc > 1 && !strcmp(argv[1], patterns[i].name))
			patterns[i].run();
	MPI_Pcontrol(0);	/* the pattern ends here */
	own[0] = messages;
	own[1] = bytes;
	MPI_Reduce(own, total, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%lld %lld\n", total[0], total[1]);
	MPI_Finalize();
	return 0;
}
