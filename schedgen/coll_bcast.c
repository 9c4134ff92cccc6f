/* MPI_Bcast. */
#include "schedgen/coll_algorithms.h"

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.2.  MPICH's choice for short messages.
 */
int coll_bcast_binomial(struct coll_run *run)
{
	coll_vector(run, 1);
	return coll_binomial_down(run, COLL_VECTOR);
}

/*
 * Likewise; the long-message algorithm of M. Barnett, R. van de Geijn and others
 * with an allgather by recursive doubling.  MPICH uses it if P is a power of two
 * and the ring below if not; so does this function.
 */
int coll_bcast_scatter_recursive_doubling(struct coll_run *run)
{
	if (!coll_is_power_of_two(run->size))
		return coll_bcast_scatter_ring(run);
	coll_vector(run, run->size);
	TRY(coll_binomial_down(run, COLL_SUBTREE));
	return coll_doubling_allgather(run);
}

/* Likewise, with a ring; MPICH's choice for long messages.  Piece i is rank i's. */
int coll_bcast_scatter_ring(struct coll_run *run)
{
	coll_vector(run, run->size);
	TRY(coll_binomial_down(run, COLL_SUBTREE));
	return coll_ring_allgather(run, run->rank);
}

/* Open MPI (tuned, "binary tree") with one segment: v's children are 2 v + 1 and 2 v + 2. */
int coll_bcast_binary(struct coll_run *run)
{
	const uint32_t v = coll_after(run, run->size - run->root);
	uint64_t child;

	coll_vector(run, 1);
	if (v) {
		TRY(coll_recv(run, coll_before(run, v - (v - 1) / 2), coll_all(run, 0),
			      COLL_STORE));
		TRY(coll_round_end(run));
	}
	for (child = 2 * (uint64_t)v + 1; child <= 2 * (uint64_t)v + 2; child++) {
		if (child < run->size)
			TRY(coll_send(run, coll_after(run, (uint32_t)child - v), coll_all(run, 0)));
	}
	return coll_round_end(run);
}

/* Open MPI (basic, "linear"): all sends at once. */
int coll_bcast_linear(struct coll_run *run)
{
	coll_vector(run, 1);
	return coll_linear_down(run, COLL_VECTOR);
}
