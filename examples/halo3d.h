/*
 * Cubes of points, one on each rank, and the exchange of their surfaces.
 *
 * The ranks form a box, so that a rank has up to 26 neighbours: across the faces, the edges and the
 * corners of its cube.
 */
#ifndef EXAMPLES_HALO3D_H
#define EXAMPLES_HALO3D_H

#include "tally.h"

enum { DIRECTIONS = 27, MYSELF = 13 };

struct box {
	int ranks[3];		   /* along each axis */
	int at[3];		   /* position of this rank */
	int neighbour[DIRECTIONS]; /* rank or MPI_PROC_NULL */
};

/* The exchange of a field with `side` x `side` x `side` points of `components` numbers, x fastest. */
struct halo {
	const struct box *box;
	int side, components;
	int shared; /* neighbours have the outermost points, too: add up; else a halo of copies */
	double *sent[DIRECTIONS], *received[DIRECTIONS];
	MPI_Request requests[2 * DIRECTIONS];
};

/* Component of a direction along an axis: -1, 0 or 1.  The opposite one is 26 - direction. */
static inline int along(int direction, int axis)
{
	return (axis == 0 ? direction : axis == 1 ? direction / 3 : direction / 9) % 3 - 1;
}

static inline void box_init(struct box *box, int rank, int ranks)
{
	memset(box, 0, sizeof *box);
	MPI_Dims_create(ranks, 3, box->ranks);
	box->at[0] = rank % box->ranks[0];
	box->at[1] = rank / box->ranks[0] % box->ranks[1];
	box->at[2] = rank / box->ranks[0] / box->ranks[1];
	for (int d = 0; d < DIRECTIONS; d++) {
		int other = 0, inside = d != MYSELF;

		for (int axis = 2; axis >= 0; axis--) {
			int at = box->at[axis] + along(d, axis);

			inside = inside && at >= 0 && at < box->ranks[axis];
			other = other * box->ranks[axis] + at;
		}
		box->neighbour[d] = inside ? other : MPI_PROC_NULL;
	}
}

/* Index of a point of a field with `side` points along each axis. */
static inline size_t point(int side, int x, int y, int z)
{
	return ((size_t)z * side + y) * side + x;
}

static inline double *zeros(size_t count)
{
	double *values = calloc(count, sizeof *values);

	if (!values)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return values;
}

/* The points towards a direction: first and last index along each axis; return their number. */
static inline int halo_region(const struct halo *halo, int direction, int received, int lo[3],
			      int hi[3])
{
	int inner = halo->shared ? 0 : 1, outer = received ? 0 : inner, points = 1;

	for (int axis = 0; axis < 3; axis++) {
		int d = along(direction, axis);

		lo[axis] = d < 0 ? outer : d > 0 ? halo->side - 1 - outer : inner;
		hi[axis] = d < 0 ? outer : d > 0 ? halo->side - 1 - outer : halo->side - 1 - inner;
		points *= hi[axis] - lo[axis] + 1;
	}
	return points;
}

static inline void halo_init(struct halo *halo, const struct box *box, int side, int components,
			     int shared)
{
	int lo[3], hi[3];

	*halo = (struct halo){box, side, components, shared, {0}, {0}, {0}};
	for (int d = 0; d < DIRECTIONS; d++) {
		size_t count = (size_t)halo_region(halo, d, 0, lo, hi) * components;

		if (box->neighbour[d] == MPI_PROC_NULL)
			continue;
		halo->sent[d] = zeros(count);
		halo->received[d] = zeros(count);
	}
}

static inline void halo_release(struct halo *halo)
{
	for (int d = 0; d < DIRECTIONS; d++) {
		free(halo->sent[d]);
		free(halo->received[d]);
	}
}

/* Copy the points to send into the message, or those of the message to where they belong. */
static inline void halo_copy(struct halo *halo, double *field, int direction, int received)
{
	double *message = received ? halo->received[direction] : halo->sent[direction];
	int lo[3], hi[3];

	halo_region(halo, direction, received, lo, hi);
	for (int z = lo[2]; z <= hi[2]; z++)
		for (int y = lo[1]; y <= hi[1]; y++) {
			double *here = field + point(halo->side, lo[0], y, z) * halo->components;

			for (int i = 0; i < (hi[0] - lo[0] + 1) * halo->components; i++, message++)
				if (!received)
					*message = here[i];
				else if (halo->shared)
					here[i] += *message;
				else
					here[i] = *message;
		}
}

static inline void halo_exchange(struct halo *halo, double *field)
{
	int lo[3], hi[3];

	for (int d = 0; d < DIRECTIONS; d++) {
		int count = halo_region(halo, d, 1, lo, hi) * halo->components;
		int neighbour = halo->box->neighbour[d];

		halo->requests[d] = halo->requests[DIRECTIONS + d] = MPI_REQUEST_NULL;
		if (neighbour == MPI_PROC_NULL)
			continue;
		/* The tag is the direction of the message, so that it is 26 - d for the receiver. */
		MPI_Irecv(halo->received[d], count, MPI_DOUBLE, neighbour, 26 - d, MPI_COMM_WORLD,
			  &halo->requests[d]);
		tally_receive(neighbour, count * (long)sizeof(double));
	}
	for (int d = 0; d < DIRECTIONS; d++) {
		int count = halo_region(halo, d, 0, lo, hi) * halo->components;
		int neighbour = halo->box->neighbour[d];

		if (neighbour == MPI_PROC_NULL)
			continue;
		halo_copy(halo, field, d, 0);
		MPI_Isend(halo->sent[d], count, MPI_DOUBLE, neighbour, d, MPI_COMM_WORLD,
			  &halo->requests[DIRECTIONS + d]);
		tally_send(neighbour, count * (long)sizeof(double));
	}
	MPI_Waitall(2 * DIRECTIONS, halo->requests, MPI_STATUSES_IGNORE);
	for (int d = 0; d < DIRECTIONS; d++)
		if (halo->box->neighbour[d] != MPI_PROC_NULL)
			halo_copy(halo, field, d, 1);
}

#endif
