/*
 * Grids of ranks that the calls of a run make.  A trace has no dimensions: they are found from what
 * it has of their use.
 *
 * MPI_Cart_create makes a grid, MPI_Cart_sub parts of it.  A shape fits if it gives each rank the
 * neighbours that its neighbourhood collectives have, and each part the members that it has, in
 * their order.  Of several shapes that fit, any gives the same calls: it is one of fewest dimensions.
 */
#ifndef EVENTFLOW_GRIDS_H
#define EVENTFLOW_GRIDS_H

#include "common/number_map.h"
#include "trace/flow/flow.h"

enum { GRID_DIMENSIONS = 4 };

struct grid_shape {
	int count; /* of dimensions */
	uint32_t sizes[GRID_DIMENSIONS];
	bool periodic[GRID_DIMENSIONS];
};

/* What a rank got from a call; made: id of the communicator, or NO_COMM. */
struct grid_member {
	uint32_t rank, place, made; /* place: in the communicator over which the call is made */
};

/* A call of MPI_Cart_create or MPI_Cart_sub, of all its ranks. */
struct grid_call {
	uint32_t parent; /* id of the communicator over which it is made */
	bool sub;
	struct grid_shape shape; /* that it makes */
	unsigned kept;		 /* of MPI_Cart_sub: bit i: dimension i of the grid remains */
	ARRAY(struct grid_member) members;
};

/* Neighbours of a place in a grid, as a collective has them. */
struct grid_neighbours {
	uint32_t comm, place;
	const char *text; /* owned */
};

/* Zero bytes are none. */
struct grids {
	ARRAY(struct grid_call) calls;
	struct number_map by_number; /* parent, number of the call among its calls on it: index */
	ARRAY(struct grid_neighbours) neighbours;
};

/* Find all grids of a run.  STATUS_LIMIT if no shape fits one.  Release also after an error. */
int grids_find(struct grids *grids, const struct flow *flow, struct error *err);

/* The n-th such call on a communicator, from 0; NULL if there is none. */
const struct grid_call *grids_call(const struct grids *grids, uint32_t parent, uint32_t number);

void grids_release(struct grids *grids);

#endif
