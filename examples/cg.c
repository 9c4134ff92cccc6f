/*
 * Conjugate gradients for Poisson's equation on a square.
 *
 *	mpiexec -n 8 cg [--size N] [--tolerance EPSILON] [--sleep MICROSECONDS]
 *
 * The N x N points are divided into strips of rows.  Each iteration exchanges
 * one row with the neighbours above and below, by persistent requests, and
 * computes two dot products over all ranks (MPI_Allreduce of 8 bytes).  These wait
 * for every rank, twice per iteration, so the program is sensitive to network
 * latency.
 *
 * The right-hand side is computed from a known solution.  At the end the result
 * is compared with that solution.
 */
#include "sleep.h"
#include "tally.h"

#include <math.h>

struct strip {
	int size;		/* points of a row */
	int first, rows;	/* rows of this rank */
	int above, below;	/* neighbours, or MPI_PROC_NULL */
	MPI_Request halo[4];	/* persistent: rows of `direction` */
	double *direction;	/* (rows + 2) x size, with halo rows; the others rows x size */
	double *image;		/* A times direction */
	double *residual, *solution;
};

static double known(const struct strip *strip, int row, int column)
{
	double x = (column + 1.0) / (strip->size + 1),
	       y = (strip->first + row + 1.0) / (strip->size + 1);

	return x * (1 - x) * exp(y) * (1 - y) * y;
}

static double *rows_of_zeros(const struct strip *strip, int rows)
{
	double *values = calloc((size_t)rows * strip->size, sizeof *values);

	if (!values)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return values;
}

static void strip_init(struct strip *strip, int size, int rank, int ranks)
{
	double *inner;

	strip->size = size;
	strip->rows = size / ranks + (rank < size % ranks);
	strip->first = size / ranks * rank + (rank < size % ranks ? rank : size % ranks);
	strip->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	strip->below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	strip->direction = rows_of_zeros(strip, strip->rows + 2);
	strip->image = rows_of_zeros(strip, strip->rows);
	strip->residual = rows_of_zeros(strip, strip->rows);
	strip->solution = rows_of_zeros(strip, strip->rows);

	inner = strip->direction + size;
	MPI_Recv_init(inner - size, size, MPI_DOUBLE, strip->above, 1, MPI_COMM_WORLD,
		      &strip->halo[0]);
	MPI_Recv_init(inner + (size_t)strip->rows * size, size, MPI_DOUBLE, strip->below, 2,
		      MPI_COMM_WORLD, &strip->halo[1]);
	MPI_Send_init(inner, size, MPI_DOUBLE, strip->above, 2, MPI_COMM_WORLD, &strip->halo[2]);
	MPI_Send_init(inner + (size_t)(strip->rows - 1) * size, size, MPI_DOUBLE, strip->below, 1,
		      MPI_COMM_WORLD, &strip->halo[3]);
}

static void strip_release(struct strip *strip)
{
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&strip->halo[i]);
	free(strip->direction);
	free(strip->image);
	free(strip->residual);
	free(strip->solution);
}

/* Compute image = A direction, with the five-point Laplacian A. */
static void apply(struct strip *strip)
{
	int n = strip->size;
	long bytes = n * (long)sizeof(double);

	MPI_Startall(4, strip->halo);
	MPI_Waitall(4, strip->halo, MPI_STATUSES_IGNORE);
	tally_receive(strip->above, bytes);
	tally_receive(strip->below, bytes);
	tally_send(strip->above, bytes);
	tally_send(strip->below, bytes);

	for (int i = 0; i < strip->rows; i++) {
		const double *here = strip->direction + (size_t)(i + 1) * n;
		double *image = strip->image + (size_t)i * n;

		for (int j = 0; j < n; j++)
			image[j] = 4 * here[j] - here[j - n] - here[j + n] -
				   (j > 0 ? here[j - 1] : 0) - (j < n - 1 ? here[j + 1] : 0);
	}
}

/* Sum or maximum of one value of each rank. */
static double over_all_ranks(double value, MPI_Op operation)
{
	double result;

	MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	return result;
}

static double dot(const struct strip *strip, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < (size_t)strip->rows * strip->size; i++)
		sum += a[i] * b[i];
	return over_all_ranks(sum, MPI_SUM);
}

/* Solve A solution = b for b = A known.  Return the number of iterations. */
static int solve(struct strip *strip, double tolerance, int sleep)
{
	size_t count = (size_t)strip->rows * strip->size;
	double *direction = strip->direction + strip->size;
	double square, first;
	int iterations = 0;

	for (int i = 0; i < strip->rows; i++)
		for (int j = 0; j < strip->size; j++)
			direction[(size_t)i * strip->size + j] = known(strip, i, j);
	apply(strip);
	memcpy(strip->residual, strip->image, count * sizeof(double));
	memcpy(direction, strip->image, count * sizeof(double));
	first = square = dot(strip, strip->residual, strip->residual);

	while (square > tolerance * tolerance * first && iterations < 10 * strip->size) {
		double step, previous = square;

		sleep_us(sleep);
		apply(strip);
		step = square / dot(strip, direction, strip->image);
		for (size_t i = 0; i < count; i++) {
			strip->solution[i] += step * direction[i];
			strip->residual[i] -= step * strip->image[i];
		}
		square = dot(strip, strip->residual, strip->residual);
		for (size_t i = 0; i < count; i++)
			direction[i] = strip->residual[i] + square / previous * direction[i];
		iterations++;
	}
	return iterations;
}

static double largest_error(const struct strip *strip)
{
	double error = 0;

	for (int i = 0; i < strip->rows; i++)
		for (int j = 0; j < strip->size; j++)
			error = fmax(error, fabs(strip->solution[(size_t)i * strip->size + j] -
						 known(strip, i, j)));
	return over_all_ranks(error, MPI_MAX);
}

int main(int argc, char **argv)
{
	struct strip strip;
	int size = 64, sleep = 0, rank, ranks, iterations, usable = 1;
	double tolerance = 1e-6, error;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--size"))
			usable = usable && sscanf(value, "%d", &size) == 1;
		else if (!strcmp(argv[i], "--tolerance"))
			usable = usable && sscanf(value, "%lf", &tolerance) == 1;
		else if (!strcmp(argv[i], "--sleep"))
			usable = usable && sscanf(value, "%d", &sleep) == 1;
		else
			usable = 0;
	}
	if (!usable || size < ranks || tolerance < 1e-14) {
		if (rank == 0)
			fprintf(stderr,
				"usage: cg [--size N] [--tolerance EPSILON]"
				" [--sleep MICROSECONDS]; at least as many rows as ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	strip_init(&strip, size, rank, ranks);
	iterations = solve(&strip, tolerance, sleep);
	error = largest_error(&strip);
	if (rank == 0)
		printf("cg: %d x %d points, %d ranks, %d iterations: %s (error %.1e)\n", size, size,
		       ranks, iterations, error < 1e3 * tolerance ? "correct" : "WRONG", error);
	strip_release(&strip);
	tally_end();
	MPI_Finalize();
	return error < 1e3 * tolerance ? 0 : 1;
}
