/*
 * Finite elements and conjugate gradients, with the communication of miniFE.
 *
 *	mpiexec -n 8 fem3d [--size N] [--tolerance EPSILON] [--sleep MICROSECONDS]
 *
 * Laplace's equation on a cube of N x N x N bricks, finer towards one corner.  Recursive bisection
 * divides the inner nodes among the ranks, of any number.  Each rank assembles the rows of its
 * nodes, finds which nodes of other ranks they need, and asks their owners for these.  From then on
 * it has lists of the nodes to send and to receive in each iteration.  An iteration also has two
 * dot products (MPI_Allreduce of 8 bytes).
 *
 * The boundary values are those of a known solution, which is linear along each axis, so that the
 * elements represent it exactly.
 */
#include "nodes3d.h"
#include "sleep.h"

#include <math.h>

struct system {
	struct nodes nodes;
	int *columns;			     /* own x 27: local numbers */
	double *values;			     /* own x 27; 0 for a node of the boundary */
	double *residual, *solution, *image; /* own */
	double *direction;		     /* with those of other ranks */
};

static double coordinate(const struct system *system, int index)
{
	return pow((double)index / system->nodes.size, 1.3);
}

static double known(const struct system *system, const int node[3])
{
	double x = coordinate(system, node[0]), y = coordinate(system, node[1]),
	       z = coordinate(system, node[2]);

	return 1 + x + 2 * y + 3 * z + 4 * x * y * z;
}

/*
 * Add what a brick couples its corner `a` with, each of its corners, to a row.  `low` is its corner
 * 0, and bit i of a corner says on which side along axis i it is.  Along an axis, linear functions
 * of two ends have the integrals edge / 3 or edge / 6, those of their slopes +-1 / edge.
 */
static void add_brick(const struct system *system, const int low[3], int a, double row[27])
{
	double edge[3];

	for (int axis = 0; axis < 3; axis++)
		edge[axis] = coordinate(system, low[axis] + 1) - coordinate(system, low[axis]);
	for (int c = 0; c < 8; c++) {
		double mass = 1, ratios = 0;
		int slot = 13, weight = 1;

		for (int axis = 0; axis < 3; axis++, weight *= 3) {
			int same = (a >> axis & 1) == (c >> axis & 1);
			double mean = edge[axis] / (same ? 3 : 6);

			mass *= mean;
			ratios += (same ? 1 : -1) / edge[axis] / mean;
			slot += ((c >> axis & 1) - (a >> axis & 1)) * weight;
		}
		row[slot] += mass * ratios;
	}
}

/* Assemble the row of a node; boundary values go to the right-hand side, the first residual. */
static void assemble(struct system *system, const int node[3])
{
	int row = *number_of(&system->nodes, node);
	double *values = system->values + 27 * (size_t)row;
	int *columns = system->columns + 27 * (size_t)row;

	for (int a = 0; a < 8; a++) {
		int low[3] = {node[0] - (a & 1), node[1] - (a >> 1 & 1), node[2] - (a >> 2)};

		add_brick(system, low, a, values);
	}
	for (int slot = 0; slot < 27; slot++) {
		int other[3] = {node[0] + slot % 3 - 1, node[1] + slot / 3 % 3 - 1,
				node[2] + slot / 9 - 1};

		if (on_boundary(&system->nodes, other)) {
			system->residual[row] -= values[slot] * known(system, other);
			values[slot] = 0;
			columns[slot] = row;
		} else {
			columns[slot] = *number_of(&system->nodes, other);
		}
	}
}

