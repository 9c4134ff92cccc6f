/* Grids of ranks and their parts, as solvers use them: constructs_grids SIZE... with the sizes of a grid, "-" after one that is not periodic. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, STEPS = 12 };

static char out[1 << 12], in[1 << 12];
static int dimensions, sizes[MOST], periodic[MOST];

/* Exchange with the neighbours in each dimension, then by one collective. */
static void exchange(MPI_Comm grid, int step)
{
	for (int d = 0; d < dimensions; d++) {
		int below, above;

		MPI_Cart_shift(grid, d, 1, &below, &above);
		MPI_Sendrecv(out, 16 << d, MPI_BYTE, above, d, in, 16 << d, MPI_BYTE, below, d, grid,
			     MPI_STATUS_IGNORE);
		MPI_Sendrecv(out, 16 << d, MPI_BYTE, below, d, in, 16 << d, MPI_BYTE, above, d, grid,
			     MPI_STATUS_IGNORE);
	}
	MPI_Neighbor_alltoall(out, 24, MPI_BYTE, in, 24, MPI_BYTE, grid);
	if (step % 3 == 0)
		MPI_Neighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, grid);
}

/* Rows, planes and such: all parts in which one dimension is gone, and those with one dimension. */
static void use_parts(MPI_Comm grid)
{
	double value = 1, sum;
	MPI_Comm part;

	for (int only = 0; only < 2; only++)
		for (int d = 0; d < dimensions; d++) {
			int remain[MOST];

			for (int i = 0; i < dimensions; i++)
				remain[i] = only ? i == d : i != d;
			MPI_Cart_sub(grid, remain, &part);
			for (int step = 0; step < STEPS; step++) {
				MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, part);
				MPI_Bcast(out, 100 + d, MPI_BYTE, 0, part);
			}
			if (only)
				MPI_Neighbor_alltoall(out, 4, MPI_BYTE, in, 4, MPI_BYTE, part);
			MPI_Comm_free(&part);
		}
}

/* A part of a part. */
static void use_part_of_part(MPI_Comm grid)
{
	int remain[MOST] = {0, 1, 1, 1}, again[MOST] = {0, 1, 1};
	MPI_Comm plane, row;

	MPI_Cart_sub(grid, remain, &plane);
	MPI_Cart_sub(plane, again, &row);
	for (int step = 0; step < STEPS; step++)
		MPI_Barrier(step % 4 ? row : plane);
	MPI_Comm_free(&row);
	MPI_Comm_free(&plane);
}

int main(int argc, char **argv)
{
	int at[MOST], rank, cells = 1;
	MPI_Comm grid;

	for (; dimensions < MOST && dimensions + 1 < argc; dimensions++) {
		char *end;

		sizes[dimensions] = (int)strtol(argv[dimensions + 1], &end, 10);
		periodic[dimensions] = *end != '-';
		cells *= sizes[dimensions];
	}
	if (!dimensions)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periodic, 0, &grid);
	if (grid != MPI_COMM_NULL) {
		MPI_Comm_rank(grid, &rank);
		MPI_Cart_coords(grid, rank, dimensions, at);
		for (int step = 0; step < STEPS; step++)
			exchange(grid, step);
		use_parts(grid);
		if (dimensions > 2)
			use_part_of_part(grid);
		MPI_Comm_free(&grid);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
