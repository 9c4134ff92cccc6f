/* MPI_Allreduce. */
#include "schedgen/coll_algorithms.h"

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.5.  MPICH's choice for short messages.
 */
int coll_allreduce_recursive_doubling(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);

	coll_vector(run, 1);
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	TRY(coll_fold_doubling(run, &fold, coll_all(run, 0)));
	return coll_fold_out(run, &fold, coll_all(run, 0));
}

/* Likewise, Rabenseifner's algorithm.  MPICH's choice for long messages. */
int coll_allreduce_rabenseifner(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);
	uint32_t mask, peer, piece, other, count = 1;

	coll_vector(run, fold.power);
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	TRY(coll_fold_reduce_scatter(run, &fold, &piece));
	for (mask = fold.power / 2; fold.works && mask; mask /= 2, count *= 2) {
		peer = coll_fold_rank(run, &fold, fold.index ^ mask);
		other = fold.index & mask ? piece - count : piece + count;
		TRY(coll_send(run, peer, coll_range(0, piece, count)));
		TRY(coll_recv(run, peer, coll_range(0, other, count), COLL_STORE));
		TRY(coll_round_end(run));
		piece = piece < other ? piece : other;
	}
	return coll_fold_out(run, &fold, coll_all(run, 0));
}

/*
 * P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
 * of workstations", J. Parallel and Distributed Computing 69 (2009).  Open MPI
 * (tuned, "ring"), NCCL.
 */
int coll_allreduce_ring(struct coll_run *run)
{
	coll_vector(run, run->size);
	TRY(coll_ring_reduce_scatter(run, run->rank));
	return coll_ring_allgather(run, coll_after(run, 1));
}

/* Open MPI (basic, "nonoverlapping"): reduce to rank 0, then bcast, both binomial. */
int coll_allreduce_reduce_bcast(struct coll_run *run)
{
	run->root = 0;
	coll_vector(run, 1);
	TRY(coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE));
	return coll_binomial_down(run, COLL_VECTOR);
}
