/*
 * Loops in the six shapes of Fürlinger's slides on event flow graphs, and more: shapes NUMBER [STEPS [TRIPS [RUNS]]].
 *
 *	1 for i: A		3 for i: (for j: A, B), C	5 for i: A, (for j: B, C), D
 *	2 for i: A, B		4 for i: A, (for j: B, C)	6 for i: A, if even: B, else: C
 *	7 as 3, with TRIPS, TRIPS + 1 and TRIPS + 2 in turns		8 for i: A, each third time: C, B
 *
 * All this happens RUNS times, each time after an MPI_Scan if there are several.
 */
#include <mpi.h>
#include <stdlib.h>

static int in = 1, all[64], out;

static void a(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void b(void) { MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void c(void) { MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_WORLD); }
static void d(void) { MPI_Allgather(&in, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); }

static void between(void) { MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static void inner(void (*first)(void), void (*second)(void), int trips)
{
	for (int trip = 0; trip < trips; trip++) {
		first();
		second();
	}
}

static void step(int shape, int number, int trips)
{
	if (shape == 3 || shape == 7)
		inner(a, b, shape == 7 ? trips + number % 3 : trips);
	else
		a();
	if (shape == 8 && number % 3 == 0)
		c();
	if (shape == 2 || shape == 8)
		b();
	if (shape == 4 || shape == 5)
		inner(b, c, trips);
	if (shape == 3 || shape == 7)
		c();
	if (shape == 5)
		d();
	if (shape == 6)
		(number % 2 ? c : b)();
}

int main(int argc, char **argv)
{
	const int shape = argc > 1 ? atoi(argv[1]) : 1, steps = argc > 2 ? atoi(argv[2]) : 7,
		  trips = argc > 3 ? atoi(argv[3]) : 3, runs = argc > 4 ? atoi(argv[4]) : 1;

	MPI_Init(&argc, &argv);
	for (int run = 0; run < runs; run++) {
		if (runs > 1)
			between();
		for (int number = 0; number < steps; number++)
			step(shape, number, trips);
	}
	MPI_Finalize();
	return 0;
}
