/* Loops whose iterations are known: iterate KIND ITERATIONS prints a sum that the tracer must not change. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, left, right;

static void work(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* Exchange with neighbours, and a global sum. */
static double halo(double value)
{
	double from[2] = {0}, sum;
	MPI_Request requests[4];

	MPI_Irecv(&from[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(&from[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(&value, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(&value, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
	work(300);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	value = value / 2 + (from[0] + from[1]) / 4 + 1;
	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return value + sum / 1000;
}

static double sum(int iterations)
{
	double value = rank;

	MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < iterations; i++)
		value = halo(value);
	MPI_Barrier(MPI_COMM_WORLD);
	return value;
}

/* A ring without collectives. */
static double ring(int iterations)
{
	double value = rank, other;

	for (int i = 0; i < iterations; i++) {
		work(300);
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 1, &other, 1, MPI_DOUBLE, left, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		value += other / 2;
	}
	return value;
}

/* A chain, whose first rank is five iterations ahead of the last one; the tag is the iteration. */
static double chain(int iterations)
{
	double value = 0;

	for (int i = 0; i < iterations; i++) {
		if (rank)
			MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		else if (i >= 5)
			MPI_Recv(&value, 1, MPI_DOUBLE, size - 1, i - 5, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		work(300);
		value += i;
		MPI_Send(&value, 1, MPI_DOUBLE, right, i, MPI_COMM_WORLD);
	}
	for (int i = iterations - 5; rank == 0 && i < iterations; i++)
		MPI_Recv(&value, 1, MPI_DOUBLE, size - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}

/* Iteration i posts the receive of iteration i + 1, and waits for its own and for the send before. */
static double overlap(int iterations)
{
	MPI_Request posted[2], sent[2];
	double to[2], from[2], value = rank;

	MPI_Irecv(&from[0], 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &posted[0]);
	for (int i = 0; i < iterations; i++) {
		const int now = i % 2, other = 1 - now;

		MPI_Irecv(&from[other], 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &posted[other]);
		to[now] = value;
		MPI_Isend(&to[now], 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &sent[now]);
		work(300);
		MPI_Wait(&posted[now], MPI_STATUS_IGNORE);
		if (i)
			MPI_Wait(&sent[other], MPI_STATUS_IGNORE);
		value += from[now] / 2;
	}
	MPI_Isend(&value, 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &sent[iterations % 2]);
	MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
	MPI_Wait(&posted[iterations % 2], MPI_STATUS_IGNORE);
	return value;
}

/* Rank 1 has no loop; the others go on without it. */
static double absent(int iterations)
{
	double value = rank, other;
	const int peer = rank ? 0 : 2;

	for (int i = 0; rank != 1 && i < iterations; i++) {
		work(300);
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, peer, 1, &other, 1, MPI_DOUBLE, peer, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		value += other / 2;
	}
	return value;
}

/* The last rank leaves its loop after twelve iterations. */
static double early(int iterations)
{
	double value = rank;
	MPI_Comm own;

	MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &own);
	for (int i = 0; i < (rank == size - 1 ? 12 : iterations); i++) {
		double total;

		work(300);
		MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, own);
		value += total / 10;
	}
	MPI_Comm_free(&own);
	return value;
}

/* Rank 0 gives numbers to whoever asks. */
static double master(int iterations)
{
	double value = 0;
	MPI_Status status;
	int number = 0;

	for (int done = 0; rank == 0 && done < size - 1;) {
		MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
		number++;
		done += number > iterations;
		MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
	}
	while (rank && number <= iterations) {
		work(200 * rank);
		MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return 0;
}

static volatile int stop;

static void *poll(void *comm)
{
	double value = 1, other;

	while (!stop) {
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 1, &other, 1, MPI_DOUBLE, 0, 1,
			     *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
		work(200);
	}
	return NULL;
}

/* Threads send to themselves while the first one iterates. */
static double threads(int iterations)
{
	MPI_Comm comms[2];
	pthread_t ids[2];
	double value;

	for (int t = 0; t < 2; t++) {
		MPI_Comm_dup(MPI_COMM_SELF, &comms[t]);
		pthread_create(&ids[t], NULL, poll, &comms[t]);
	}
	value = sum(iterations);
	stop = 1;
	for (int t = 0; t < 2; t++) {
		pthread_join(ids[t], NULL);
		MPI_Comm_free(&comms[t]);
	}
	return value;
}

/* A loop of other calls than `sum`. */
static double maximum(double value, int iterations)
{
	double other = 0;

	for (int i = 0; i < iterations; i++) {
		work(300);
		MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, &other, 0, MPI_BYTE, MPI_COMM_WORLD);
	}
	return value + other;
}

/* Two loops of different calls. */
static double phases(int iterations)
{
	return maximum(sum(iterations), iterations);
}

/* Something new between two times of the same loop, then two other loops. */
static double again(int iterations)
{
	double value = sum(iterations), other = 0;

	MPI_Scan(&value, &other, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	value = maximum(value + sum(iterations), iterations);
	for (int i = 0; i < iterations; i++) {
		work(300);
		MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 3, &other, 1, MPI_DOUBLE, left, 3,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Bcast(&other, 1, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
		value += other / 4;
	}
	return value;
}

/* Rank 1 ends in the middle. */
static double die(int iterations)
{
	double value = rank;

	for (int i = 0; i < iterations; i++) {
		value = halo(value);
		if (i == iterations / 2 && rank == 1)
			_exit(3);
	}
	return value;
}

/* A loop that is other for each iteration. */
static double irregular(int iterations)
{
	static char bytes[1 << 16];

	for (int i = 0; i < iterations; i++) {
		work(300);
		MPI_Bcast(bytes, i, MPI_BYTE, i % size, MPI_COMM_WORLD);
	}
	return 0;
}

static const struct {
	const char *name;
	double (*run)(int iterations);
} kinds[] = {{"sum", sum},	 {"ring", ring},   {"chain", chain},   {"overlap", overlap},
	     {"absent", absent}, {"early", early}, {"master", master}, {"threads", threads},
	     {"phases", phases}, {"again", again}, {"die", die},       {"irregular", irregular}};

int main(int argc, char **argv)
{
	double value = 0, total;
	int level;

	if (argc != 3)
		return 2;
	MPI_Init_thread(&argc, &argv,
			strcmp(argv[1], "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
			&level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (!strcmp(argv[1], kinds[k].name))
			value = kinds[k].run(atoi(argv[2]));
	MPI_Reduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.9g\n", total);
	MPI_Finalize();
	return 0;
}
