/*
 * Sound waves in a box, with the communication of an explicit hydrodynamics code such as LULESH.
 *
 *	mpiexec -n 8 hydro3d [--size N] [--iterations K] [--sleep MICROSECONDS]
 *
 * Each rank has a cube of N x N x N cells with pressures; velocities are at the nodes, the corners
 * of cells.  A step has two exchanges with up to 26 neighbours, across faces, edges and corners:
 * nodes on the surface of a cube get the sum of the forces that all adjacent ranks find, and cells
 * the changes of density around them, which are smoothed over 27 cells.  The length of each step
 * follows from the largest velocity of all ranks (MPI_Allreduce of 8 bytes).
 *
 * A standing wave remains one: at each step every pressure must be the wave's amplitude, which a
 * recurrence of four numbers gives, times a product of cosines.
 */
#include "halo3d.h"
#include "sleep.h"

#include <math.h>

#define PI 3.14159265358979323846

struct domain {
	struct box box;
	int n;			  /* cells along an edge of the cube; their edge is 1 */
	double *pressure;	  /* n^3 */
	double *change;		  /* (n + 2)^3, with a halo: velocities' divergence */
	double *force, *velocity; /* (n + 1)^3 x 3 */
	double step;
	struct halo forces, changes;
	double wave[3], gain[3], smoothing; /* wave numbers; factors of difference, mean */
	double amplitude, speed[3];	    /* of the known wave: pressure, velocities */
};

/* The wave at the middle of a cell, for the amplitude 1. */
static double shape(const struct domain *domain, int x, int y, int z)
{
	const int *at = domain->box.at, n = domain->n;
	const double *wave = domain->wave;

	return cos(wave[0] * (at[0] * n + x + 0.5)) * cos(wave[1] * (at[1] * n + y + 0.5)) *
	       cos(wave[2] * (at[2] * n + z + 0.5));
}

static void domain_init(struct domain *domain, int n, int rank, int ranks)
{
	double mean[3];

	memset(domain, 0, sizeof *domain);
	box_init(&domain->box, rank, ranks);
	domain->n = n;
	domain->pressure = zeros((size_t)n * n * n);
	domain->change = zeros((size_t)(n + 2) * (n + 2) * (n + 2));
	domain->force = zeros((size_t)(n + 1) * (n + 1) * (n + 1) * 3);
	domain->velocity = zeros((size_t)(n + 1) * (n + 1) * (n + 1) * 3);
	halo_init(&domain->forces, &domain->box, n + 1, 3, 1);
	halo_init(&domain->changes, &domain->box, n + 2, 1, 0);

	for (int axis = 0; axis < 3; axis++) {
		domain->wave[axis] = PI / (n * domain->box.ranks[axis]);
		mean[axis] = cos(domain->wave[axis] / 2);
	}
	for (int axis = 0; axis < 3; axis++)
		domain->gain[axis] = 2 * sin(domain->wave[axis] / 2) * mean[(axis + 1) % 3] *
				     mean[(axis + 2) % 3];
	domain->smoothing = pow(mean[0] * mean[1] * mean[2], 2);
	domain->amplitude = 1;
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				domain->pressure[point(domain->n, x, y, z)] = shape(domain, x, y,
										    z);
}

static void domain_release(struct domain *domain)
{
	halo_release(&domain->forces);
	halo_release(&domain->changes);
	free(domain->pressure);
	free(domain->change);
	free(domain->force);
	free(domain->velocity);
}

/* Are the points with an index along an axis on a wall of the whole box? */
static int on_wall(const struct domain *domain, int axis, int index, int last)
{
	return (index == 0 && domain->box.at[axis] == 0) ||
	       (index == last && domain->box.at[axis] == domain->box.ranks[axis] - 1);
}

/* Every cell pushes its eight nodes away; nodes on the surface get the forces of all ranks. */
static void find_forces(struct domain *domain)
{
	int n = domain->n;

	memset(domain->force, 0, (size_t)(n + 1) * (n + 1) * (n + 1) * 3 * sizeof(double));
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				double push = domain->pressure[point(domain->n, x, y, z)] / 4;

				for (int c = 0; c < 8; c++) {
					int up[3] = {c & 1, c >> 1 & 1, c >> 2};
					double *force = domain->force +
							3 * point(domain->n + 1, x + up[0],
								  y + up[1], z + up[2]);

					for (int axis = 0; axis < 3; axis++)
						force[axis] += up[axis] ? push : -push;
				}
			}
	halo_exchange(&domain->forces, domain->force);
}

/* Change velocities; return the largest one.  Walls reflect waves. */
static double accelerate(struct domain *domain)
{
	double largest = 0;
	int n = domain->n;

	for (int z = 0; z <= n; z++)
		for (int y = 0; y <= n; y++)
			for (int x = 0; x <= n; x++) {
				size_t i = 3 * point(domain->n + 1, x, y, z);
				int wall[3] = {on_wall(domain, 0, x, n), on_wall(domain, 1, y, n),
					       on_wall(domain, 2, z, n)};
				int images = (1 + wall[0]) * (1 + wall[1]) * (1 + wall[2]);

				for (int axis = 0; axis < 3; axis++) {
					double *velocity = &domain->velocity[i + axis];

					if (!wall[axis])
						*velocity += domain->step * images *
							     domain->force[i + axis];
					largest = fmax(largest, fabs(*velocity));
				}
			}
	return largest;
}

