/*
 * Jacobi iteration for Laplace's equation on a square, with halo exchange.
 *
 *	mpiexec -n 8 stencil2d [--blocking] [--size N] [--iterations K] [--grid ROWSxCOLUMNS]
 *		[--sleep MICROSECONDS]
 *
 * The N x N inner points are divided among a grid of ranks.  In each iteration
 * every rank exchanges the edges of its part with up to four neighbours and
 * replaces each point by the mean of its four neighbours; every tenth
 * iteration all ranks compute the largest change (MPI_Allreduce).
 *
 * By default the exchange is non-blocking: all receives and sends are posted,
 * the points that need no halo are computed, and the rest after MPI_Waitall.
 * With --blocking it uses MPI_Send and MPI_Recv: the ranks are coloured like a
 * chessboard, red ranks send first and black ranks receive first, so that
 * there is no deadlock even if no send is buffered.
 *
 * The start, sin(pi x) sin(pi y), is an eigenvector of the iteration with the
 * eigenvalue cos(pi h): after k iterations every point must have its first
 * value times cos(pi h)^k.
 */
#include "sleep.h"
#include "tally.h"

#include <math.h>

#define PI 3.14159265358979323846

enum direction { UP, DOWN, LEFT, RIGHT, DIRECTIONS };

struct part {
	int rows, columns;		/* inner points of this rank */
	int first_row, first_column;	/* their position in the whole square, from 0 */
	int neighbour[DIRECTIONS];	/* rank or MPI_PROC_NULL */
	int red;			/* colour of this rank on the chessboard */
	MPI_Datatype column_type;	/* one column of the part */
	double *now, *next;		/* (rows + 2) x (columns + 2), with halo */
};

struct settings {
	int size, iterations, blocking, sleep;
	int grid[2];	/* ranks per column and per row; 0: choose */
};

static double *point(const struct part *part, double *field, int row, int column)
{
	return field + (size_t)row * (part->columns + 2) + column;
}

/* Divide `size` points into `parts`: the first point and the number of points of part `index`. */
static int share(int size, int parts, int index, int *first)
{
	*first = size / parts * index + (index < size % parts ? index : size % parts);
	return size / parts + (index < size % parts);
}

static void part_init(struct part *part, const struct settings *settings, int rank)
{
	int rows = settings->grid[0], columns = settings->grid[1];
	int row = rank / columns, column = rank % columns;
	double h = 1.0 / (settings->size + 1);
	size_t points;

	part->rows = share(settings->size, rows, row, &part->first_row);
	part->columns = share(settings->size, columns, column, &part->first_column);
	part->neighbour[UP] = row > 0 ? rank - columns : MPI_PROC_NULL;
	part->neighbour[DOWN] = row < rows - 1 ? rank + columns : MPI_PROC_NULL;
	part->neighbour[LEFT] = column > 0 ? rank - 1 : MPI_PROC_NULL;
	part->neighbour[RIGHT] = column < columns - 1 ? rank + 1 : MPI_PROC_NULL;
	part->red = (row + column) % 2 == 0;

	points = (size_t)(part->rows + 2) * (part->columns + 2);
	part->now = calloc(points, sizeof(double));
	part->next = calloc(points, sizeof(double));
	if (!part->now || !part->next)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 1; i <= part->rows; i++)
		for (int j = 1; j <= part->columns; j++)
			*point(part, part->now, i, j) = sin(PI * h * (part->first_row + i)) *
							sin(PI * h * (part->first_column + j));
	MPI_Type_vector(part->rows, 1, part->columns + 2, MPI_DOUBLE, &part->column_type);
	MPI_Type_commit(&part->column_type);
}

static void part_release(struct part *part)
{
	MPI_Type_free(&part->column_type);
	free(part->now);
	free(part->next);
}

/* The exchange with the neighbour in one direction. */
struct edge {
	double *inner, *halo;	/* to send, to receive */
	int count, bytes;
	MPI_Datatype type;
};

static struct edge edge_of(struct part *part, enum direction direction)
{
	struct edge edge;
	int row = direction == DOWN ? part->rows : 1;
	int column = direction == RIGHT ? part->columns : 1;
	int row_step = direction == UP ? -1 : direction == DOWN ? 1 : 0;
	int column_step = direction == LEFT ? -1 : direction == RIGHT ? 1 : 0;
	int along_row = direction == UP || direction == DOWN;

	edge.inner = point(part, part->now, row, column);
	edge.halo = point(part, part->now, row + row_step, column + column_step);
	edge.count = along_row ? part->columns : 1;
	edge.type = along_row ? MPI_DOUBLE : part->column_type;
	edge.bytes = (along_row ? part->columns : part->rows) * (int)sizeof(double);
	return edge;
}

static void tally_exchange(struct part *part)
{
	for (int d = 0; d < DIRECTIONS; d++) {
		struct edge edge = edge_of(part, d);

		tally_send(part->neighbour[d], edge.bytes);
		tally_receive(part->neighbour[d], edge.bytes);
	}
}

static void start_exchange(struct part *part, MPI_Request requests[2 * DIRECTIONS])
{
	for (int d = 0; d < DIRECTIONS; d++) {
		struct edge edge = edge_of(part, d);

		MPI_Irecv(edge.halo, edge.count, edge.type, part->neighbour[d], 0, MPI_COMM_WORLD,
			  &requests[d]);
	}
	for (int d = 0; d < DIRECTIONS; d++) {
		struct edge edge = edge_of(part, d);

		MPI_Isend(edge.inner, edge.count, edge.type, part->neighbour[d], 0, MPI_COMM_WORLD,
			  &requests[DIRECTIONS + d]);
	}
}

