/* MPI_Allreduce. */
#include "schedgen/collectives/coll_algorithms.h"

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

static int halving_doubling(struct coll_run *run, const struct coll_fold *pairs,
			    int (*fold_in)(struct coll_run *, const struct coll_fold *,
					   struct coll_slots))
{
	const struct coll_fold fold = *pairs;
	uint32_t mask, peer, piece, other, count = 1;

	coll_vector(run, fold.power);
	TRY(fold_in(run, &fold, coll_all(run, 0)));
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

/* Rabenseifner's algorithm.  MPICH's choice for long messages. */
int coll_allreduce_rabenseifner(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);

	return halving_doubling(run, &fold, coll_fold_in);
}

/* As Rabenseifner 2004 has it: the ranks of a pair combine half of the vector each.  Open MPI. */
int coll_allreduce_rabenseifner_halves(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, true);

	return halving_doubling(run, &fold, coll_fold_in_halves);
}

/*
 * P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
 * of workstations", J. Parallel and Distributed Computing 69 (2009).  Open MPI
 * (tuned, "ring"), NCCL.  With segments, as Open MPI's "segmented ring": pieces
 * larger than one are combined segment after segment, each around the whole ring.
 */
int coll_allreduce_ring(struct coll_run *run)
{
	const uint32_t pieces = run->size;

	TRY(coll_segmented_vector(run, pieces));
	for (uint32_t i = 0; i < run->areas[0].pieces; i++)
		TRY(coll_ring_reduce_scatter(run, run->rank, i));
	return coll_ring_allgather(run, coll_after(run, 1));
}

/*
 * A. Bar-Noy, S. Kipnis, B. Schieber, "An optimal algorithm for computing census
 * functions in message-passing systems", Parallel Processing Letters 3 (1993): by
 * dissemination, for any P, with each contribution counted once.  A rank holds the combined
 * contributions of the `others` ranks after it, without and with its own.  A round adds the next
 * `others` ranks, or one more.  `others` thus runs through the leading bits of P - 1.
 */
int coll_allreduce_dissemination(struct coll_run *run)
{
	enum { WITH_OWN, OTHERS, RECEIVED };
	uint32_t others = 0, distance;

	coll_vector(run, 1);
	coll_area_like(run, OTHERS, WITH_OWN);
	coll_area_like(run, RECEIVED, WITH_OWN);
	for (int bit = 31; bit >= 0; bit--) {
		const bool one_more = (run->size - 1) >> bit & 1;
		const bool last = bit == 0;

		distance = others + one_more;
		if (!distance)
			continue;
		TRY(coll_send(run, coll_before(run, distance),
			      coll_all(run, one_more ? WITH_OWN : OTHERS)));
		TRY(coll_recv(run, coll_after(run, distance), coll_all(run, RECEIVED), COLL_STORE));
		if (!last)
			TRY(coll_copy(run, coll_all(run, OTHERS), coll_all(run, RECEIVED),
				      others ? COLL_COMBINE : COLL_STORE));
		TRY(coll_copy(run, coll_all(run, WITH_OWN), coll_all(run, RECEIVED), COLL_COMBINE));
		TRY(coll_round_end(run));
		others += distance;
	}
	return 0;
}

/* Open MPI (tuned, "nonoverlapping"; libnbc): reduce to rank 0, then bcast. */
int coll_allreduce_reduce_bcast(struct coll_run *run)
{
	run->root = 0;
	coll_vector(run, 1);
	TRY(coll_reduce_part(run, run->call->parameters.reduce));
	return coll_bcast_part(run, run->call->parameters.bcast);
}