static void system_init(struct system *system, int size, int rank, int ranks)
{
	struct nodes *nodes = &system->nodes;
	int node[3];

	nodes_init(nodes, size, rank, ranks);
	system->columns = zeros(27 * (size_t)nodes->own, sizeof(int));
	system->values = zeros(27 * (size_t)nodes->own, sizeof(double));
	system->residual = zeros(nodes->own, sizeof(double));
	system->solution = zeros(nodes->own, sizeof(double));
	system->image = zeros(nodes->own, sizeof(double));
	system->direction = zeros(nodes->all, sizeof(double));
	for (node[2] = nodes->lo[2]; node[2] < nodes->hi[2]; node[2]++)
		for (node[1] = nodes->lo[1]; node[1] < nodes->hi[1]; node[1]++)
			for (node[0] = nodes->lo[0]; node[0] < nodes->hi[0]; node[0]++)
				assemble(system, node);
}

static void system_release(struct system *system)
{
	nodes_release(&system->nodes);
	free(system->columns);
	free(system->values);
	free(system->residual);
	free(system->solution);
	free(system->image);
	free(system->direction);
}

/* Compute image = matrix times direction. */
static void apply(struct system *system)
{
	nodes_exchange(&system->nodes, system->direction);
	for (int row = 0; row < system->nodes.own; row++) {
		double sum = 0;

		for (size_t i = 27 * (size_t)row; i < 27 * (size_t)(row + 1); i++)
			sum += system->values[i] * system->direction[system->columns[i]];
		system->image[row] = sum;
	}
}

static double over_all_ranks(double value, MPI_Op operation)
{
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	return value;
}

static double dot(const struct system *system, const double *a, const double *b)
{
	double sum = 0;

	for (int i = 0; i < system->nodes.own; i++)
		sum += a[i] * b[i];
	return over_all_ranks(sum, MPI_SUM);
}

/* Solve for the residual, which is the right-hand side; return the number of iterations. */
static int solve(struct system *system, double tolerance, int sleep)
{
	int own = system->nodes.own, iterations = 0;
	double first, square;

	memcpy(system->direction, system->residual, own * sizeof(double));
	first = square = dot(system, system->residual, system->residual);
	while (square > tolerance * tolerance * first && iterations < 10 * system->nodes.size) {
		double step, previous = square;

		sleep_us(sleep);
		apply(system);
		step = square / dot(system, system->direction, system->image);
		for (int i = 0; i < own; i++) {
			system->solution[i] += step * system->direction[i];
			system->residual[i] -= step * system->image[i];
		}
		square = dot(system, system->residual, system->residual);
		for (int i = 0; i < own; i++)
			system->direction[i] = system->residual[i] +
					       square / previous * system->direction[i];
		iterations++;
	}
	return iterations;
}

static double largest_error(const struct system *system)
{
	const struct nodes *nodes = &system->nodes;
	double error = 0;
	int node[3];

	for (node[2] = nodes->lo[2]; node[2] < nodes->hi[2]; node[2]++)
		for (node[1] = nodes->lo[1]; node[1] < nodes->hi[1]; node[1]++)
			for (node[0] = nodes->lo[0]; node[0] < nodes->hi[0]; node[0]++)
				error = fmax(error, fabs(system->solution[*number_of(nodes, node)] -
							 known(system, node)));
	return over_all_ranks(error, MPI_MAX);
}

int main(int argc, char **argv)
{
	struct system system;
	int size = 20, sleep = 0, rank, ranks, iterations, usable = 1;
	double tolerance = 1e-9, error;

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
	if (!usable || size <= ranks || tolerance < 1e-14) {
		if (rank == 0)
			fprintf(stderr, "usage: fem3d [--size N] [--tolerance EPSILON]"
					" [--sleep MICROSECONDS]; N above the number of ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	system_init(&system, size, rank, ranks);
	iterations = solve(&system, tolerance, sleep);
	error = largest_error(&system);
	if (rank == 0)
		printf("fem3d: %d^3 bricks, %d ranks, %d iterations: %s (error %.1e)\n", size,
		       ranks, iterations, error < 1e3 * tolerance ? "correct" : "WRONG", error);
	system_release(&system);
	tally_end();
	MPI_Finalize();
	return error < 1e3 * tolerance ? 0 : 1;
}
