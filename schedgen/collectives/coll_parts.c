/* Trees of bcast, reduce and scatter as parts of other collectives. */
#include "schedgen/collectives/coll_algorithms.h"

typedef struct coll_tree tree_function(const struct coll_run *run);

/* Send a message along each edge of a tree. */
static int whole_down(struct coll_run *run, tree_function *tree_of)
{
	const struct coll_tree tree = tree_of(run);

	if (!tree.top) {
		TRY(coll_recv(run, tree.parent, coll_all(run, 0), COLL_STORE));
		TRY(coll_round_end(run));
	}
	for (uint32_t i = 0; i < tree.child_count; i++)
		TRY(coll_send(run, tree.children[i], coll_all(run, 0)));
	return coll_round_end(run);
}

static int whole_up(struct coll_run *run, tree_function *tree_of)
{
	const struct coll_tree tree = tree_of(run);

	for (uint32_t i = 0; i < tree.child_count; i++)
		TRY(coll_recv(run, tree.children[i], coll_all(run, 0), COLL_COMBINE));
	TRY(coll_round_end(run));
	if (!tree.top)
		TRY(coll_send(run, tree.parent, coll_all(run, 0)));
	return coll_round_end(run);
}

int coll_bcast_part(struct coll_run *run, const struct coll_algorithm *bcast)
{
	if (bcast && bcast->generate == coll_bcast_linear)
		return coll_linear_down(run, COLL_VECTOR);
	if (bcast && bcast->generate == coll_bcast_binary)
		return whole_down(run, coll_binary_tree);
	if (bcast && bcast->generate == coll_bcast_chain)
		return whole_down(run, coll_chain);
	if (bcast && bcast->generate == coll_bcast_knomial)
		return whole_down(run, coll_knomial_tree);
	if (bcast && bcast->generate == coll_bcast_binomial_doubling)
		return whole_down(run, coll_doubling_tree);
	return coll_binomial_down(run, COLL_VECTOR);
}

int coll_reduce_part(struct coll_run *run, const struct coll_algorithm *reduce)
{
	if (reduce && reduce->generate == coll_reduce_linear)
		return coll_linear_up(run, COLL_VECTOR, COLL_COMBINE);
	if (reduce && reduce->generate == coll_reduce_binary)
		return whole_up(run, coll_binary_tree);
	if (reduce && reduce->generate == coll_reduce_chain)
		return whole_up(run, coll_chain);
	return coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE);
}

int coll_scatter_part(struct coll_run *run, const struct coll_algorithm *scatter)
{
	if (scatter && scatter->generate == coll_scatter_linear)
		return coll_linear_down(run, COLL_SUBTREE);
	return coll_binomial_down(run, COLL_SUBTREE);
}
