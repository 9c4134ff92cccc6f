/*
 * Exchange of a cube's surface with 26 neighbours, and the time step of all ranks: the messages of a Lagrangian
 * hydrodynamics code on hexahedra, without its physics.
 *
 *	mpiexec -n N^3 cubes SIZE STEPS
 *
 * The ranks are a cube of N^3.  Each has SIZE^3 nodes and shares those on its surface with neighbours.  In each step, ranks
 * find the smallest time step (MPI_Allreduce of 8 bytes), and every node sums the contributions of the ranks that share it:
 * messages of a face, an edge or a corner, all posted before any is awaited.  Contributions are the time step, so that
 * the sum must be a power of 2 of it.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEIGHBOURS = 27 };

struct cube {
	int size, ranks; /* nodes and ranks along an edge */
	int place[3];	 /* of this rank among the ranks */
	double *nodes;
	double *in[NEIGHBOURS], *out[NEIGHBOURS]; /* NULL: no neighbour */
};

/* Direction of a neighbour: -1, 0 or 1 in each dimension. */
static void direction(int neighbour, int step[3])
{
	step[0] = neighbour % 3 - 1;
	step[1] = neighbour / 3 % 3 - 1;
	step[2] = neighbour / 9 - 1;
}

/* Rank of a neighbour, or -1. */
static int neighbour_rank(const struct cube *cube, int neighbour)
{
	int step[3], rank = 0;

	direction(neighbour, step);
	for (int i = 2; i >= 0; i--) {
		const int place = cube->place[i] + step[i];

		if (place < 0 || place >= cube->ranks)
			return -1;
		rank = rank * cube->ranks + place;
	}
	return rank;
}

/* First node and number of nodes, in each dimension, of what is shared with a neighbour; returns how many. */
static int shared(const struct cube *cube, int neighbour, int first[3], int count[3])
{
	int step[3];

	direction(neighbour, step);
	for (int i = 0; i < 3; i++) {
		first[i] = step[i] > 0 ? cube->size - 1 : 0;
		count[i] = step[i] ? 1 : cube->size;
	}
	return count[0] * count[1] * count[2];
}

/* Copy shared nodes to a message (add is 0), or add a message to them. */
static void transfer(struct cube *cube, int neighbour, double *message, int add)
{
	int first[3], count[3];

	shared(cube, neighbour, first, count);
	for (int z = first[2]; z < first[2] + count[2]; z++)
		for (int y = first[1]; y < first[1] + count[1]; y++)
			for (int x = first[0]; x < first[0] + count[0]; x++) {
				double *node = &cube->nodes[(z * cube->size + y) * cube->size + x];

				if (add)
					*node += *message++;
				else
					*message++ = *node;
			}
}

static void exchange(struct cube *cube)
{
	MPI_Request requests[2 * NEIGHBOURS];
	int first[3], count[3], posted = 0;

	for (int i = 0; i < NEIGHBOURS; i++)
		if (cube->in[i])
			MPI_Irecv(cube->in[i], shared(cube, i, first, count), MPI_DOUBLE,
				  neighbour_rank(cube, i), 0, MPI_COMM_WORLD, &requests[posted++]);
	for (int i = 0; i < NEIGHBOURS; i++) {
		if (!cube->out[i])
			continue;
		transfer(cube, i, cube->out[i], 0);
		MPI_Isend(cube->out[i], shared(cube, i, first, count), MPI_DOUBLE,
			  neighbour_rank(cube, i), 0, MPI_COMM_WORLD, &requests[posted++]);
	}
	MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < NEIGHBOURS; i++)
		if (cube->in[i])
			transfer(cube, i, cube->in[i], 1);
}

/* Whether a coordinate is on a side that is shared with another rank. */
static int is_shared(const struct cube *cube, int dimension, int coordinate)
{
	return (coordinate == 0 && cube->place[dimension] > 0) ||
	       (coordinate == cube->size - 1 && cube->place[dimension] < cube->ranks - 1);
}

static int is_correct(const struct cube *cube, double contribution)
{
	for (int i = 0; i < cube->size * cube->size * cube->size; i++) {
		const int sides = is_shared(cube, 0, i % cube->size) +
				  is_shared(cube, 1, i / cube->size % cube->size) +
				  is_shared(cube, 2, i / cube->size / cube->size);

		if (cube->nodes[i] != contribution * (1 << sides))
			return 0;
	}
	return 1;
}

static void cube_init(struct cube *cube, int rank, int ranks, int size)
{
	const int nodes = size * size * size;

	*cube = (struct cube){.size = size, .ranks = (int)lround(cbrt(ranks))};
	for (int i = 0; i < 3; i++, rank /= cube->ranks)
		cube->place[i] = rank % cube->ranks;
	cube->nodes = malloc(nodes * sizeof *cube->nodes);
	for (int i = 0; i < NEIGHBOURS; i++) {
		if (i == NEIGHBOURS / 2 || neighbour_rank(cube, i) < 0)
			continue;
		cube->in[i] = malloc(nodes * sizeof **cube->in);
		cube->out[i] = malloc(nodes * sizeof **cube->out);
	}
}

static void cube_free(struct cube *cube)
{
	for (int i = 0; i < NEIGHBOURS; i++) {
		free(cube->in[i]);
		free(cube->out[i]);
	}
	free(cube->nodes);
}

int main(int argc, char **argv)
{
	struct cube cube;
	int rank, ranks, correct = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	cube_init(&cube, rank, ranks, argc == 3 ? atoi(argv[1]) : 0);
	if (cube.size < 2 || cube.ranks * cube.ranks * cube.ranks != ranks) {
		fprintf(stderr, "usage: cubes SIZE STEPS; on 8, 27, 64 ... ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int step = 0; step < atoi(argv[2]); step++) {
		const double mine = step + 1 + rank;
		double smallest;

		MPI_Allreduce(&mine, &smallest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
		for (int i = 0; i < cube.size * cube.size * cube.size; i++)
			cube.nodes[i] = smallest;
		exchange(&cube);
		correct &= smallest == step + 1 && is_correct(&cube, smallest);
	}
	cube_free(&cube);
	MPI_Finalize();
	return !correct;
}
