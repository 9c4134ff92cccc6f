/* MPI_Gather(v), MPI_Scatter(v).  Block i is rank i's. */
#include "schedgen/collectives/coll_algorithms.h"

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005); MPICH's only algorithm within one group.  Also
 * for gatherv, where all ranks know all sizes.
 */
int coll_gather_binomial(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	return coll_binomial_up(run, COLL_SUBTREE, COLL_STORE);
}

/* MPICH and Open MPI for gatherv, without empty blocks; Open MPI (basic, "linear") for gather. */
int coll_gather_linear(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->rank == run->root ? run->call->receive_bytes : NULL));
	return coll_linear_up(run, COLL_SUBTREE, COLL_STORE);
}

/* The reverse of coll_gather_binomial. */
int coll_scatter_binomial(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->send_bytes));
	return coll_binomial_down(run, COLL_SUBTREE);
}

/* MPICH and Open MPI for scatterv; Open MPI (basic, "linear") for scatter. */
int coll_scatter_linear(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->rank == run->root ? run->call->send_bytes : NULL));
	return coll_linear_down(run, COLL_SUBTREE);
}

/*
 * Open MPI (tuned, "linear with synchronization"), without segments: the root asks
 * one rank after another for its block, and each ends with an empty message.
 */
int coll_gather_linear_sync(struct coll_run *run)
{
	const struct coll_slots nothing = coll_range(0, 0, 0);
	uint32_t i;

	TRY(coll_blocks(run, 0, NULL));
	if (run->rank != run->root) {
		TRY(coll_recv(run, run->root, nothing, COLL_STORE));
		TRY(coll_round_end(run));
		TRY(coll_send(run, run->root, coll_slot(0, run->rank)));
		TRY(coll_round_end(run));
		TRY(coll_send(run, run->root, nothing));
		return coll_round_end(run);
	}
	for (i = 0; i < run->size; i++) {
		if (i == run->root)
			continue;
		TRY(coll_send(run, i, nothing));
		TRY(coll_recv(run, i, coll_slot(0, i), COLL_STORE));
		TRY(coll_round_end(run));
	}
	for (i = 0; i < run->size; i++) {
		if (i != run->root)
			TRY(coll_recv(run, i, nothing, COLL_STORE));
	}
	return coll_round_end(run);
}
