/*
 * Cost of cheap MPI calls of one rank, in the fastest of 20 parts of the run: usage_calls CALLS [THREADS|clocks].
 *
 * Prints ns of two readings of the time-stamp counter and of CLOCK_MONOTONIC for "clocks", else per call of MPI_Send to MPI_PROC_NULL, of MPI_Allreduce on MPI_COMM_SELF, of MPI_Isend with its MPI_Wait (a pair
 * counts as one), or of MPI_Send in THREADS threads at once (processor time of a call).
 */
#include "common/machine/ticks.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTS = 20, MOST_THREADS = 64 };

static long calls;

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void send_to_nobody(void)
{
	double value = 1;

	MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void reduce_alone(void)
{
	double value = 1, sum;

	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void start_and_wait(void)
{
	double value = 1;
	MPI_Request request;

	MPI_Isend(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static volatile uint64_t reading;

static void read_twice(void)
{
	reading = ticks_now();
	reading = ticks_now();
}

static double least_ns(void (*call)(void), clockid_t clock)
{
	double least = 1e30;

	for (int part = 0; part < PARTS; part++) {
		const double begin = now(clock);

		for (long i = 0; i < calls / PARTS; i++)
			call();
		if (now(clock) - begin < least)
			least = now(clock) - begin;
	}
	return least / (double)(calls / PARTS);
}

static void *send_in_thread(void *result)
{
	*(double *)result = least_ns(send_to_nobody, CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static double in_threads(int count)
{
	pthread_t threads[MOST_THREADS];
	double results[MOST_THREADS], sum = 0;

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, send_in_thread, &results[i]);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += results[i];
	}
	return sum / count;
}

/* Print the cost of two readings of both clocks, the first one 0 if the kernel does not use the counter. */
static void print_clocks(void)
{
	double counter = 0;

	ticks_choose(TICKS_SOURCE);
	if (ticks_are_cycles)
		counter = least_ns(read_twice, CLOCK_MONOTONIC);
	ticks_are_cycles = false;
	printf("%.1f %.1f\n", counter, least_ns(read_twice, CLOCK_MONOTONIC));
}

int main(int argc, char **argv)
{
	const int threads = argc > 2 ? atoi(argv[2]) : 0;
	int given;

	calls = argc > 1 ? atol(argv[1]) : 1000000;
	if (argc > 2 && strcmp(argv[2], "clocks") == 0) {
		print_clocks();
		return 0;
	}
	if (threads > 0 && threads <= MOST_THREADS)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
	else
		MPI_Init(&argc, &argv);
	if (threads > 0 && threads <= MOST_THREADS)
		printf("%.1f\n", in_threads(threads));
	else
		printf("%.1f %.1f %.1f\n", least_ns(send_to_nobody, CLOCK_MONOTONIC),
		       least_ns(reduce_alone, CLOCK_MONOTONIC),
		       least_ns(start_and_wait, CLOCK_MONOTONIC));
	MPI_Finalize();
	return 0;
}
