/* MPI_Barrier: messages without bytes.  The "data" is the set of ranks that have entered. */
#include "schedgen/collectives/coll_algorithms.h"

/*
 * D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier
 * synchronization", Int. J. Parallel Programming 17 (1988).  MPICH's default.
 */
int coll_barrier_dissemination(struct coll_run *run)
{
	uint32_t distance;

	coll_vector(run, 1);
	for (distance = 1; distance < run->size; distance <<= 1) {
		TRY(coll_send(run, coll_after(run, distance), coll_all(run, 0)));
		TRY(coll_recv(run, coll_before(run, distance), coll_all(run, 0), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return 0;
}

/* Open MPI (tuned, "recursive doubling"), with the same folding of pairs of ranks into one. */
int coll_barrier_recursive_doubling(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);

	coll_vector(run, 1);
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	TRY(coll_fold_doubling(run, &fold, coll_all(run, 0)));
	return coll_fold_out(run, &fold, coll_all(run, 0));
}

/* Open MPI (tuned, "tree"): all ranks report to rank 0, which releases them. */
int coll_barrier_binomial(struct coll_run *run)
{
	run->root = 0;
	coll_vector(run, 1);
	TRY(coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE));
	return coll_binomial_down(run, COLL_VECTOR);
}

/* Open MPI (basic, "linear"). */
int coll_barrier_linear(struct coll_run *run)
{
	run->root = 0;
	coll_vector(run, 1);
	TRY(coll_linear_up(run, COLL_VECTOR, COLL_COMBINE));
	return coll_linear_down(run, COLL_VECTOR);
}
