/* MPI_Reduce. */
#include "schedgen/collectives/coll_algorithms.h"

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.5.  MPICH's choice for short messages.
 */
int coll_reduce_binomial(struct coll_run *run)
{
	coll_vector(run, 1);
	return coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE);
}

/*
 * Rabenseifner's algorithm: reduce-scatter, then a binomial gather to the
 * root along the way back.  Pairs are the first ranks, whatever the root.  A root that does not
 * work takes the place and the piece of the first one.
 */
static int scatter_gather(struct coll_run *run,
			  int (*fold_in)(struct coll_run *, const struct coll_fold *,
					 struct coll_slots))
{
	struct coll_fold fold = coll_fold(run, 0, true);
	const bool replaces = run->root < 2 * fold.rest && run->root % 2;
	const uint32_t root = replaces ? 0 : run->root < 2 * fold.rest ? run->root / 2 :
								 run->root - fold.rest;
	uint32_t mask, peer, piece, other, count = 1;

	coll_vector(run, fold.power);
	TRY(fold_in(run, &fold, coll_all(run, 0)));
	TRY(coll_fold_reduce_scatter(run, &fold, &piece));
	if (replaces && run->rank == 0) {
		TRY(coll_send(run, run->root, coll_slot(0, 0)));
		return coll_round_end(run);
	}
	if (replaces && run->rank == run->root) {
		fold.works = true;
		fold.index = 0;
		TRY(coll_recv(run, 0, coll_slot(0, 0), COLL_STORE));
		TRY(coll_round_end(run));
	}
	for (mask = fold.power / 2; fold.works && mask; mask /= 2, count *= 2) {
		peer = coll_fold_rank(run, &fold, fold.index ^ mask);
		if (replaces && peer == 0)
			peer = run->root;
		if ((fold.index ^ root) & mask) {
			TRY(coll_send(run, peer, coll_range(0, piece, count)));
			return coll_round_end(run);
		}
		other = fold.index & mask ? piece - count : piece + count;
		TRY(coll_recv(run, peer, coll_range(0, other, count), COLL_STORE));
		TRY(coll_round_end(run));
		piece = piece < other ? piece : other;
	}
	return 0;
}

/* MPICH's choice for long messages. */
int coll_reduce_scatter_gather(struct coll_run *run)
{
	return scatter_gather(run, coll_fold_in);
}

/*
 * Rabenseifner 2004 with surplus ranks and their partners combining half of the
 * vector each; Open MPI (tuned, "rabenseifner"; libnbc).
 */
int coll_reduce_scatter_gather_halves(struct coll_run *run)
{
	return scatter_gather(run, coll_fold_in_halves);
}

/* Open MPI (basic, "linear"): the root receives one vector after another, from the last rank on. */
int coll_reduce_linear(struct coll_run *run)
{
	uint32_t i;

	coll_vector(run, 1);
	if (run->rank != run->root) {
		TRY(coll_send(run, run->root, coll_all(run, 0)));
		return coll_round_end(run);
	}
	for (i = run->size; i-- > 0;) {
		if (i == run->root)
			continue;
		TRY(coll_recv(run, i, coll_all(run, 0), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return 0;
}

static int reduce_in_segments(struct coll_run *run, const struct coll_tree *tree)
{
	TRY(coll_segmented_vector(run, 1));
	return coll_pipeline_up(run, tree, coll_all(run, 0));
}

/* The chain of coll_bcast_chain reversed; Open MPI (tuned, "pipeline"). */
int coll_reduce_chain(struct coll_run *run)
{
	const struct coll_tree tree = coll_chain(run);

	return reduce_in_segments(run, &tree);
}

/* Open MPI (tuned, "binary"). */
int coll_reduce_binary(struct coll_run *run)
{
	const struct coll_tree tree = coll_binary_tree(run);

	return reduce_in_segments(run, &tree);
}

/*
 * Open MPI (tuned, "in-order binary"): keeps the order of the ranks.  The result is
 * made on the last rank, which hands it to the root.
 */
int coll_reduce_in_order_binary(struct coll_run *run)
{
	const struct coll_tree tree = coll_in_order_tree(run);

	TRY(reduce_in_segments(run, &tree));
	if (run->root == run->size - 1)
		return 0;
	if (tree.top)
		TRY(coll_send(run, run->root, coll_all(run, 0)));
	else if (run->rank == run->root)
		TRY(coll_recv(run, run->size - 1, coll_all(run, 0), COLL_STORE));
	return coll_round_end(run);
}
