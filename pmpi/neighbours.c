/* Neighbours of this rank in the topology of a communicator. */
#include "pmpi/comms.h"

#include <stdio.h>
#include <stdlib.h>

void neighbours_free(struct neighbours *neighbours)
{
	if (!neighbours)
		return;
	free(neighbours->sources);
	free(neighbours->destinations);
	free(neighbours->text);
	free(neighbours);
}

static int make_lists(struct neighbours *all, int in, int out, struct error *err)
{
	all->in = in;
	all->out = out;
	TRY(allocate(&all->sources, (size_t)in + 1, sizeof *all->sources, err));
	return allocate(&all->destinations, (size_t)out + 1, sizeof *all->destinations, err);
}

/*
 * The neighbours below and above in each dimension are sources and destinations.  A message sent
 * below comes from above there, also where both are the same rank.
 */
static int load_grid(MPI_Comm handle, struct neighbours *all, struct error *err)
{
	int dimensions = 0;

	PMPI_Cartdim_get(handle, &dimensions);
	TRY(make_lists(all, 2 * dimensions, 2 * dimensions, err));
	all->turn = 1;
	for (int i = 0; i < dimensions; i++)
		PMPI_Cart_shift(handle, i, 1, &all->sources[2 * i], &all->sources[2 * i + 1]);
	memcpy(all->destinations, all->sources, (size_t)all->out * sizeof *all->sources);
	return 0;
}

static int load_graph(MPI_Comm handle, int rank, struct neighbours *all, struct error *err)
{
	int count = 0;

	PMPI_Graph_neighbors_count(handle, rank, &count);
	TRY(make_lists(all, count, count, err));
	PMPI_Graph_neighbors(handle, rank, count, all->sources);
	memcpy(all->destinations, all->sources, (size_t)count * sizeof *all->sources);
	return 0;
}

static int load_distributed_graph(MPI_Comm handle, struct neighbours *all, struct error *err)
{
	int in = 0, out = 0, weighted = 0, *weights;

	PMPI_Dist_graph_neighbors_count(handle, &in, &out, &weighted);
	TRY(make_lists(all, in, out, err));
	TRY(allocate(&weights, (size_t)in + (size_t)out + 1, sizeof *weights, err));
	PMPI_Dist_graph_neighbors(handle, in, all->sources, weighted ? weights : MPI_UNWEIGHTED,
				  out, all->destinations,
				  weighted ? weights + in : MPI_UNWEIGHTED);
	free(weights);
	return 0;
}

static char *print_ranks(char *to, const int *ranks, int count, int turn)
{
	const char *comma = "";

	for (int i = 0; i < count; i++) {
		int other = ranks[i ^ turn];

		if (other == MPI_PROC_NULL)
			continue;
		to += sprintf(to, "%s%d", comma, other);
		comma = ",";
	}
	return to;
}

static int load_topology(const struct comm *comm, struct neighbours *all, struct error *err)
{
	int kind = MPI_UNDEFINED;
	char *to;

	PMPI_Topo_test(comm->handle, &kind);
	if (kind == MPI_CART)
		TRY(load_grid(comm->handle, all, err));
	else if (kind == MPI_GRAPH)
		TRY(load_graph(comm->handle, comm->rank, all, err));
	else if (kind == MPI_DIST_GRAPH)
		TRY(load_distributed_graph(comm->handle, all, err));
	TRY(allocate(&all->text, 12 * ((size_t)all->in + (size_t)all->out) + 2, 1, err));
	to = print_ranks(all->text, all->sources, all->in, all->turn);
	*to++ = ';';
	print_ranks(to, all->destinations, all->out, 0);
	return 0;
}

const struct neighbours *comm_neighbours(struct comm *comm)
{
	struct neighbours *all;
	struct error err;

	if (comm->neighbours)
		return comm->neighbours;
	if (allocate(&all, 1, sizeof *all, &err) < 0) {
		process_fail(&err);
		return NULL;
	}
	if (load_topology(comm, all, &err) < 0) {
		process_fail(&err);
		neighbours_free(all);
		return NULL;
	}
	return comm->neighbours = all;
}
