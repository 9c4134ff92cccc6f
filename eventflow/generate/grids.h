/*
 * Grids and graphs of ranks that the calls of a run make.  A trace has neither dimensions nor
 * edges: they are found from what it has of their use.
 *
 * MPI_Cart_create makes a grid, MPI_Cart_sub parts of it.  A shape fits if it gives each rank the
 * neighbours that its neighbourhood collectives have, and each part the members that it has, in
 * their order.  Of several shapes that fit, any gives the same calls: it is one of fewest dimensions.
 *
 * MPI_Graph_create has the edges of all ranks as arguments.  Each rank's neighbourhood collectives
 * tell its own.  A rank that calls none may have any, so it has none.
 */
#ifndef EVENTFLOW_GRIDS_H
#define EVENTFLOW_GRIDS_H

#include "common/number_map.h"
#include "trace/flow/flow.h"

enum { GRID_DIMENSIONS = 4 };

enum grid_kind { GRID_WHOLE, GRID_PART, GRID_GRAPH };

struct grid_shape {
	int count; /* of dimensions */
	uint32_t sizes[GRID_DIMENSIONS];
	bool periodic[GRID_DIMENSIONS];
};

/* What a rank got from a call; made: id of the communicator, or NO_COMM. */
struct grid_member {
	uint32_t rank, place, made; /* place: in the communicator over which the call is made */
};

/* A call of MPI_Cart_create, MPI_Cart_sub or MPI_Graph_create, of all its ranks. */
struct grid_call {
	uint32_t parent; /* id of the communicator over which it is made */
	enum grid_kind kind;
	bool reordered;		 /* the ranks are not those of the parent in their order */
	struct grid_shape shape; /* that it makes, of grids */
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
	struct number_map makers; /* communicators that are grids: index of the call */
};

/* Find all grids of a run.  STATUS_LIMIT if no shape fits one.  Release also after an error. */
int grids_find(struct grids *grids, const struct flow *flow, struct error *err);

/* The n-th such call on a communicator, from 0; NULL if there is none. */
const struct grid_call *grids_call(const struct grids *grids, uint32_t parent, uint32_t number);

/* Communicator that a call has made, or NO_COMM if no rank got one. */
uint32_t grids_made(const struct grid_call *call);

/* A growable array of ints (common/array.h). */
struct grid_numbers {
	int32_t *items;
	size_t count, capacity;
};

/* Append the ranks of a list in the neighbours of a collective, and go to the next list. */
int grids_read_ranks(const char **text, struct grid_numbers *ranks, struct error *err);

/*
 * Arguments of MPI_Graph_create: `index` has for each place the number of edges up to it, `edges`
 * the neighbours of all places.  The caller releases both, also after an error.
 */
int grids_edges(const struct grids *grids, const struct flow *flow, const struct grid_call *call,
		struct grid_numbers *index, struct grid_numbers *edges, struct error *err);

/* The shape of a communicator that is a grid, else NULL. */
const struct grid_shape *grids_shape(const struct grids *grids, uint32_t comm);

/* Whether a place in a grid has a neighbour in a dimension, below or above it. */
bool grid_has_neighbour(const struct grid_shape *shape, uint32_t place, int dimension, bool above);

/* Whether the ranks of a communicator are the first ones of another one, in their order. */
bool grids_keep_order(const struct flow *flow, uint32_t parent, uint32_t made);

void grids_release(struct grids *grids);

#endif
