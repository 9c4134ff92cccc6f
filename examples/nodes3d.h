/*
 * The inner nodes of a cube of bricks, divided among any number of ranks, and the exchange of
 * values of nodes by lists: each rank sends what others have asked for, messages of
 * different sizes to a different number of ranks.
 */
#ifndef EXAMPLES_NODES3D_H
#define EXAMPLES_NODES3D_H

#include "tally.h"

/* Nodes that one rank owns and another one needs. */
struct list {
	int count;
	int *nodes;	/* to receive: ids in the whole cube; to send: local numbers */
	double *values; /* to send */
	int first;	/* to receive: local number of the first; the others follow it */
};

struct nodes {
	int size, rank, ranks; /* bricks along each axis; inner nodes are 1 ... size - 1 */
	int lo[3], hi[3];      /* box of this rank: lo <= index < hi */
	int own, all;	       /* number of nodes in it; with those of other ranks around it */
	int *number;	       /* local number of each node in the box and the layer around it:
					   own ones first, x fastest */
	struct list *send, *receive; /* by rank */
	MPI_Request *requests;
};

static inline void *zeros(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return memory;
}

static inline int on_boundary(const struct nodes *nodes, const int node[3])
{
	for (int axis = 0; axis < 3; axis++)
		if (node[axis] == 0 || node[axis] == nodes->size)
			return 1;
	return 0;
}

static inline int id_of(const struct nodes *nodes, const int node[3])
{
	return (node[2] * nodes->size + node[1]) * nodes->size + node[0];
}

/* Local number of a node in the box of this rank or the layer around it. */
static inline int *number_of(const struct nodes *nodes, const int node[3])
{
	size_t place = 0;

	for (int axis = 2; axis >= 0; axis--)
		place = place * (nodes->hi[axis] - nodes->lo[axis] + 2) + node[axis] -
			nodes->lo[axis] + 1;
	return &nodes->number[place];
}

static inline int *number_of_id(const struct nodes *nodes, int id)
{
	int size = nodes->size, node[3] = {id % size, id / size % size, id / size / size};

	return number_of(nodes, node);
}

/*
 * Bisect the inner nodes, along the longest axis and in proportion to the ranks, until one rank
 * is left: the owner of `node`, or `rank` if node is NULL.  Return it and its box.
 */
static inline int bisect(const struct nodes *nodes, const int *node, int rank, int lo[3], int hi[3])
{
	int first = 0, ranks = nodes->ranks;

	for (int axis = 0; axis < 3; axis++) {
		lo[axis] = 1;
		hi[axis] = nodes->size;
	}
	while (ranks > 1) {
		int axis = 0, half = ranks / 2, cut;

		for (int i = 1; i < 3; i++)
			if (hi[i] - lo[i] > hi[axis] - lo[axis])
				axis = i;
		cut = lo[axis] + (hi[axis] - lo[axis]) * half / ranks;
		if (node ? node[axis] < cut : rank < first + half) {
			hi[axis] = cut;
			ranks = half;
		} else {
			lo[axis] = cut;
			first += half;
			ranks -= half;
		}
	}
	return first;
}

/* Number the own nodes, list those around them by owner, and number these, too. */
static inline void nodes_number(struct nodes *nodes)
{
	const int *lo = nodes->lo, *hi = nodes->hi;
	int node[3], unused[2][3];

	for (node[2] = lo[2] - 1; node[2] <= hi[2]; node[2]++)
		for (node[1] = lo[1] - 1; node[1] <= hi[1]; node[1]++)
			for (node[0] = lo[0] - 1; node[0] <= hi[0]; node[0]++) {
				int owner = bisect(nodes, node, 0, unused[0], unused[1]);
				struct list *list = &nodes->receive[owner];

				if (on_boundary(nodes, node))
					continue;
				if (owner == nodes->rank) {
					*number_of(nodes, node) = nodes->own++;
					continue;
				}
				list->nodes = realloc(list->nodes, (list->count + 1) * sizeof(int));
				if (!list->nodes)
					MPI_Abort(MPI_COMM_WORLD, 1);
				list->nodes[list->count++] = id_of(nodes, node);
			}
	nodes->all = nodes->own;
	for (int rank = 0; rank < nodes->ranks; rank++) {
		struct list *list = &nodes->receive[rank];

		list->first = nodes->all;
		for (int i = 0; i < list->count; i++)
			*number_of_id(nodes, list->nodes[i]) = nodes->all++;
	}
}