static void exchange_blocking(struct part *part)
{
	for (int d = 0; d < DIRECTIONS; d++) {
		/* A red rank's upper edge meets the lower edge of a black one. */
		struct edge edge = edge_of(part, part->red ? d : d ^ 1);
		int peer = part->neighbour[part->red ? d : d ^ 1];

		if (part->red)
			MPI_Send(edge.inner, edge.count, edge.type, peer, 0, MPI_COMM_WORLD);
		MPI_Recv(edge.halo, edge.count, edge.type, peer, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (!part->red)
			MPI_Send(edge.inner, edge.count, edge.type, peer, 0, MPI_COMM_WORLD);
	}
}

/* Compute the points in [row, last_row] x [column, last_column]; return the largest change. */
static double relax(struct part *part, int row, int last_row, int column, int last_column)
{
	double change = 0;

	for (int i = row; i <= last_row; i++) {
		const double *above = point(part, part->now, i - 1, 0);
		const double *here = point(part, part->now, i, 0);
		const double *below = point(part, part->now, i + 1, 0);
		double *next = point(part, part->next, i, 0);

		for (int j = column; j <= last_column; j++) {
			next[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
			change = fmax(change, fabs(next[j] - here[j]));
		}
	}
	return change;
}

/* Compute the points on the rim of the part, which need the halo. */
static double relax_rim(struct part *part)
{
	double change = relax(part, 1, 1, 1, part->columns);

	if (part->rows > 1)
		change = fmax(change, relax(part, part->rows, part->rows, 1, part->columns));
	change = fmax(change, relax(part, 2, part->rows - 1, 1, 1));
	if (part->columns > 1)
		change = fmax(change, relax(part, 2, part->rows - 1, part->columns, part->columns));
	return change;
}

static double iterate(struct part *part, const struct settings *settings)
{
	MPI_Request requests[2 * DIRECTIONS];
	double change, *swap;

	tally_exchange(part);
	if (settings->blocking) {
		exchange_blocking(part);
		sleep_us(settings->sleep);
		change = relax(part, 1, part->rows, 1, part->columns);
	} else {
		start_exchange(part, requests);
		sleep_us(settings->sleep);
		change = relax(part, 2, part->rows - 1, 2, part->columns - 1);
		MPI_Waitall(2 * DIRECTIONS, requests, MPI_STATUSES_IGNORE);
		change = fmax(change, relax_rim(part));
	}
	swap = part->now;
	part->now = part->next;
	part->next = swap;
	return change;
}

static double all_max(double value)
{
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	return value;
}

/* Largest difference from the known result after `iterations` iterations. */
static double error_after(struct part *part, const struct settings *settings)
{
	double h = 1.0 / (settings->size + 1), factor = pow(cos(PI * h), settings->iterations);
	double error = 0;

	for (int i = 1; i <= part->rows; i++)
		for (int j = 1; j <= part->columns; j++)
			error = fmax(error, fabs(*point(part, part->now, i, j) -
						 factor * sin(PI * h * (part->first_row + i)) *
							 sin(PI * h * (part->first_column + j))));
	return error;
}

static int read_settings(struct settings *settings, int argc, char **argv, int ranks)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--blocking"))
			settings->blocking = 1;
		else if (!strcmp(argv[i], "--size") && sscanf(value, "%d", &settings->size) == 1)
			i++;
		else if (!strcmp(argv[i], "--iterations") &&
			 sscanf(value, "%d", &settings->iterations) == 1)
			i++;
		else if (!strcmp(argv[i], "--sleep") && sscanf(value, "%d", &settings->sleep) == 1)
			i++;
		else if (!strcmp(argv[i], "--grid") &&
			 sscanf(value, "%dx%d", &settings->grid[0], &settings->grid[1]) == 2)
			i++;
		else
			return 0;
	}
	if (settings->grid[0] == 0)
		MPI_Dims_create(ranks, 2, settings->grid);
	return settings->iterations >= 0 && settings->grid[0] > 0 && settings->grid[1] > 0 &&
	       settings->grid[0] * settings->grid[1] == ranks &&
	       settings->size >= settings->grid[0] && settings->size >= settings->grid[1];
}

int main(int argc, char **argv)
{
	struct settings settings = {.size = 240, .iterations = 100};
	struct part part;
	double change = 0, error;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!read_settings(&settings, argc, argv, ranks)) {
		if (rank == 0)
			fprintf(stderr, "usage: stencil2d [--blocking] [--size N] [--iterations K]"
					" [--grid ROWSxCOLUMNS] [--sleep MICROSECONDS];"
					" ROWS * COLUMNS ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	part_init(&part, &settings, rank);

	for (int k = 1; k <= settings.iterations; k++) {
		change = iterate(&part, &settings);
		if (k % 10 == 0)
			change = all_max(change);
	}

	error = all_max(error_after(&part, &settings));
	if (rank == 0)
		printf("stencil2d: %d x %d points, %d x %d ranks, %s, %d iterations,"
		       " last change %.3e: %s (error %.1e)\n",
		       settings.size, settings.size, settings.grid[0], settings.grid[1],
		       settings.blocking ? "blocking" : "non-blocking", settings.iterations, change,
		       error < 1e-12 ? "correct" : "WRONG", error);
	part_release(&part);
	tally_end();
	MPI_Finalize();
	return error < 1e-12 ? 0 : 1;
}
