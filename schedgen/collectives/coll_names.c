/* Names of the kinds of collectives: those of MPI, of neighbours and between groups. */
#include "schedgen/collectives/collective.h"

#include <string.h>

const char *coll_name(enum mpi_collective kind)
{
	static const char *const names[] = {
		[COLL_NEIGHBOR_ALLGATHER] = "neighbor_allgather",
		[COLL_NEIGHBOR_ALLGATHERV] = "neighbor_allgatherv",
		[COLL_NEIGHBOR_ALLTOALL] = "neighbor_alltoall",
		[COLL_NEIGHBOR_ALLTOALLV] = "neighbor_alltoallv",
		[COLL_NEIGHBOR_ALLTOALLW] = "neighbor_alltoallw",
		[COLL_INTER_BARRIER] = "inter_barrier",
		[COLL_INTER_BCAST] = "inter_bcast",
		[COLL_INTER_GATHER] = "inter_gather",
		[COLL_INTER_GATHERV] = "inter_gatherv",
		[COLL_INTER_SCATTER] = "inter_scatter",
		[COLL_INTER_SCATTERV] = "inter_scatterv",
		[COLL_INTER_ALLGATHER] = "inter_allgather",
		[COLL_INTER_ALLGATHERV] = "inter_allgatherv",
		[COLL_INTER_ALLTOALL] = "inter_alltoall",
		[COLL_INTER_ALLTOALLV] = "inter_alltoallv",
		[COLL_INTER_ALLTOALLW] = "inter_alltoallw",
		[COLL_INTER_ALLREDUCE] = "inter_allreduce",
		[COLL_INTER_REDUCE] = "inter_reduce",
		[COLL_INTER_REDUCE_SCATTER] = "inter_reduce_scatter",
		[COLL_INTER_REDUCE_SCATTER_BLOCK] = "inter_reduce_scatter_block",
	};

	if ((size_t)kind <= COLL_REDUCE_SCATTER_BLOCK)
		return mpi_collective_name(kind);
	return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

int coll_find_kind(const char *name, size_t length)
{
	static const char prefix[] = "MPI_";
	const size_t skipped = !strncasecmp(name, prefix, strlen(prefix)) ? strlen(prefix) : 0;

	if (length < skipped)
		return -1;
	name += skipped;
	length -= skipped;
	for (int kind = 0; kind < COLL_KINDS; kind++) {
		const char *known = coll_name(kind);

		if (known && strlen(known) == length && !strncasecmp(known, name, length))
			return kind;
	}
	return -1;
}
