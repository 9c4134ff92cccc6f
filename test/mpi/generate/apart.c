/*
 * Two threads of which one does not wait for the other where a program made of their calls could.  Argument: a letter
 * for each part, in its order.
 */
#include <mpi.h>
#include <pthread.h>
#include <time.h>

enum { ROUNDS = 40, MOST = 64 };

static int rank, size, left, right;
static MPI_Comm own[2];
static MPI_Request request;
static MPI_Message found;
static char in[2][MOST], out[MOST];
static const char *parts;
static pthread_barrier_t gate;

static void meet(void)
{
	pthread_barrier_wait(&gate);
}

/* The first thread begins a request and finds a message in each round, and the second one takes its time with them. */
static void run_ahead(int self)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (self == 0) {
			MPI_Isend(out, 8, MPI_BYTE, right, 10 + i, own[0], &request);
			MPI_Mprobe(left, 10 + i, own[0], &found, MPI_STATUS_IGNORE);
		}
		meet();
		if (self == 1) {
			for (int k = 0; k < 10; k++)
				MPI_Allreduce(out, in[1], 8, MPI_BYTE, MPI_BOR, own[1]);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
			MPI_Mrecv(in[1], MOST, MPI_BYTE, &found, MPI_STATUS_IGNORE);
		}
		meet();
	}
}

/* Both receive from any rank, by turns, each with a tag of its own. */
static void receive_by_tag(int self)
{
	for (int i = 0; i < ROUNDS; i++)
		for (int turn = 0; turn < 2; turn++) {
			if (self == turn) {
				MPI_Send(out, 8, MPI_BYTE, right, 60 + self, own[0]);
				MPI_Recv(in[self], MOST, MPI_BYTE, MPI_ANY_SOURCE, 60 + self,
					 own[0], MPI_STATUS_IGNORE);
			}
			meet();
		}
}

/* The second thread waits for a message of the first one, which switches recording off before. */
static void switch_off(int self)
{
	const struct timespec time = {0, 20000000};

	for (int i = 0; i < 3; i++) {
		MPI_Barrier(own[self]);
		meet();
		if (self == 1) {
			MPI_Recv(in[1], MOST, MPI_BYTE, rank, 2, own[0], MPI_STATUS_IGNORE);
		} else {
			nanosleep(&time, NULL);
			MPI_Pcontrol(0);
			MPI_Barrier(own[0]);
			MPI_Pcontrol(1);
			MPI_Send(out, 4, MPI_BYTE, rank, 2, own[0]);
		}
		meet();
	}
}

/* Both threads receive messages of different sizes with the same tag, and nothing tells which one has ended first. */
static void receive_sizes(int self)
{
	MPI_Request sends[2];

	for (int i = 0; i < ROUNDS; i++) {
		const int first = i % 2;

		if (self == 0) {
			MPI_Isend(out, 8, MPI_BYTE, right, 3, own[0], &sends[0]);
			MPI_Isend(out, 48, MPI_BYTE, right, 3, own[0], &sends[1]);
		}
		meet();
		if (self == first)
			MPI_Recv(in[self], 8, MPI_BYTE, left, 3, own[0], MPI_STATUS_IGNORE);
		meet();
		if (self != first)
			MPI_Recv(in[self], 48, MPI_BYTE, left, 3, own[0], MPI_STATUS_IGNORE);
		meet();
		if (self == 0)
			MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
	}
}

/* Each thread makes communicators of groups of its own, at the same time as the other one. */
static void make_groups(int self)
{
	const int ranks[] = {0, size - 1};

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Group all, some;
		MPI_Comm made;

		MPI_Comm_group(own[self], &all);
		if (self)
			MPI_Group_incl(all, 2, ranks, &some);
		else
			MPI_Group_excl(all, 1, ranks, &some);
		MPI_Comm_create(own[self], some, &made);
		MPI_Group_free(&some);
		MPI_Group_free(&all);
		if (made != MPI_COMM_NULL)
			MPI_Comm_free(&made);
	}
}

/* Each thread makes communicators of all ranks, which come in another order on each rank. */
static void make_by_members(int self)
{
	const struct timespec time = {0, 3000000};
	MPI_Group all;

	MPI_Comm_group(own[self], &all);
	for (int i = 0; i < 6; i++) {
		MPI_Comm made;

		meet();
		if ((rank + i) % 2 == self)
			nanosleep(&time, NULL);
		MPI_Comm_create_group(MPI_COMM_WORLD, all, self, &made);
		MPI_Comm_free(&made);
	}
	MPI_Group_free(&all);
}

/* One thread gives access to a window, and the other one uses it. */
static void use_window(int self)
{
	static MPI_Win window;
	static char memory[MOST];
	MPI_Group all, peer;

	if (self == 0)
		MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, own[0], &window);
	MPI_Comm_group(own[self], &all);
	MPI_Group_incl(all, 1, &right, &peer);
	for (int i = 0; i < ROUNDS; i++) {
		if (self == 0) {
			MPI_Win_post(peer, 0, window);
			MPI_Win_start(peer, 0, window);
		}
		meet();
		if (self == 1)
			MPI_Put(out, 4, MPI_BYTE, right, 4, 4, MPI_BYTE, window);
		meet();
		if (self == 0) {
			MPI_Win_complete(window);
			MPI_Win_wait(window);
		}
	}
	MPI_Group_free(&peer);
	MPI_Group_free(&all);
	meet();
	if (self == 0)
		MPI_Win_free(&window);
}

/* The first thread finds a message among polls that find nothing, which the second one receives. */
static void find_by_polls(int self)
{
	MPI_Message message;
	int flag = 0;

	if (self == 0) {
		MPI_Send(out, 1, MPI_BYTE, right, 7, own[0]);
		while (!flag)
			MPI_Improbe(left, 7, own[0], &flag, &found, MPI_STATUS_IGNORE);
		for (int i = 0; i < 3; i++)
			MPI_Improbe(left, 8, own[0], &flag, &message, MPI_STATUS_IGNORE);
		MPI_Barrier(own[0]);
	}
	meet();
	if (self == 1)
		MPI_Mrecv(in[1], MOST, MPI_BYTE, &found, MPI_STATUS_IGNORE);
}

static void perform(int self)
{
	for (const char *part = parts; *part; part++) {
		if (*part == 'a')
			run_ahead(self);
		else if (*part == 'o')
			switch_off(self);
		else if (*part == 's')
			receive_sizes(self);
		else if (*part == 'g')
			make_groups(self);
		else if (*part == 'm')
			make_by_members(self);
		else if (*part == 't')
			receive_by_tag(self);
		else if (*part == 'w')
			use_window(self);
		else if (*part == 'p')
			find_by_polls(self);
	}
}

static void *perform_second(void *argument)
{
	perform(1);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t second;
	int provided;

	parts = argc > 1 ? argv[1] : "";
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE) {
		MPI_Finalize();
		return 77;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
	pthread_barrier_init(&gate, NULL, 2);
	pthread_create(&second, NULL, perform_second, NULL);
	perform(0);
	pthread_join(second, NULL);
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&own[i]);
	MPI_Finalize();
	return 0;
}
