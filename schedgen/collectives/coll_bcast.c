/* MPI_Bcast. */
#include "schedgen/collectives/coll_algorithms.h"

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
 * Long-message algorithm of M. Barnett, R. van de Geijn and others
 * with an allgather by recursive doubling.  MPICH, which uses it if P is a power of
 * two, and Open MPI (tuned).
 */
int coll_bcast_scatter_recursive_doubling(struct coll_run *run)
{
	coll_vector(run, run->size);
	TRY(coll_binomial_down(run, COLL_SUBTREE));
	return coll_doubling_allgather(run, run->root);
}

/* The same with a ring; MPICH's choice for long messages.  Piece i is rank i's. */
int coll_bcast_scatter_ring(struct coll_run *run)
{
	coll_vector(run, run->size);
	TRY(coll_binomial_down(run, COLL_SUBTREE));
	return coll_ring_allgather(run, run->rank);
}

/* Open MPI (basic, "linear"): all sends at once. */
int coll_bcast_linear(struct coll_run *run)
{
	coll_vector(run, 1);
	return coll_linear_down(run, COLL_VECTOR);
}

static int bcast_in_segments(struct coll_run *run, const struct coll_tree *tree)
{
	TRY(coll_segmented_vector(run, 1));
	return coll_pipeline_down(run, tree, coll_all(run, 0));
}

/*
 * G. M. Shroff, R. A. van de Geijn, "CollMark: MPI collective communication
 * benchmark", ICS 2000, among others; Open MPI (tuned, "pipeline").
 */
int coll_bcast_chain(struct coll_run *run)
{
	const struct coll_tree tree = coll_chain(run);

	return bcast_in_segments(run, &tree);
}

/* Open MPI (tuned, "binary tree"). */
int coll_bcast_binary(struct coll_run *run)
{
	const struct coll_tree tree = coll_binary_tree(run);

	return bcast_in_segments(run, &tree);
}

/* Open MPI (tuned, "binomial"; libnbc): first to the next rank, then ever farther. */
int coll_bcast_binomial_doubling(struct coll_run *run)
{
	const struct coll_tree tree = coll_doubling_tree(run);

	return bcast_in_segments(run, &tree);
}

/* Open MPI (tuned, "knomial"). */
int coll_bcast_knomial(struct coll_run *run)
{
	const struct coll_tree tree = coll_knomial_tree(run);

	return bcast_in_segments(run, &tree);
}

/*
 * J. Pjesivac-Grbovic and others, "Performance analysis of MPI collective
 * operations", Cluster Computing 10 (2007): half of the vector down each side of a
 * binary tree, then the sides exchange them.  Open MPI (tuned, "split binary
 * tree").  Odd places after the root are left of it.  The last place of an even number of ranks has
 * no partner on the right, and gets the missing half from the root.
 */
int coll_bcast_split_binary(struct coll_run *run)
{
	const uint32_t v = coll_after(run, run->size - run->root), last = run->size - 1;
	const uint32_t partner = v % 2 ? coll_after(run, 1) : coll_before(run, 1);
	struct coll_tree tree = coll_binary_tree(run);
	struct coll_slots halves[2];
	uint32_t pieces;

	TRY(coll_segmented_vector(run, 2));
	pieces = run->areas[0].slot_count / 2;
	halves[0] = coll_range(0, 0, pieces);
	halves[1] = coll_range(0, pieces, pieces);
	if (v) {
		TRY(coll_pipeline_down(run, &tree, halves[v % 2 ? 0 : 1]));
	} else {
		for (uint32_t i = 0; i < pieces; i++) {
			for (uint32_t j = 0; j < tree.child_count; j++)
				TRY(coll_send(run, tree.children[j],
					      coll_slot(0, halves[j].first + i)));
			TRY(coll_round_end(run));
		}
	}
	if (v == 0 && last % 2)
		TRY(coll_send(run, coll_after(run, last), halves[1]));
	else if (v == last && last % 2)
		TRY(coll_recv(run, run->root, halves[1], COLL_STORE));
	else if (v) {
		TRY(coll_send(run, partner, halves[v % 2 ? 0 : 1]));
		TRY(coll_recv(run, partner, halves[v % 2 ? 1 : 0], COLL_STORE));
	}
	return coll_round_end(run);
}
