/*
 * Conjugate gradients with a multigrid preconditioner, with the communication of HPCG.
 *
 *	mpiexec -n 8 multigrid [--size N] [--tolerance EPSILON] [--sleep MICROSECONDS]
 *
 * Each rank has a cube of N x N x N points.  The operator couples each point with its 26
 * neighbours (26 at the point, -1 at the others).  The preconditioner is a V-cycle on up to four
 * grids, each with half the points of the one above along each axis, as far as N is even; its
 * smoother is a symmetric Gauss-Seidel sweep within each rank.  Each sweep and each
 * product with the operator exchanges a halo with up to 26 neighbours, on each grid: many messages,
 * most of them small.  An iteration also has three dot products (MPI_Allreduce of 8 bytes).
 *
 * The right-hand side is computed from a known solution.  At the end the result is compared with
 * that solution.
 */
#include "halo3d.h"
#include "sleep.h"

#include <math.h>

enum { GRIDS = 4 };

struct grid {
	int n; /* points along an edge of the cube */
	struct halo halo;
	double *solution; /* (n + 2)^3, with a halo that is 0 beyond the walls */
	double *right;	  /* n^3: right-hand side */
	double *image;	  /* n^3: operator times something */
};

struct solver {
	struct box box;
	struct grid grid[GRIDS];
	int grids;
	double *direction, *result; /* on the first grid, as its solution */
	double *residual;	    /* n^3 */
};

static void solver_init(struct solver *solver, int n, int rank, int ranks)
{
	memset(solver, 0, sizeof *solver);
	box_init(&solver->box, rank, ranks);
	solver->direction = zeros((size_t)(n + 2) * (n + 2) * (n + 2));
	solver->result = zeros((size_t)(n + 2) * (n + 2) * (n + 2));
	solver->residual = zeros((size_t)n * n * n);
	do {
		struct grid *grid = &solver->grid[solver->grids++];

		grid->n = n;
		halo_init(&grid->halo, &solver->box, n + 2, 1, 0);
		grid->solution = zeros((size_t)(n + 2) * (n + 2) * (n + 2));
		grid->right = zeros((size_t)n * n * n);
		grid->image = zeros((size_t)n * n * n);
	} while (solver->grids < GRIDS && n % 2 == 0 && (n /= 2) > 1);
}

static void solver_release(struct solver *solver)
{
	for (int i = 0; i < solver->grids; i++) {
		halo_release(&solver->grid[i].halo);
		free(solver->grid[i].solution);
		free(solver->grid[i].right);
		free(solver->grid[i].image);
	}
	free(solver->direction);
	free(solver->result);
	free(solver->residual);
}

/* Sum of a point and its 26 neighbours; `centre` is its place in a field with a halo. */
static double sum_around(const double *centre, int side)
{
	double sum = 0;

	for (int z = -1; z <= 1; z++)
		for (int y = -1; y <= 1; y++) {
			const double *row = centre + (z * side + y) * side;

			sum += row[-1] + row[0] + row[1];
		}
	return sum;
}

/* Compute the grid's image, the operator times a field. */
static void apply(struct grid *grid, double *field)
{
	int n = grid->n;

	halo_exchange(&grid->halo, field);
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				const double *here = field + point(n + 2, x + 1, y + 1, z + 1);

				grid->image[point(n, x, y, z)] = 27 * *here -
								 sum_around(here, n + 2);
			}
}

/* Solve each point's equation for the point, from the first to the last and back. */
static void smooth(struct grid *grid)
{
	int n = grid->n, points = n * n * n;

	halo_exchange(&grid->halo, grid->solution);
	for (int k = 0; k < 2 * points; k++) {
		int i = k < points ? k : 2 * points - 1 - k;
		double *here = grid->solution +
			       point(n + 2, i % n + 1, i / n % n + 1, i / n / n + 1);

		*here = (grid->right[i] + sum_around(here, n + 2) - *here) / 26;
	}
}

/* Run one V-cycle from grid `level` on: improve its solution, which begins as 0. */
static void cycle(struct solver *solver, int level)
{
	struct grid *fine = &solver->grid[level], *coarse = fine + 1;
	int n = fine->n / 2, side = fine->n + 2;

	memset(fine->solution, 0, (size_t)side * side * side * sizeof(double));
	smooth(fine);
	if (level == solver->grids - 1)
		return;
	apply(fine, fine->solution);
	for (int i = 0; i < n * n * n; i++) {
		size_t same = point(fine->n, 2 * (i % n), 2 * (i / n % n), 2 * (i / n / n));

		coarse->right[i] = fine->right[same] - fine->image[same];
	}
	cycle(solver, level + 1);
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				fine->solution[point(side, 2 * x + 1, 2 * y + 1, 2 * z + 1)] +=
					coarse->solution[point(n + 2, x + 1, y + 1, z + 1)];
	smooth(fine);
}