static double divergence(const struct domain *domain, int x, int y, int z)
{
	double sum = 0;

	for (int c = 0; c < 8; c++) {
		int up[3] = {c & 1, c >> 1 & 1, c >> 2};
		const double *velocity = domain->velocity +
					 3 * point(domain->n + 1, x + up[0], y + up[1], z + up[2]);

		for (int axis = 0; axis < 3; axis++)
			sum += up[axis] ? velocity[axis] : -velocity[axis];
	}
	return sum / 4;
}

/* Fill the halo where it lies beyond a wall: axis by axis, so that edges and corners follow. */
static void reflect(struct domain *domain)
{
	int side = domain->n + 2, stride[3] = {1, side, side * side};

	for (int axis = 0; axis < 3; axis++)
		for (int end = 0; end < side; end += side - 1) {
			int inwards = end ? -stride[axis] : stride[axis];

			if (!on_wall(domain, axis, end, side - 1))
				continue;
			for (int a = 0; a < side; a++)
				for (int b = 0; b < side; b++) {
					double *halo = domain->change + end * stride[axis] +
						       a * stride[(axis + 1) % 3] +
						       b * stride[(axis + 2) % 3];

					*halo = halo[inwards];
				}
		}
}

/* Change pressures by the smoothed divergence. */
static void compress(struct domain *domain)
{
	int n = domain->n;

	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				domain->change[point(domain->n + 2, x + 1, y + 1, z + 1)] =
					divergence(domain, x, y, z);
	halo_exchange(&domain->changes, domain->change);
	reflect(domain);
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				double sum = 0;

				for (int i = 0; i < 27; i++)
					sum += (2 - abs(along(i, 0))) * (2 - abs(along(i, 1))) *
					       (2 - abs(along(i, 2))) *
					       domain->change[point(
						       domain->n + 2, x + 1 + along(i, 0),
						       y + 1 + along(i, 1), z + 1 + along(i, 2))];
				domain->pressure[point(domain->n, x, y, z)] -= domain->step * sum /
									       64;
			}
}

/* Advance the known standing wave by a step. */
static void advance_wave(struct domain *domain)
{
	double change = 0;

	for (int axis = 0; axis < 3; axis++) {
		domain->speed[axis] += domain->step * domain->gain[axis] * domain->amplitude;
		change += domain->gain[axis] * domain->speed[axis];
	}
	domain->amplitude -= domain->step * domain->smoothing * change;
}

static double over_all_ranks(double value, MPI_Op operation)
{
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	return value;
}

static double largest_error(const struct domain *domain)
{
	double error = 0;

	for (int z = 0; z < domain->n; z++)
		for (int y = 0; y < domain->n; y++)
			for (int x = 0; x < domain->n; x++)
				error = fmax(error,
					     fabs(domain->pressure[point(domain->n, x, y, z)] -
						  domain->amplitude * shape(domain, x, y, z)));
	return over_all_ranks(error, MPI_MAX);
}

int main(int argc, char **argv)
{
	struct domain domain;
	int size = 12, iterations = 50, sleep = 0, rank, ranks, usable = 1;
	double largest = 0, error;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		int *setting = !strcmp(argv[i], "--size")	  ? &size
			       : !strcmp(argv[i], "--iterations") ? &iterations
			       : !strcmp(argv[i], "--sleep")	  ? &sleep
								  : NULL;

		usable = usable && setting && sscanf(value, "%d", setting) == 1;
	}
	if (!usable || size < 2 || iterations < 0) {
		if (rank == 0)
			fprintf(stderr, "usage: hydro3d [--size N] [--iterations K]"
					" [--sleep MICROSECONDS]; N at least 2\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	domain_init(&domain, size, rank, ranks);
	for (int k = 0; k < iterations; k++) {
		domain.step = over_all_ranks(0.3 / (1 + largest), MPI_MIN);
		find_forces(&domain);
		sleep_us(sleep);
		largest = accelerate(&domain);
		compress(&domain);
		advance_wave(&domain);
	}
	error = largest_error(&domain);
	if (rank == 0)
		printf("hydro3d: %d x %d x %d ranks of %d^3 cells, %d steps,"
		       " amplitude %.3f: %s (error %.1e)\n",
		       domain.box.ranks[0], domain.box.ranks[1], domain.box.ranks[2], size,
		       iterations, domain.amplitude, error < 1e-12 ? "correct" : "WRONG", error);
	domain_release(&domain);
	tally_end();
	MPI_Finalize();
	return error < 1e-12 ? 0 : 1;
}
