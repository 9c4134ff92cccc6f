/*
 * Threads that depend on each other in each round: what the first one makes others use, they take turns on one
 * communicator, and pass requests and messages on.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>

enum { WORKERS = 3, ROUNDS = 12, MOST = 64 };

static int rank, size, left, right;
static MPI_Comm team, turns;
static MPI_Request handed[WORKERS][2], persistent[WORKERS][2];
static MPI_Message found;
static MPI_Win window;
static char in[WORKERS + 1][MOST], out[MOST], memory[MOST];
static pthread_barrier_t gate;

static void meet(void)
{
	pthread_barrier_wait(&gate);
}

/* Complete what the first thread has begun, in the same order, and exchange something else. */
static void exchange(int worker, int round)
{
	MPI_Status statuses[2];

	MPI_Waitall(2, handed[worker], statuses);
	MPI_Sendrecv(out, 8 + worker, MPI_BYTE, right, worker, in[worker], MOST, MPI_BYTE, left,
		     worker, team, MPI_STATUS_IGNORE);
	MPI_Startall(2, persistent[worker]);
	MPI_Waitall(2, persistent[worker], statuses);
	if (round % 4 == worker)
		MPI_Barrier(team);
}

/* Of one communicator, each thread has some of the collectives, in turn. */
static void take_turn(int self, int round)
{
	for (int turn = 0; turn <= WORKERS; turn++) {
		if (turn == self)
			MPI_Bcast(out, 4 + turn, MPI_BYTE, round % size, turns);
		meet();
	}
}

static void *work(void *argument)
{
	const int worker = (int)(intptr_t)argument;

	for (int round = 0; round < ROUNDS; round++) {
		meet();
		exchange(worker, round);
		if (worker == round % WORKERS)
			MPI_Put(out, 4, MPI_BYTE, right, worker, 4, MPI_BYTE, window);
		meet();
		if (worker == 1)
			MPI_Mrecv(in[WORKERS], MOST, MPI_BYTE, &found, MPI_STATUS_IGNORE);
		take_turn(worker + 1, round);
	}
	return argument;
}

/* Begin what the workers complete. */
static void begin(void)
{
	for (int w = 0; w < WORKERS; w++) {
		MPI_Irecv(in[w], MOST, MPI_BYTE, left, 10 + w, team, &handed[w][0]);
		MPI_Issend(out, 16 + w, MPI_BYTE, right, 10 + w, team, &handed[w][1]);
	}
}

static void lead(void)
{
	MPI_Request request;

	for (int round = 0; round < ROUNDS; round++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &team);
		begin();
		MPI_Win_lock_all(0, window);
		MPI_Isend(out, 5, MPI_BYTE, right, 99, MPI_COMM_WORLD, &request);
		MPI_Mprobe(left, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
		meet();
		meet();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Win_unlock_all(window);
		take_turn(0, round);
		MPI_Comm_free(&team);
	}
}

static void prepare(void)
{
	MPI_Comm_dup(MPI_COMM_WORLD, &turns);
	MPI_Win_create(memory, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	for (int w = 0; w < WORKERS; w++) {
		MPI_Recv_init(in[w], 7, MPI_BYTE, left, 20 + w, MPI_COMM_WORLD, &persistent[w][0]);
		MPI_Send_init(out, 7, MPI_BYTE, right, 20 + w, MPI_COMM_WORLD, &persistent[w][1]);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE) {
		MPI_Finalize();
		return 77;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	prepare();
	pthread_barrier_init(&gate, NULL, WORKERS + 1);
	for (int w = 0; w < WORKERS; w++)
		pthread_create(&threads[w], NULL, work, (void *)(intptr_t)w);
	lead();
	for (int w = 0; w < WORKERS; w++)
		pthread_join(threads[w], NULL);
	for (int w = 0; w < 2 * WORKERS; w++)
		MPI_Request_free(&persistent[w / 2][w % 2]);
	MPI_Win_free(&window);
	MPI_Comm_free(&turns);
	MPI_Finalize();
	return 0;
}