static double over_all_ranks(double value, MPI_Op operation)
{
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	return value;
}

/* Dot product of a field with a halo and one without. */
static double dot(int n, const double *with_halo, const double *without)
{
	double sum = 0;

	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				sum += with_halo[point(n + 2, x + 1, y + 1, z + 1)] *
				       without[point(n, x, y, z)];
	return over_all_ranks(sum, MPI_SUM);
}

/* Square of the residual's length. */
static double square(const struct solver *solver)
{
	int n = solver->grid[0].n;
	double sum = 0;

	for (int i = 0; i < n * n * n; i++)
		sum += solver->residual[i] * solver->residual[i];
	return over_all_ranks(sum, MPI_SUM);
}

/* Add a multiple of the direction to the result, and of its image to the residual. */
static void proceed(struct solver *solver, double step)
{
	int n = solver->grid[0].n, side = n + 2;

	for (int i = 0; i < side * side * side; i++)
		solver->result[i] += step * solver->direction[i];
	for (int i = 0; i < n * n * n; i++)
		solver->residual[i] -= step * solver->grid[0].image[i];
}

/* Solve for the residual, which is the right-hand side; return the number of iterations. */
static int solve(struct solver *solver, double tolerance, int sleep)
{
	struct grid *grid = &solver->grid[0];
	int n = grid->n, side = n + 2, iterations = 0;
	double first = square(solver), left = first, product = 0;

	while (left > tolerance * tolerance * first && iterations < 500) {
		double previous = product;

		memcpy(grid->right, solver->residual, (size_t)n * n * n * sizeof(double));
		cycle(solver, 0);
		product = dot(n, grid->solution, solver->residual);
		for (int i = 0; i < side * side * side; i++)
			solver->direction[i] = grid->solution[i] +
					       (iterations
							? product / previous * solver->direction[i]
							: 0);
		sleep_us(sleep);
		apply(grid, solver->direction);
		proceed(solver, product / dot(n, solver->direction, grid->image));
		left = square(solver);
		iterations++;
	}
	return iterations;
}

static double known(const struct solver *solver, int i)
{
	int n = solver->grid[0].n, at[3] = {i % n, i / n % n, i / n / n};
	double value = 1;

	for (int axis = 0; axis < 3; axis++) {
		double x = (solver->box.at[axis] * n + at[axis] + 1.0) /
			   (solver->box.ranks[axis] * n + 1);

		value *= x * (1 - x) * exp(axis * x);
	}
	return value;
}

/* Set the residual to the operator times the known solution. */
static void set_right_side(struct solver *solver)
{
	struct grid *grid = &solver->grid[0];
	int n = grid->n;

	for (int i = 0; i < n * n * n; i++)
		solver->direction[point(n + 2, i % n + 1, i / n % n + 1, i / n / n + 1)] =
			known(solver, i);
	apply(grid, solver->direction);
	memcpy(solver->residual, grid->image, (size_t)n * n * n * sizeof(double));
}

static double largest_error(const struct solver *solver)
{
	int n = solver->grid[0].n;
	double error = 0;

	for (int i = 0; i < n * n * n; i++)
		error = fmax(
			error,
			fabs(solver->result[point(n + 2, i % n + 1, i / n % n + 1, i / n / n + 1)] -
			     known(solver, i)));
	return over_all_ranks(error, MPI_MAX);
}

int main(int argc, char **argv)
{
	struct solver solver;
	int size = 16, sleep = 0, rank, ranks, iterations, usable = 1;
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
	if (!usable || size < 2 || tolerance < 1e-14) {
		if (rank == 0)
			fprintf(stderr, "usage: multigrid [--size N] [--tolerance EPSILON]"
					" [--sleep MICROSECONDS]; N at least 2\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	solver_init(&solver, size, rank, ranks);
	set_right_side(&solver);
	iterations = solve(&solver, tolerance, sleep);
	error = largest_error(&solver);
	if (rank == 0)
		printf("multigrid: %d x %d x %d ranks of %d^3 points, %d grids,"
		       " %d iterations: %s (error %.1e)\n",
		       solver.box.ranks[0], solver.box.ranks[1], solver.box.ranks[2], size,
		       solver.grids, iterations, error < 1e3 * tolerance ? "correct" : "WRONG",
		       error);
	solver_release(&solver);
	tally_end();
	MPI_Finalize();
	return error < 1e3 * tolerance ? 0 : 1;
}