/* Ask the owners for the nodes that are needed, and learn which ones to send. */
static inline void nodes_ask(struct nodes *nodes)
{
	int *counts = zeros(2 * nodes->ranks, sizeof(int)), active = 0;

	for (int rank = 0; rank < nodes->ranks; rank++)
		counts[rank] = nodes->receive[rank].count;
	MPI_Alltoall(counts, 1, MPI_INT, counts + nodes->ranks, 1, MPI_INT, MPI_COMM_WORLD);
	tally_collective("MPI_Alltoall");
	for (int rank = 0; rank < nodes->ranks; rank++) {
		struct list *list = &nodes->send[rank];

		list->count = counts[nodes->ranks + rank];
		list->nodes = zeros(list->count, sizeof(int));
		list->values = zeros(list->count, sizeof(double));
		if (!list->count)
			continue;
		MPI_Irecv(list->nodes, list->count, MPI_INT, rank, 1, MPI_COMM_WORLD,
			  &nodes->requests[active++]);
		tally_receive(rank, list->count * (long)sizeof(int));
	}
	for (int rank = 0; rank < nodes->ranks; rank++) {
		struct list *list = &nodes->receive[rank];

		if (!list->count)
			continue;
		MPI_Send(list->nodes, list->count, MPI_INT, rank, 1, MPI_COMM_WORLD);
		tally_send(rank, list->count * (long)sizeof(int));
	}
	MPI_Waitall(active, nodes->requests, MPI_STATUSES_IGNORE);
	for (int rank = 0; rank < nodes->ranks; rank++)
		for (int i = 0; i < nodes->send[rank].count; i++) {
			int *node = &nodes->send[rank].nodes[i];

			*node = *number_of_id(nodes, *node);
		}
	free(counts);
}

static inline void nodes_init(struct nodes *nodes, int size, int rank, int ranks)
{
	size_t around = 1;

	*nodes = (struct nodes){.size = size, .rank = rank, .ranks = ranks};
	bisect(nodes, NULL, rank, nodes->lo, nodes->hi);
	for (int axis = 0; axis < 3; axis++)
		around *= nodes->hi[axis] - nodes->lo[axis] + 2;
	nodes->number = zeros(around, sizeof(int));
	nodes->send = zeros(ranks, sizeof *nodes->send);
	nodes->receive = zeros(ranks, sizeof *nodes->receive);
	nodes->requests = zeros(ranks, sizeof(MPI_Request));
	nodes_number(nodes);
	nodes_ask(nodes);
}

static inline void nodes_release(struct nodes *nodes)
{
	for (int rank = 0; rank < nodes->ranks; rank++) {
		free(nodes->send[rank].nodes);
		free(nodes->send[rank].values);
		free(nodes->receive[rank].nodes);
	}
	free(nodes->number);
	free(nodes->send);
	free(nodes->receive);
	free(nodes->requests);
}

/* Send values of own nodes to the ranks that need them, and receive those of other nodes. */
static inline void nodes_exchange(struct nodes *nodes, double *field)
{
	int active = 0;

	for (int rank = 0; rank < nodes->ranks; rank++) {
		struct list *list = &nodes->receive[rank];

		if (!list->count)
			continue;
		MPI_Irecv(field + list->first, list->count, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD,
			  &nodes->requests[active++]);
		tally_receive(rank, list->count * (long)sizeof(double));
	}
	for (int rank = 0; rank < nodes->ranks; rank++) {
		struct list *list = &nodes->send[rank];

		if (!list->count)
			continue;
		for (int i = 0; i < list->count; i++)
			list->values[i] = field[list->nodes[i]];
		MPI_Send(list->values, list->count, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD);
		tally_send(rank, list->count * (long)sizeof(double));
	}
	MPI_Waitall(active, nodes->requests, MPI_STATUSES_IGNORE);
}

#endif
